// Package sched places threads on CPUs and gives them a scheduling priority.
package sched

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Pin moves a thread to the CPUs; tid 0 is the calling thread.
func Pin(tid int, cpus ...int) error {
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(tid, &set); err != nil {
		return fmt.Errorf("pin thread %d to CPUs %v: %w", tid, cpus, err)
	}
	return nil
}

// FIFO gives a thread a real-time priority of 1 to 99; tid 0 is the calling thread.
func FIFO(tid, priority int) error {
	attr := unix.SchedAttr{Size: uint32(unsafe.Sizeof(unix.SchedAttr{})), Policy: unix.SCHED_FIFO, Priority: uint32(priority)}
	if err := unix.SchedSetAttr(tid, &attr, 0); err != nil {
		return fmt.Errorf("give thread %d the real-time priority SCHED_FIFO %d: %w", tid, priority, err)
	}
	return nil
}

// Normal takes a real-time priority or nice value from a thread; tid 0 is the calling thread.
func Normal(tid int) error {
	attr := unix.SchedAttr{Size: uint32(unsafe.Sizeof(unix.SchedAttr{})), Policy: unix.SCHED_NORMAL}
	if err := unix.SchedSetAttr(tid, &attr, 0); err != nil {
		return fmt.Errorf("give thread %d the normal priority: %w", tid, err)
	}
	return nil
}

// Prioritise gives a thread a priority in one number: SCHED_FIFO above 0, a nice value
// below; 0 leaves it as it is.
func Prioritise(tid, priority int) error {
	switch {
	case priority < 0:
		return Nice(tid, priority)
	case priority > 0:
		return FIFO(tid, priority)
	}
	return nil
}

// Nice sets the nice value of a thread, -20 (first) to 19; tid 0 is the calling thread.
func Nice(tid, nice int) error {
	if err := unix.Setpriority(unix.PRIO_PROCESS, tid, nice); err != nil {
		return fmt.Errorf("give thread %d the nice value %d: %w", tid, nice, err)
	}
	return nil
}
