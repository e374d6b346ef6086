package result

// nonNull is run with empty lists and maps in the place of nil ones, so that
// run.json always has [] and {} where a program expects a list or an object.
// It changes nothing that the caller holds.
func nonNull(run *Run) *Run {
	r := *run
	r.Command = list(r.Command)
	r.Warnings = list(r.Warnings)
	r.Testbed.DUTCPUs = list(r.Testbed.DUTCPUs)
	r.Testbed.TesterCPUs = list(r.Testbed.TesterCPUs)
	r.Testbed.Links = list(r.Testbed.Links)
	r.Environment.Offloads = object(r.Environment.Offloads)
	r.Environment.Sysctls = object(r.Environment.Sysctls)
	r.Environment.Versions = object(r.Environment.Versions)
	r.Calibration.Ceilings = list(r.Calibration.Ceilings)
	r.Plan.Scenarios = list(r.Plan.Scenarios)
	r.Plan.Search.Goals = list(r.Plan.Search.Goals)
	r.Plan.Tests = list(r.Plan.Tests)
	r.Plan.Traffic.IPVersions = list(r.Plan.Traffic.IPVersions)
	r.Plan.Traffic.FrameSizes = list(r.Plan.Traffic.FrameSizes)
	r.Plan.Traffic.Flows = list(r.Plan.Traffic.Flows)
	r.Plan.Traffic.Directions = list(r.Plan.Traffic.Directions)
	if r.Plan.Latency.Enabled {
		r.Plan.Latency.Loads = list(r.Plan.Latency.Loads)
		r.Plan.Latency.LoadsPPS = list(r.Plan.Latency.LoadsPPS)
	}
	r.Cells = append([]Cell{}, r.Cells...)
	for i := range r.Cells {
		c := &r.Cells[i]
		c.Evidence = list(c.Evidence)
		c.Warnings = list(c.Warnings)
		c.Goals = list(c.Goals)
		c.Setup = list(c.Setup)
		if c.CPU != nil && c.CPU.PerCore == nil {
			cpu := *c.CPU
			cpu.PerCore = []Core{}
			c.CPU = &cpu
		}
	}
	return &r
}

func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

func object[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}
