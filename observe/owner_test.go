package observe

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/sched"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/result"
)

// TestForeignLoadIsNamed keeps a CPU busy by another process, once in user mode and
// once in the kernel, and requires that its time is foreign and has its name.
func TestForeignLoadIsNamed(t *testing.T) {
	testenv.NeedRoot(t)
	tests := []struct {
		name string
		argv []string
	}{
		{"in user mode", []string{"sh", "-c", "while :; do :; done"}},
		{"in the kernel", []string{"dd", "if=/dev/zero", "of=/dev/null", "bs=1M"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := WatchThreads(nil)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			before, err := SampleCPU(w)
			if err != nil {
				t.Fatal(err)
			}
			hog := exec.Command(tt.argv[0], tt.argv[1:]...)
			if err := hog.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = hog.Process.Kill()
				_ = hog.Wait() // it was killed
			}()
			if err := sched.Pin(hog.Process.Pid, 0); err != nil {
				t.Fatal(err)
			}
			var core result.Core
			const enoughNS = 100e6
			for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
				after, err := SampleCPU(w)
				if err != nil {
					t.Fatal(err)
				}
				core = result.Core{CPU: 0}
				setOwners(&core, before, after)
				if core.Foreign*float64(after.atNS-before.atNS) > enoughNS && strings.HasPrefix(core.ForeignName, tt.argv[0]+" ") {
					return
				}
			}
			t.Errorf("after 20 s the foreign share of CPU 0 is %.2f, most of it %q; want %s", core.Foreign, core.ForeignName, tt.argv[0])
		})
	}
}

// TestOwnThreadsAreNotForeign keeps this process busy.
func TestOwnThreadsAreNotForeign(t *testing.T) {
	testenv.NeedRoot(t)
	w, err := WatchThreads(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
		_ = os.Getppid()
	}
	list, err := w.sample()
	if err != nil {
		t.Fatal(err)
	}
	var own uint64
	for _, c := range list {
		own += c[ownOwner]
	}
	if own < 20e6 {
		t.Errorf("a process that was busy for 200 ms had %d ns", own)
	}
	strangers, err := w.Strangers()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range strangers {
		if s.PID == os.Getpid() {
			t.Errorf("this process is listed as a stranger: %+v", s)
		}
	}
}

func TestSlewAndSleep(t *testing.T) {
	before := Clocks{MonotonicNS: 1e9, RawNS: 1e9, BootNS: 4e9}
	after := Clocks{MonotonicNS: 2_000_100_000, RawNS: 2e9, BootNS: 7_000_100_000}
	if got := SlewPPM(before, after); got < 99.9 || got > 100.1 {
		t.Errorf("%v ppm, want 100", got)
	}
	if got := SuspendedNS(before, after); got != 2e9 {
		t.Errorf("slept for %d ns, want 2 s", got)
	}
	if got := SlewPPM(before, before); got != 0 {
		t.Errorf("%v ppm in no time, want 0", got)
	}
}

func TestClocksOfThisMachine(t *testing.T) {
	before, err := ReadClocks(map[int]string{0: "dut"})
	if err != nil {
		t.Fatal(err)
	}
	after, err := ReadClocks(map[int]string{0: "dut"})
	if err != nil {
		t.Fatal(err)
	}
	if before.MonotonicNS == 0 || after.MonotonicNS < before.MonotonicNS || after.RawNS < before.RawNS || after.Source != before.Source {
		t.Errorf("%+v, then %+v", before, after)
	}
}
