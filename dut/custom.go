package dut

import (
	"fmt"
	"slices"
	"time"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/testbed"
)

// custom is whatever a user's own commands make of the DUT.
var custom = kind{
	steps: customSteps,
	refine: func(s Scenario, k *kind) {
		k.layer2, k.anyRewrite = s.Plan.Custom.Layer2, true
	},
}

// customSteps run the commands of the plan. Those of the tear-down are journalled before the
// first command of the set-up is run: how far a command came that fails is not known. In the
// end, whatever process is left in the DUT's namespace is ended.
func customSteps(s Scenario) ([]Step, error) {
	steps := []Step{{Undo: journal.Action{Kind: journal.EndProcesses, Netns: s.DUT.Netns}}}
	for _, command := range slices.Backward(s.Plan.Custom.Teardown) { // the last undo is the first to be made
		steps = append(steps, Step{Undo: s.shell(command)})
	}
	for _, command := range s.Plan.Custom.Setup {
		steps = append(steps, Step{Do: s.shell(command)})
	}
	return steps, nil
}

func (s Scenario) shell(command string) journal.Action {
	a := s.command("sh", "-c", command)
	a.Env, a.TimeoutS = s.variables(), time.Duration(s.Plan.Custom.Timeout).Seconds()
	return a
}

// variables are what a user's commands find in their environment. docs/scenarios.md lists them.
func (s Scenario) variables() []string {
	list := []string{
		"NETNS=" + s.DUT.Netns,
		fmt.Sprintf("IP_VERSION=%d", s.Cell.IPVersion),
		fmt.Sprintf("FLOWS=%d", s.Cell.Flows),
		"FRAME_SIZE=" + s.Cell.FrameSize.String(),
		"DIRECTIONS=" + s.Cell.Directions.String(),
	}
	for _, end := range []struct {
		name string
		side testbed.Side
	}{{"A", s.DUT.A}, {"B", s.DUT.B}} {
		for _, v := range []struct {
			name  string
			value fmt.Stringer
		}{
			{"DUT_MAC", end.side.DUTMAC}, {"TESTER_MAC", end.side.TesterMAC},
			{"DUT_IP4", end.side.DUT4}, {"DUT_IP6", end.side.DUT6},
			{"TESTER_IP4", end.side.Tester4}, {"TESTER_IP6", end.side.Tester6},
			{"NET4", end.side.Net4}, {"NET6", end.side.Net6},
		} {
			list = append(list, fmt.Sprintf("%s_%s=%v", v.name, end.name, v.value))
		}
		list = append(list, fmt.Sprintf("DUT_%s=%s", end.name, end.side.Interface))
	}
	return list
}
