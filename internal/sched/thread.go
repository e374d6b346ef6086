package sched

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Go runs f on a thread of its own that ends with it, so that nothing that f does to
// its thread (a namespace, CPUs, a priority, a signal mask) outlives it. The outcome
// can be taken from the channel at any later time. Goroutines that f starts are not
// on the thread; processes that it starts are its children. The main package must
// lock the leader thread in its init function: that one cannot end alone.
func Go(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		done <- f()
	}()
	return done
}

// OnOwnThread is Go, and waits for the outcome.
func OnOwnThread(f func() error) error { return <-Go(f) }

// Place pins the calling thread to a CPU, unless cpu is below 0, and gives it a
// priority as Prioritise does.
func Place(cpu, priority int) error {
	if cpu >= 0 {
		if err := Pin(0, cpu); err != nil {
			return err
		}
	}
	return Prioritise(0, priority)
}

// MaskSignals keeps all signals but those given from the calling thread: those of the
// Go runtime, and that of a window that is resized, would end its system calls.
func MaskSignals(but ...unix.Signal) error {
	var all unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^uint64(0)
	}
	for _, s := range but {
		all.Val[0] &^= 1 << (s - 1)
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, nil); err != nil {
		return fmt.Errorf("mask the signals of a thread: %w", err)
	}
	return nil
}

// AllowedCPUs are the CPUs that this process may use, by rising number.
func AllowedCPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(os.Getpid(), &set); err != nil {
		return nil, fmt.Errorf("read the CPUs of this process: %w", err)
	}
	var list []int
	for c := 0; len(list) < set.Count(); c++ {
		if set.IsSet(c) {
			list = append(list, c)
		}
	}
	return list, nil
}
