package main

import (
	"runtime"
	"slices"

	"github.com/linerate/linerate/internal/sched"
)

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
	all, err := sched.AllowedCPUs()
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(all, func(c int) bool { return c == cpu })
	if len(others) == 0 {
		return func() error { return nil }, nil
	}
	return sched.Confine(others)
}
