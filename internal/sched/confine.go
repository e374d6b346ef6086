package sched

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Confine moves all threads of this process to the CPUs, and with them the threads
// and processes that they start. It returns what takes the process back to the
// CPUs it had. A thread that was pinned to a CPU of its own afterwards stays there
// until then.
func Confine(cpus []int) (undo func() error, err error) {
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("read the CPUs of this process: %w", err)
	}
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	if err := setAll(&set); err != nil {
		return nil, errors.Join(fmt.Errorf("move this process to CPUs %v: %w", cpus, err), setAll(&before))
	}
	return func() error { return setAll(&before) }, nil
}

// setAll goes over the threads until it has met no new one: a thread that was
// started meanwhile may have inherited the old CPUs.
func setAll(set *unix.CPUSet) error {
	done := map[int]bool{}
	for {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("list the threads of this process: %w", err)
		}
		fresh := false
		for _, t := range tasks {
			tid, err := strconv.Atoi(t.Name())
			if err != nil || done[tid] {
				continue
			}
			done[tid], fresh = true, true
			if err := unix.SchedSetaffinity(tid, set); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("set the CPUs of thread %d: %w", tid, err)
			}
		}
		if !fresh {
			return nil
		}
	}
}
