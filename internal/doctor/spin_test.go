package doctor

import (
	"runtime"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/sched"
	"github.com/linerate/linerate/internal/testenv"
	"golang.org/x/sys/unix"
)

// occupy takes a CPU from everything of lower priority for a while, and tells for how long it had it.
func occupy(cpu int, at int64, duration time.Duration) (chan error, *int64) {
	done := make(chan error, 1)
	held := new(int64)
	go func() {
		runtime.LockOSThread()
		err := sched.Pin(0, cpu)
		if err == nil {
			err = sched.FIFO(0, spinPriority+1)
		}
		if err == nil {
			// Not by sleepUntil: the Go scheduler must be able to stop the world meanwhile.
			until := unix.NsecToTimespec(at)
			for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &until, nil) == unix.EINTR {
			}
			begin := monotonic()
			for monotonic()-begin < int64(duration) {
			}
			*held = monotonic() - begin
		}
		done <- err
	}()
	return done, held
}

func TestAPlantedPauseIsSeen(t *testing.T) {
	testenv.NeedRoot(t)
	cpus, err := sched.AllowedCPUs()
	if err != nil {
		t.Fatal(err)
	}
	cpu := cpus[len(cpus)-1]
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(len(cpus) + 2))
	planted, held := occupy(cpu, monotonic()+int64(150*time.Millisecond), 20*time.Millisecond)
	all, err := measureDisturbance(400 * time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	testenv.Need(t, "SCHED_FIFO", <-planted)
	if len(all) != len(cpus) {
		t.Fatalf("%d CPUs watched of %d", len(all), len(cpus))
	}
	for _, d := range all {
		if d.CPU == cpu && d.MaxNS < uint64(*held) {
			t.Errorf("CPU %d was taken away for %d ns, but the longest pause seen is %d ns", cpu, *held, d.MaxNS)
		}
		if d.WatchedNS < uint64(400*time.Millisecond) || !d.RealTime {
			t.Errorf("badly watched: %+v", d)
		}
		if d.PausedRatio < 0 || d.PausedRatio > 1 || d.P999NS > d.MaxNS {
			t.Errorf("impossible: %+v", d)
		}
	}
}
