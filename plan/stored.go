package plan

import "reflect"

// Complete gives a plan that was read from a record the defaults of what the version that stored
// it did not have: such a plan was measured as they say. No valid plan lacks any of it.
func (p *Plan) Complete() {
	d := Default()
	complete(&p.Lab.EndOffloads, d.Lab.EndOffloads)
	complete(&p.Testpmd, d.Testpmd)
	complete(&p.Ruleset, d.Ruleset)
	complete(&p.Routes, d.Routes)
	complete(&p.Custom, d.Custom)
	complete(&p.ECMP, d.ECMP)
	complete(&p.Workload, d.Workload)
	complete(&p.IPerf3, d.IPerf3)
	complete(&p.IPerf, d.IPerf)
	complete(&p.Latency, d.Latency)
	complete(&p.Cost, d.Cost)
	complete(&p.VM, d.VM)
	complete(&p.VM.Metric, d.VM.Metric)
	complete(&p.VM.Accelerator, d.VM.Accelerator)
	complete(&p.VM.Rounds, d.VM.Rounds)
	complete(&p.VM.TrialDuration, d.VM.TrialDuration)
	complete(&p.VM.Iptables, d.VM.Iptables)
	complete(&p.VM.AttributeBy, d.VM.AttributeBy)
}

func complete[T any](value *T, otherwise T) {
	if reflect.ValueOf(*value).IsZero() {
		*value = otherwise
	}
}
