package plan

import (
	"fmt"
	"strings"
	"time"
)

// Latency asks for latency trials after the search of each cell (RFC 2544 section
// 26.2, RFC 8219 sections 7.2 and 7.3).
type Latency struct {
	Enabled bool `yaml:"enabled" json:"enabled"`
	// Loads are shares of the cell's own throughput.
	Loads []Ratio `yaml:"loads" json:"loads"`
	// LoadsPPS are loads per direction that are the same for every cell, so that cells can be set side by side.
	LoadsPPS []float64 `yaml:"load_pps" json:"load_pps"`
	// ThroughputGoal names the goal whose lower bound is the throughput. Empty: the one that the
	// cell is described at, which is the last that has a lower bound.
	ThroughputGoal string `yaml:"throughput_goal" json:"throughput_goal"`
	// TrialDuration is that of each latency trial.
	TrialDuration Duration `yaml:"trial_duration" json:"trial_duration"`
	// TrialsPerLoad is how many are made at each load; the one with the median P99 counts.
	TrialsPerLoad int `yaml:"trials_per_load" json:"trials_per_load"`
}

// defaultLatency has the loads that an engineer asks for first, in trials of 1 s,
// and is off.
func defaultLatency() Latency {
	return Latency{Loads: []Ratio{0.1, 0.5, 0.9, 1}, LoadsPPS: []float64{}, TrialDuration: Duration(time.Second), TrialsPerLoad: 1}
}

// maxLatencyLoad is above 1 because the latency of an overloaded DUT, that of its full queues, is a figure too.
const maxLatencyLoad = 2

func (c *checker) latency(p Plan) {
	l := p.Latency
	if l.Enabled && len(l.Loads)+len(l.LoadsPPS) == 0 {
		c.add("latency.loads", "latency.load_pps", "leave the line out to have the default, or give load_pps", "is empty, and so is load_pps: there is no load to measure the latency at")
	}
	distinct(c, "latency.loads", l.Loads, func(path string, r Ratio) {
		c.share(path, r, r > 0 && r <= maxLatencyLoad, "above 0 and at most 2, in shares of the throughput")
	})
	distinct(c, "latency.load_pps", l.LoadsPPS, func(path string, pps float64) {
		c.load(path, pps, "above 0", pps > 0)
	})
	c.duration("latency.trial_duration", l.TrialDuration)
	c.whole("latency.trials_per_load", "latency.trials_per_load", l.TrialsPerLoad)
	if l.ThroughputGoal == "" {
		return
	}
	for _, g := range p.Search.Goals {
		if strings.EqualFold(g.Name, l.ThroughputGoal) {
			return
		}
	}
	c.add("latency.throughput_goal", "search.goals", didYouMean(l.ThroughputGoal, goalNames(p.Search.Goals)), "%s is not a goal of this plan", shown(l.ThroughputGoal))
}

// distinct checks a list that may be empty.
func distinct[T comparable](c *checker, path string, list []T, check func(path string, entry T)) {
	first := map[T]int{}
	for i, entry := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		check(at, entry)
		if j, again := first[entry]; again {
			c.add(at, fmt.Sprintf("%s[%d]", path, j), "remove one of them", "%v is the same as %s[%d]", entry, path, j)
			continue
		}
		first[entry] = i
	}
}

// Trials is the number of latency trials of a cell.
func (l Latency) Trials() int {
	if !l.Enabled {
		return 0
	}
	return (len(l.Loads) + len(l.LoadsPPS)) * l.TrialsPerLoad
}
