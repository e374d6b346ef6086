package plan

import "time"

// Cost asks where the DUT's CPU time of each packet goes: samples of its CPUs in a trial
// of its own after the search of each cell.
type Cost struct {
	Enabled bool `yaml:"enabled" json:"enabled"`
	// FrequencyHz is how often each of the DUT's CPUs is sampled.
	FrequencyHz int `yaml:"frequency_hz" json:"frequency_hz"`
	// TrialDuration is that of the trial.
	TrialDuration Duration `yaml:"trial_duration" json:"trial_duration"`
	// LoadPPS is the load of the trial per direction; 0 is the lower bound of the last goal that has one.
	LoadPPS float64 `yaml:"load_pps" json:"load_pps"`
}

// defaultCost samples at a prime number of hertz, which keeps step with no timer of the
// kernel, and so rarely that the samples take 1 to 3 % of the time (docs/cost.md).
func defaultCost() Cost {
	return Cost{FrequencyHz: 3989, TrialDuration: Duration(10 * time.Second)}
}

func (c *checker) cost(p Plan) {
	c.whole("cost.frequency_hz", "cost.frequency_hz", p.Cost.FrequencyHz)
	c.duration("cost.trial_duration", p.Cost.TrialDuration)
	if p.Cost.LoadPPS != 0 {
		c.load("cost.load_pps", p.Cost.LoadPPS, "above 0, or 0 for the lower bound of the search", p.Cost.LoadPPS > 0)
	}
	if !p.Cost.Enabled {
		return
	}
	if !p.Observe.Threads {
		c.add("cost.enabled", "observe.threads", "set observe.threads to true", "the samples are held against the CPU time of the DUT's threads, which observe.threads takes")
	}
	if p.Testbed == "lab" && p.Cost.LoadPPS == 0 && !p.Has(Throughput) && !p.OfStreams() {
		c.add("cost.load_pps", "tests", "give cost.load_pps, or put throughput among the tests", "is 0, and without a search there is no lower bound to take")
	}
}
