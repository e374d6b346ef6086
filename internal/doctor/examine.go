package doctor

import (
	"context"

	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/testbed/vm"
)

// Examine tries what linerate uses and watches the machine for about a second,
// during which every CPU is kept busy; where KVM hangs or crawls, it takes some seconds
// more to find that out. It changes nothing that stays.
func Examine() Report {
	r := Report{Schema: SchemaV1, Disturbance: []CPUDisturbance{}}
	r.Groups = append(r.Groups,
		Group{"kernel", kernelRows(kernel.Features())},
		Group{"tools", append(toolRows(), kvmRow(vm.ProbeKVM(context.Background())))},
	)
	environment, warnings, err := observe.Environment("", nil)
	machine := machineRows(environment, warnings)
	if err != nil {
		machine = append(machine, Row{Name: "record of the machine", Status: Limited, Need: kernel.ForQuality, Detail: err.Error(),
			Cost: "the environment in a run's record is incomplete", Fix: "see the reason given"})
	}
	disturbance, err := measureDisturbance(spinDuration)
	if err == nil {
		r.Disturbance = disturbance
	}
	r.Groups = append(r.Groups, Group{"machine", append(machine, disturbanceRows(disturbance, err)...)})
	r.conclude()
	return r
}

// kernelRows tries each feature. Without root most may not be tried, which says nothing about them.
func kernelRows(features []kernel.Feature) []Row {
	var rows []Row
	for _, f := range features {
		row := Row{Name: f.Name, Status: OK, Need: f.Need}
		seen, err := f.Try()
		row.Detail = seen
		if err != nil {
			row.Status, row.Detail, row.Cost, row.Fix = Missing, err.Error(), f.Cost, f.Fix
			if f.NotTried(err) {
				row.Status, row.Detail, row.Cost, row.Fix = Limited, "not tried: that needs root", "", ""
			}
		}
		rows = append(rows, row)
	}
	return rows
}
