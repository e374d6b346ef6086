package doctor

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/linerate/linerate/internal/sched"
	"github.com/linerate/linerate/observe"
	"golang.org/x/sys/unix"
)

const (
	// spinDuration stays below 950 ms: a real-time thread that takes more of a
	// second is held back by the kernel (sched_rt_runtime_us).
	spinDuration = 900 * time.Millisecond
	// spinPriority is below those of the lab, so that a measurement that runs at the same time goes first.
	spinPriority = 1
	// muster is the time in which all threads get ready, so that they start as one.
	muster       = 20 * time.Millisecond
	pollInterval = time.Millisecond
)

// measureDisturbance keeps every CPU that this process may use busy, all at the
// same time, and watches for moments at which the CPU was taken away. Steal is
// only seen on a CPU that wants to run, so both are measured together.
func measureDisturbance(duration time.Duration) ([]CPUDisturbance, error) {
	cpus, err := sched.AllowedCPUs()
	if err != nil {
		return nil, err
	}
	// Each watcher occupies a processor of the Go scheduler; one more is for the caller.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), len(cpus)+1)))
	var start atomic.Int64
	watchers := make([]*watcher, len(cpus))
	for i, cpu := range cpus {
		watchers[i] = startWatcher(cpu, duration, &start)
	}
	for _, w := range watchers {
		<-w.ready
	}
	before, err := observe.SampleCPU(nil)
	start.Store(monotonic() + int64(muster))
	var all []CPUDisturbance
	var failed error
	for _, w := range watchers {
		d, err := w.wait()
		if err != nil {
			failed = err
			continue
		}
		all = append(all, d)
	}
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return all, err
	}
	return all, addSteal(all, before, duration)
}

func addSteal(all []CPUDisturbance, before observe.CPUSample, watched time.Duration) error {
	after, err := observe.SampleCPU(nil)
	if err != nil {
		return err
	}
	roles := map[int]string{}
	for _, d := range all {
		roles[d.CPU] = "watched"
	}
	cpu := observe.CPUBetween(before, after, watched, roles, 0)
	if cpu == nil {
		return fmt.Errorf("measure steal: nothing was watched for %v", watched)
	}
	for _, core := range cpu.PerCore {
		for i := range all {
			if all[i].CPU == core.CPU {
				all[i].StealRatio = core.Steal
			}
		}
	}
	return nil
}

// watcher is a thread on one CPU.
type watcher struct {
	ready chan struct{}
	done  <-chan error
	seen  CPUDisturbance
}

func (w *watcher) wait() (CPUDisturbance, error) {
	err := <-w.done
	return w.seen, err
}

// startWatcher makes a thread that gets ready and watches from the moment that
// start will hold. It polls for that: to be woken it would need other threads of
// the Go runtime, which get no CPU once the first watcher runs.
func startWatcher(cpu int, duration time.Duration, start *atomic.Int64) *watcher {
	w := &watcher{ready: make(chan struct{}, 1)}
	w.done = sched.Go(func() error {
		err := sched.Pin(0, cpu)
		realTime := sched.FIFO(0, spinPriority) == nil
		if err == nil {
			err = sched.MaskSignals() // the Go runtime's would look like pauses
		}
		gaps := make([]uint32, duration/pauseFloor+1)
		w.ready <- struct{}{}
		if err != nil {
			return fmt.Errorf("watch CPU %d: %w", cpu, err)
		}
		poll := unix.NsecToTimespec(int64(pollInterval))
		for start.Load() == 0 {
			_ = unix.Nanosleep(&poll, nil)
		}
		n, watched := spin(start.Load(), int64(duration), gaps)
		pauses := make([]time.Duration, n)
		for i := range pauses {
			pauses[i] = time.Duration(gaps[i])
		}
		w.seen = summarise(cpu, realTime, time.Duration(watched), pauses)
		return nil
	})
	return w
}

// spin reads the clock without rest from start on, and stores each interval
// between two readings that is long enough to be a pause, in nanoseconds. It
// calls nothing at which the Go scheduler could step in.
func spin(start, duration int64, gaps []uint32) (n int, watched int64) {
	sleepUntil(start)
	begin := monotonic()
	last := begin
	for last-begin < duration && n < len(gaps) {
		now := monotonic()
		if now-last >= int64(pauseFloor) {
			gaps[n] = uint32(min(now-last, 1<<32-1))
			n++
		}
		last = now
	}
	return n, last - begin
}

// sleepUntil leaves the CPU to others until all watchers are ready to start.
func sleepUntil(moment int64) {
	until := unix.NsecToTimespec(moment)
	_, _, _ = unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, uintptr(unsafe.Pointer(&until)), 0, 0, 0)
}

// monotonic is CLOCK_MONOTONIC in nanoseconds, by a system call that the Go
// scheduler does not notice.
func monotonic() int64 {
	var ts unix.Timespec
	_, _, _ = unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Sec*1e9 + ts.Nsec
}
