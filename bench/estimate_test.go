package bench

import (
	"testing"

	"github.com/linerate/linerate/plan"
)

func estimate(t *testing.T, assignments ...string) Estimate {
	t.Helper()
	p := plan.Default()
	if err := p.Set(assignments); err != nil {
		t.Fatal(err)
	}
	e, err := EstimateOf(p)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEstimateFollowsThePlan(t *testing.T) {
	e := estimate(t)
	if s := e.TrialSeconds; s.LeastS < 5 || s.LeastS > s.MedianS || s.MedianS >= s.MostS || s.MostS > 24 {
		t.Errorf("trials take %+v s; want a range within max_trial_time of 24 s", s)
	}
	if e.WallSeconds.MedianS <= e.TrialSeconds.MedianS {
		t.Errorf("a cell takes %+v s and its trials alone %+v s", e.WallSeconds, e.TrialSeconds)
	}
	if again := estimate(t); again != e {
		t.Errorf("the same plan is estimated as %+v and as %+v", e, again)
	}
	compare := func(what string, less, more float64) {
		t.Helper()
		if less >= more {
			t.Errorf("%s: %.1f s is not below %.1f s", what, less, more)
		}
	}
	compare("one goal", estimate(t, "search.goals=PDR").TrialSeconds.MedianS, e.TrialSeconds.MedianS)
	compare("a wider width", estimate(t, "search.goals.NDR.width=5%", "search.goals.PDR.width=5%").TrialSeconds.MedianS, e.TrialSeconds.MedianS)
	compare("settling", e.WallSeconds.MedianS+5, estimate(t, "trial.settle=1s").WallSeconds.MedianS)
	compare("a second shape", e.BeforeSeconds, estimate(t, "traffic.flows=1,2").BeforeSeconds)
	compare("latency trials", e.WallSeconds.MedianS+4, estimate(t, "latency.enabled=true").WallSeconds.MedianS)
	compare("the tester's own latency", e.BeforeSeconds+6, estimate(t, "latency.enabled=true").BeforeSeconds)
	if two := estimate(t, "scenarios=route,snat"); two.BeforeSeconds != e.BeforeSeconds || two.Cells != 2 || two.TotalSeconds() != e.BeforeSeconds+2*e.WallSeconds.MeanS {
		t.Errorf("two scenarios share a calibration: %+v, one is %+v", two, e)
	}
	compare("a DUT instead of none", estimate(t, "scenarios=none").TotalSeconds()+3, estimate(t, "scenarios=route").TotalSeconds())
	compare("an engine that cannot be paced", estimate(t, "traffic.engine=testpmd").TotalSeconds(), e.TotalSeconds())
	still, failing := estimate(t, "scenarios=ecmp-static"), estimate(t, "scenarios=ecmp-static", "ecmp.fail_path=1", "ecmp.trial_duration=8s")
	compare("a path that fails", still.TotalSeconds()+8, failing.TotalSeconds())
	compare("sessions of BGP", still.TotalSeconds()+1, estimate(t, "scenarios=ecmp-bird").TotalSeconds())
	if short := estimate(t, "search.max_trial_time=5s"); short.TrialSeconds.MostS > 5 {
		t.Errorf("trials of %+v s, bounded by 5 s", short.TrialSeconds)
	}
	if s := estimate(t, "testbed=sim", "sim.preset=hard"); s.TotalSeconds() != 0 || s.TrialSeconds.LeastS != s.TrialSeconds.MostS || s.TrialSeconds.MostS == 0 {
		t.Errorf("a simulation of a device without noise: %+v", s)
	}
}

// The shipped plans promise their times even if each cell uses up its trial time.
func TestShippedPlansEndInTime(t *testing.T) {
	for _, tt := range []struct {
		name    string
		cells   int
		seconds float64
	}{{"baseline", 2, 90}, {"latency", 5, 180}, {"linux-router", 16, 600}, {"rfc2544", 14, 63 * 3600}, {"ecmp-kernel-frames", 6, 180}, {"ecmp-kernel", 3, 90}, {"bridge-route-dpdk", 30, 300}, {"every-way", 16, 420}, {"engines", 15, 180}} {
		p, err := plan.Load(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Search.Goals {
			p.Search.Goals[i].DurationSum *= 10 // far beyond the bound
		}
		e, err := EstimateOf(p)
		if err != nil {
			t.Fatal(err)
		}
		if e.Cells != tt.cells {
			t.Errorf("%s has %d cells, want %d", tt.name, e.Cells, tt.cells)
		}
		if got := e.MostSeconds(); got > tt.seconds {
			t.Errorf("%s takes up to %.0f s, promised are %.0f s", tt.name, got, tt.seconds)
		}
	}
}
