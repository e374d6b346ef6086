package vm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/linerate/linerate/internal/testenv"
)

// planted is a prober of this machine's KVM, which needs root.
func planted(t *testing.T) prober {
	t.Helper()
	testenv.Need(t, "QEMU", Available())
	return prober{device: "/dev/kvm", emulator: Emulator, program: probeProgram(), limit: probeLimit}
}

// TestProbeProgram runs it to its end in the emulator.
func TestProbeProgram(t *testing.T) {
	p := planted(t)
	perS, err := p.speed(context.Background(), Emulated)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the emulator executes %s instructions in a second", millions(perS))
	if perS < 1e6 || perS > 1e11 {
		t.Errorf("%g instructions a second are not those of an emulator", perS)
	}
	if left := children(t); left != "" {
		t.Errorf("still running: %s", left)
	}
}

// TestProbeOfThisMachine holds the answer to its promise: by a KVM that is usable a kernel boots.
func TestProbeOfThisMachine(t *testing.T) {
	planted(t)
	found := ProbeKVM(context.Background())
	t.Logf("%+v", found)
	if found.Reason == "" {
		t.Errorf("no reason: %+v", found)
	}
	if found.Usable {
		g := guestThatPanics(t)
		g.Accelerator = Hardware
		_, err := g.Run(context.Background(), func([]byte) {})
		if failed, ok := errors.AsType[*Error](err); !ok || !strings.Contains(failed.Reason, "panicked") {
			t.Errorf("KVM is usable, and of a guest that has to boot and panic came %v", err)
		}
	}
	if left := children(t); left != "" {
		t.Errorf("still running: %s", left)
	}
}

// TestProbeOfWhatHangs has programs that hang before and in the loop, an emulator that
// does nothing, and one that fails.
func TestProbeOfWhatHangs(t *testing.T) {
	p := planted(t)
	p.limit = 2 * time.Second
	hangs := probeProgram()
	copy(hangs[loopAt:], []byte{0xeb, 0xfe}) // in the place of the loop: jmp to itself
	script := func(text string) string {
		name := filepath.Join(t.TempDir(), "emulator")
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, tt := range []struct {
		name, emulator string
		program        []byte
		want           string
	}{
		{"before the probe", Emulator, firmware([]byte{0xeb, 0xfe}), "it executed nothing of the probe within 2s"},
		{"in the loop", Emulator, hangs, "it began with the probe and hung"},
		{"the emulator", script("trap '' TERM INT\nwhile :; do sleep 0.1; done"), probeProgram(), "it executed nothing of the probe within 2s"},
		{"an emulator that fails", script("echo no such device >&2; exit 1"), probeProgram(), "said: no such device"},
	} {
		q := p
		q.emulator, q.program = tt.emulator, tt.program
		began := time.Now()
		if _, err := q.speed(context.Background(), Emulated); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
		if took := time.Since(began); took > p.limit+killGrace {
			t.Errorf("%s: took %s", tt.name, took)
		}
	}
	if left := children(t); left != "" {
		t.Errorf("still running: %s", left)
	}
}

func TestDecision(t *testing.T) {
	for _, tt := range []struct {
		kvm, emulator float64
		usable        bool
		reason        string
	}{
		{3e9, 4e8, true, "executes 3e+03 million of a kernel's instructions in a second, and the emulator 400 million"},
		{4e6, 4e8, false, "KVM interprets them here"},
	} {
		found := Probe{KVMInstructionsPerS: tt.kvm, EmulatorInstructionsPerS: tt.emulator}
		if found.decide(); found.Usable != tt.usable || !strings.Contains(found.Reason, tt.reason) {
			t.Errorf("%+v, want %q", found, tt.reason)
		}
	}
}

// TestEmulatorThatStays gives up an emulator that is not gone in time after it was killed.
func TestEmulatorThatStays(t *testing.T) {
	e := &emulator{program: Emulator, pid: 4711, done: make(chan error), grace: 10 * time.Millisecond}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := e.wait(ctx); !errors.Is(err, ErrLeft) || !strings.Contains(err.Error(), "process 4711 of "+Emulator) {
		t.Errorf("error %v, want one with the process number", err)
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	held := os.NewFile(uintptr(ends[1]), "held") // as the emulator that stays holds it
	defer held.Close()
	living, stop := context.WithCancel(context.Background())
	m := &Machine{running: e, port: os.NewFile(uintptr(ends[0]), "port"), console: &tail{}, living: living, stop: stop, ended: make(chan struct{}), kernel: "k"}
	if _, err := held.WriteString("said\n"); err != nil {
		t.Fatal(err)
	}
	var said []byte
	go m.follow(func(line []byte) { said = append(said, line...) })
	m.Stop()
	if _, err := m.Wait(); !errors.Is(err, ErrLeft) || string(said) != "said\n" {
		t.Errorf("error %v after %q", err, said)
	}
}

func TestProbeWithoutADevice(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "kvm")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for device, want := range map[string]string{filepath.Join(folder, "none"): "does not exist", file: "is not KVM"} {
		found := prober{device: device, emulator: Emulator, program: probeProgram(), limit: time.Second}.probe(context.Background())
		if found.Usable || !strings.Contains(found.Reason, want) {
			t.Errorf("%+v, want %q", found, want)
		}
	}
	found := prober{device: "/dev/null", emulator: filepath.Join(folder, "qemu"), limit: time.Second}.probe(context.Background())
	if found.Usable || !strings.Contains(found.Reason, "/dev/null is not KVM") {
		t.Errorf("%+v", found)
	}
}

// TestInterruptedProbe ends at once, and so does the emulator.
func TestInterruptedProbe(t *testing.T) {
	p := planted(t)
	p.program = firmware([]byte{0xeb, 0xfe})
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := p.speed(ctx, Emulated); err == nil || time.Since(began) > 2*time.Second {
		t.Errorf("error %v after %s", err, time.Since(began))
	}
	if left := children(t); left != "" {
		t.Errorf("still running: %s", left)
	}
}
