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
	for _, key := range p.Sysctls.Names() {
		steps = append(steps, s.sysctl(key, p.Sysctls[key]))
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
		for _, device := range []string{s.DUT.A.Interface, s.DUT.B.Interface} {
			steps = append(steps, Step{Do: journal.Action{Kind: journal.SetDevice, Netns: s.DUT.Netns, Key: device + "/" + a.name, Value: strconv.FormatInt(a.value, 10)}})
		}
	}
	return steps
}
