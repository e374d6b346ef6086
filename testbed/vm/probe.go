package vm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Probe is what was found out about KVM.
type Probe struct {
	// Usable tells that a virtual CPU executes a kernel's code faster than the emulator does.
	Usable bool
	// Reason is why it is usable, or is not, for a reader.
	Reason string
	// KVMInstructionsPerS is how fast a virtual CPU executed the probe's loop, and
	// EmulatorInstructionsPerS how fast QEMU's translator did; 0 if neither came to that.
	KVMInstructionsPerS, EmulatorInstructionsPerS float64
	// Wall is what the probe took.
	Wall time.Duration
}

// The API's only version since Linux 2.6.22, and the requests for it and for a virtual
// machine (include/uapi/linux/kvm.h, Documentation/virt/kvm/api.rst).
const (
	kvmVersion       = 12
	kvmGetAPIVersion = 0xae00
	kvmCreateVM      = 0xae01
)

const (
	// probeLimit is the real time after which a guest that has not ended hangs.
	probeLimit = 5 * time.Second
	// probeEnough is the time in the loop after which its speed is known.
	probeEnough = 700 * time.Millisecond
)

// prober is what a probe looks at; tests plant others.
type prober struct {
	device, emulator string
	program          []byte
	limit            time.Duration
}

// ProbeKVM finds out by trying whether KVM executes a guest: a device that opens may
// belong to a machine whose virtual CPUs hang, or are interpreted. It takes a second, and
// at most probeLimit and killGrace twice.
func ProbeKVM(ctx context.Context) Probe {
	return prober{device: "/dev/kvm", emulator: Emulator, program: probeProgram(), limit: probeLimit}.probe(ctx)
}

func (p prober) probe(ctx context.Context) (found Probe) {
	began := time.Now()
	defer func() { found.Wall = time.Since(began) }()
	if err := tryDevice(p.device); err != nil {
		found.Reason = err.Error()
		return found
	}
	if err := available(p.emulator); err != nil {
		found.Reason = p.device + " opens, but nothing boots with it: " + err.Error()
		return found
	}
	var err error
	if found.EmulatorInstructionsPerS, err = p.speed(ctx, Emulated); err != nil {
		found.Reason = fmt.Sprintf("the emulator itself does not execute the probe, without KVM: %v", err)
		return found
	}
	if found.KVMInstructionsPerS, err = p.speed(ctx, Hardware); err != nil {
		found.Reason = fmt.Sprintf("%s opens, but a virtual CPU is of no use: %v", p.device, err)
		return found
	}
	found.decide()
	return found
}

// decide says by the two speeds whether KVM is of use.
func (found *Probe) decide() {
	found.Usable = found.KVMInstructionsPerS >= found.EmulatorInstructionsPerS
	speeds := fmt.Sprintf("a virtual CPU executes %s of a kernel's instructions in a second, and the emulator %s", millions(found.KVMInstructionsPerS), millions(found.EmulatorInstructionsPerS))
	if found.Usable {
		found.Reason = speeds
	} else {
		found.Reason = speeds + ": KVM interprets them here, as in a virtual machine whose host does not pass its hardware on"
	}
}

func millions(perS float64) string { return fmt.Sprintf("%.3g million", perS/1e6) }

// tryDevice opens the device and makes a virtual machine without a CPU.
func tryDevice(device string) error {
	fd, err := unix.Open(device, unix.O_RDWR|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist: the module kvm is not loaded, the firmware has virtualisation switched off, or this is a virtual machine whose host does not pass it on", device)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be opened by this user: run as root, or join the device's group (usermod -aG kvm USER)", device)
	case err != nil:
		return fmt.Errorf("open %s: %w", device, err)
	}
	defer unix.Close(fd)
	version, err := unix.IoctlRetInt(fd, kvmGetAPIVersion)
	if err != nil {
		return fmt.Errorf("%s is not KVM: ask for its version: %w", device, err)
	}
	if version != kvmVersion {
		return fmt.Errorf("%s has version %d of KVM's interface, and only %d is known", device, version, kvmVersion)
	}
	machine, err := unix.IoctlRetInt(fd, kvmCreateVM)
	if err != nil {
		return fmt.Errorf("make a virtual machine with %s: %w", device, err)
	}
	return unix.Close(machine)
}

// speed boots the program and returns the instructions that its loop executed in a second.
func (p prober) speed(ctx context.Context, a Accelerator) (float64, error) {
	limited, stop := context.WithTimeout(ctx, p.limit)
	defer stop()
	marks, guestEnd, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer marks.Close()
	rom, err := memoryFile("firmware", p.program)
	if err != nil {
		guestEnd.Close()
		return 0, err
	}
	defer rom.Close()
	var console tail
	argv := append([]string{p.emulator}, a.arguments(1)...)
	running, err := startEmulator(limited, append(argv, "-m", "16", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-debugcon", "file:/dev/fd/3", "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-bios", "/proc/self/fd/4"), &console, guestEnd, rom)
	guestEnd.Close()
	if err != nil {
		return 0, err
	}
	// An emulator that cannot be killed holds the pipe open.
	if err := marks.SetReadDeadline(time.Now().Add(p.limit + killGrace)); err != nil {
		return 0, err
	}
	seen := readMarks(marks)
	stop()
	if err := running.wait(limited); errors.Is(err, ErrLeft) {
		return 0, fmt.Errorf("it hangs: %w", err)
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	said := strings.Join(console.last(), "; ")
	if said != "" {
		said = "; " + p.emulator + " said: " + said
	}
	switch {
	case !seen.began:
		return 0, fmt.Errorf("it executed nothing of the probe within %s%s", p.limit, said)
	case seen.parts == 0:
		return 0, fmt.Errorf("it began with the probe and hung: not %d instructions within %s%s", firstTurns*turnInstructions, p.limit, said)
	}
	return seen.perS(), nil
}

// markTimes are the marks of a probe program.
type markTimes struct {
	began       bool
	first, last time.Time
	parts       int
}

// readMarks reads until the program has ended, is known well enough, or is killed.
func readMarks(r *os.File) (m markTimes) {
	buffer := make([]byte, 64)
	for {
		n, err := r.Read(buffer)
		now := time.Now()
		for _, mark := range buffer[:n] {
			if !m.began {
				m.began, m.first = mark == 'b', now
				continue
			}
			m.parts, m.last = m.parts+1, now
		}
		if err != nil || m.parts >= marksInAll || m.parts > 0 && m.last.Sub(m.first) > probeEnough {
			return m
		}
	}
}

// perS is the speed of all parts together: the n-th has firstTurns << n turns.
func (m markTimes) perS() float64 {
	turns := firstTurns * (1<<m.parts - 1)
	return float64(turns) * turnInstructions / max(m.last.Sub(m.first), time.Microsecond).Seconds()
}
