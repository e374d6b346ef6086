package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"github.com/linerate/linerate/internal/sched"
	"golang.org/x/sys/unix"
)

// allowedCPUs are the CPUs that this process may use.
func allowedCPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
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

func everyCPU() map[int]string {
	roles := map[int]string{}
	for c := range runtime.NumCPU() {
		roles[c] = "all"
	}
	return roles
}

// stepAside keeps the threads of this process off one CPU, so that they do not
// run in the measured source's time. back undoes it. With one CPU it does nothing.
func stepAside(cpu int) (back func() error, err error) {
	all, err := allowedCPUs()
	if err != nil {
		return nil, err
	}
	var others []int
	for _, c := range all {
		if c != cpu {
			others = append(others, c)
		}
	}
	if len(others) == 0 {
		return func() error { return nil }, nil
	}
	return func() error { return pinThreads(all) }, pinThreads(others)
}

// pinThreads pins every thread of the process; threads that it makes later inherit it.
func pinThreads(cpus []int) error {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("list the threads of this process: %w", err)
	}
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		if err := sched.Pin(tid, cpus...); err != nil {
			if _, gone := os.Stat("/proc/self/task/" + t.Name()); gone != nil {
				continue
			}
			return err
		}
	}
	return nil
}
