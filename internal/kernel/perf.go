package kernel

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/linerate/linerate/internal/sampling"
	"github.com/linerate/linerate/internal/sched"
)

// PerfEvents lets a timer of the kernel sample what a CPU does.
var PerfEvents = Feature{
	Name: "perf events", Need: ForQuality,
	Cost: "`linerate bench --cost` cannot say where the CPU time of a packet goes",
	Fix:  "a kernel with CONFIG_PERF_EVENTS, and root; in a container add CAP_PERFMON and allow perf_event_open",
	try:  tryPerfEvents,
}

func tryPerfEvents() (string, error) {
	cpus, err := sched.AllowedCPUs()
	if err != nil {
		return "", err
	}
	s, err := sampling.Open(sampling.Config{CPU: cpus[0], PeriodNS: 100_000, Pages: 1})
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOSYS) {
		return "", fmt.Errorf("this kernel has none: %w", err)
	}
	if err != nil {
		return "", err
	}
	return "cpu-clock", s.Close()
}
