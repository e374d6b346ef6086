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

func TestSinkIsBlamed(t *testing.T) {
	goal := search.Goal{Name: "PDR", LossRatio: 0.005, Width: 0.005}
	bounds := search.Bounds{Goal: goal, LowerPPS: 1e6, UpperPPS: 1.004e6, HasLower: true, HasUpper: true}
	trial := func(unsent, lost uint64, dutCores, sinkBesideDUT, sinkBesideGenerator, idle float64) []result.Trial {
		return []result.Trial{{Purpose: result.ForSearch, IntendedLoadPPS: 1.004e6, Intended: 100_000, Unsent: unsent, Lost: lost, CPU: &result.CPU{
			DUTCoresBusy: dutCores, PerCore: []result.Core{{Role: "generator", Sink: sinkBesideGenerator}, {Role: "dut+sink", Sink: sinkBesideDUT, Idle: idle}}}}}
	}
	tests := []struct {
		name   string
		trials []result.Trial
		want   result.Verdict
	}{
		{"the sink takes less than the DUT", trial(0, 900, 0.55, 0.42, 0, 0), result.DUTBound},
		{"the sink takes more than the DUT", trial(0, 900, 0.2, 0.75, 0, 0), result.ReceiverBound},
		{"there is time left for both", trial(0, 900, 0.2, 0.3, 0, 0.5), result.DUTBound},
		{"the sink keeps the generator from sending", trial(900, 0, 0.1, 0, 0.9, 0.9), result.ReceiverBound},
		{"as much as it takes of an unpaced generator", trial(900, 0, 0.1, 0, 0.5, 0.9), result.GeneratorBound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, evidence := judge(result.Cell{CeilingPPS: 3e6}, bounds, tt.trials, 3e6); got != tt.want {
				t.Errorf("%s, %q; want %s", got, evidence, tt.want)
			}
		})
	}
}

func TestStayedDisturbed(t *testing.T) {
	bounds := search.Bounds{Goal: search.Goal{Name: "PDR", Width: 0.005}, LowerPPS: 1e6, UpperPPS: 1.004e6, HasLower: true, HasUpper: true}
	trial := func(load float64, codes ...string) result.Trial {
		r := result.Trial{Purpose: result.ForSearch, IntendedLoadPPS: load, Intended: 1000, Lost: 10}
		for _, c := range codes {
			r.Disturbances = append(r.Disturbances, result.Disturbance{Code: c, Text: "seen: " + c, Value: 0.3})
		}
		return r
	}
	discarded := trial(1e6, result.ForeignLoad)
	discarded.Discarded = "made again"
	tests := []struct {
		name   string
		trials []result.Trial
		want   bool
	}{
		{"sound", []result.Trial{trial(1e6), trial(1.004e6)}, false},
		{"half of them", []result.Trial{trial(1e6, result.ForeignLoad), trial(1.004e6)}, false},
		{"most of them", []result.Trial{trial(1e6, result.ForeignLoad), trial(1.004e6, result.Stolen), trial(1e6)}, true},
		{"at other loads", []result.Trial{trial(1e6), trial(2e6, result.ForeignLoad), trial(3e6, result.ForeignLoad)}, false},
		{"a short generator is a result", []result.Trial{trial(1.004e6, result.GeneratorShort), trial(1.004e6, result.GeneratorHeld)}, false},
		{"made again", []result.Trial{discarded, trial(1e6)}, false},
		{"short because of others", []result.Trial{trial(1.004e6, result.ForeignLoad, result.GeneratorShort)}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			verdict, evidence := judge(result.Cell{CeilingPPS: 3e6}, bounds, tt.trials, 3e6)
			if (verdict == result.Unstable) != tt.want {
				t.Errorf("%s, %q; want unstable: %v", verdict, evidence, tt.want)
			}
			if tt.want && !strings.Contains(evidence[0], "seen: ") {
				t.Errorf("the evidence %q does not name the disturbance", evidence[0])
			}
		})
	}
}
