package dut

import (
	"strconv"
	"time"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/plan"
)

// Tuning are the steps that tune the DUT, whatever the scenario. Without a DUT there are none.
func (s Scenario) Tuning(p plan.DUT) []Step {
	if s.Cell.Direct() {
		return nil
	}
	var steps []Step
	shape := s.Shape()
	for _, key := range p.Sysctls.Names() {
		for _, ns := range shape.Namespaces() {
			steps = append(steps, Step{Do: journal.Action{Kind: journal.SetSysctl, Netns: ns, Key: key, Value: p.Sysctls[key]}})
		}
	}
	for _, a := range []struct {
		name  string
		value int64
	}{
		{"gro_flush_timeout", int64(time.Duration(p.GROFlushTimeout))},
		{"napi_defer_hard_irqs", int64(p.NAPIDeferHardIRQs)},
	} {
		if p.GROFlushTimeout == 0 { // as the kernel has it: a poll at every arrival
			continue
		}
		for _, d := range shape.Devices() {
			steps = append(steps, Step{Do: journal.Action{Kind: journal.SetDevice, Netns: d.Netns, Key: d.Interface + "/" + a.name, Value: strconv.FormatInt(a.value, 10)}})
		}
	}
	return steps
}
