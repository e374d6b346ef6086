// Package registry finds the program of a workload by the name that a plan gives it, so
// that who measures knows none of them. A new program is a folder below workload, a row
// here, and a section of the plan.
package registry

import (
	"fmt"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/workload"
	"github.com/linerate/linerate/workload/iperf"
	"github.com/linerate/linerate/workload/iperf3"
)

var programs = map[string]workload.Program{
	plan.WorkloadIPerf3: iperf3.Program{},
	plan.WorkloadIPerf:  iperf.Program{},
}

// Find is the program of a plan's workload.
func Find(name string) (workload.Program, error) {
	p, found := programs[name]
	if !found {
		return nil, fmt.Errorf("run workload %q: there is no program of this name; set workload to frames, iperf3 or iperf", name)
	}
	return p, nil
}
