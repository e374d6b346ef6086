package sampling_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/linerate/linerate/internal/sampling"
	"github.com/linerate/linerate/internal/testenv"
)

// TestSamples keeps a thread busy with system calls and finds its samples, in the kernel
// for the most part and in order, more of them than the ring holds.
func TestSamples(t *testing.T) {
	testenv.NeedRoot(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var old, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &old); err != nil {
		t.Fatal(err)
	}
	cpu := 0
	for !old.IsSet(cpu) {
		cpu++
	}
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	defer unix.SchedSetaffinity(0, &old)
	s, err := sampling.Open(sampling.Config{CPU: cpu, PeriodNS: 50_000, Pages: 1})
	testenv.Need(t, "perf events", err)
	defer s.Close()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	own, inKernel, lost := 0, 0, 0
	last := uint64(0)
	read := func() {
		n, err := s.Read(func(x sampling.Sample) {
			if x.TimeNS < last {
				t.Errorf("a sample of %d after one of %d", x.TimeNS, last)
			}
			last = x.TimeNS
			if x.TID == uint32(unix.Gettid()) && x.PID == uint32(os.Getpid()) {
				own++
				if len(sampling.Addresses(x.Chain)) > 1 {
					inKernel++
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		lost += n.Lost
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := make([]byte, 4096)
	for end := time.Now().Add(10 * time.Second); own < 400 && time.Now().Before(end); {
		for range 20 { // some 100 µs
			_, _ = unix.Pread(int(f.Fd()), text, 0)
		}
		read()
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if own < 400 || inKernel < own/2 {
		t.Errorf("%d samples of this thread, %d of them in the kernel, %d lost", own, inKernel, lost)
	}
}
