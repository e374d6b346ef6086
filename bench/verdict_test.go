package bench

import (
	"strings"
	"testing"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
)

func TestJudge(t *testing.T) {
	pdr := search.Goal{Name: "PDR", LossRatio: 0.005, Width: 0.005}
	bounds := func(lower, upper float64) []search.Bounds {
		return []search.Bounds{{Goal: pdr, LowerPPS: lower, UpperPPS: upper, HasLower: lower > 0, HasUpper: upper > 0}}
	}
	at := func(load float64, unsent, lost, tester uint64) []result.Trial {
		return []result.Trial{{Purpose: result.ForSearch, IntendedLoadPPS: load, Intended: 100_000, Unsent: unsent, Lost: lost, TesterDrops: tester,
			CPU: &result.CPU{DUTCoresBusy: 0.98, PerCore: []result.Core{{Role: "dut", Idle: 0.01}}}}}
	}
	least := bounds(0, 2e3)
	least[0].Done, least[0].Reason = true, "the minimum load is an upper bound"
	outOfTime := bounds(0, 2e3)
	outOfTime[0].Done, outOfTime[0].Reason = true, "trial time budget of 20 s used up"
	background := 1e-3
	tests := []struct {
		name     string
		cell     result.Cell
		bounds   []search.Bounds
		trials   []result.Trial
		max      float64
		want     result.Verdict
		evidence string
	}{
		{"the DUT loses", result.Cell{CeilingPPS: 3e6}, bounds(1e6, 1.004e6), at(1.004e6, 10, 900, 0), 3e6, result.DUTBound, "saturated"},
		{"the generator is short", result.Cell{CeilingPPS: 3e6}, bounds(1e6, 1.004e6), at(1.004e6, 900, 10, 0), 3e6, result.GeneratorBound, "could not offer"},
		{"the sink refuses", result.Cell{CeilingPPS: 3e6}, bounds(1e6, 1.004e6), at(1.004e6, 0, 900, 800), 3e6, result.ReceiverBound, "refused 800"},
		{"the ceiling passes", result.Cell{CeilingPPS: 3e6}, bounds(3e6, 0), nil, 3e6, result.GeneratorBound, "may carry more"},
		{"the plan's maximum passes", result.Cell{CeilingPPS: 3e6}, bounds(1e6, 0), nil, 1e6, result.GeneratorBound, "max_load_pps"},
		{"broken off below", result.Cell{CeilingPPS: 3e6}, bounds(1e6, 0), nil, 3e6, result.Unstable, "not reached"},
		{"bounds far apart", result.Cell{CeilingPPS: 3e6}, bounds(5e5, 1e6), at(1e6, 0, 900, 0), 3e6, result.Unstable, "50.0 % apart"},
		{"background loss", result.Cell{BackgroundLossRatio: &background}, bounds(0, 1e3), nil, 3e6, result.Undefined, "every load"},
		{"nothing passes", result.Cell{}, least, at(2e3, 0, 900, 0), 3e6, result.Undefined, "2000 pps"},
		{"the time is over before anything passes", result.Cell{}, outOfTime, at(2e3, 0, 900, 0), 3e6, result.Unstable, "budget"},
		{"no DUT", result.Cell{Scenario: "none", CeilingPPS: 3e6}, bounds(1e6, 1.004e6), at(1.004e6, 10, 900, 0), 3e6, result.ReceiverBound, "there is no DUT"},
		{"a discarded trial is no evidence", result.Cell{CeilingPPS: 3e6}, bounds(1e6, 1.004e6),
			append(at(1.004e6, 10, 900, 0), func() result.Trial { d := at(1.004e6, 90_000, 0, 0)[0]; d.Discarded = "held up"; return d }()), 3e6, result.DUTBound, "900 frames"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, evidence := judge(tt.cell, tt.bounds[0], tt.trials, tt.max)
			if got != tt.want || !strings.Contains(strings.Join(evidence, "; "), tt.evidence) {
				t.Errorf("%s, %q; want %s with %q", got, evidence, tt.want, tt.evidence)
			}
		})
	}
}
