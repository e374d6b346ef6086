package bench

import (
	"math"
	"testing"

	"github.com/linerate/linerate/plan"
)

// Every test takes time of its own, and leaving the search out saves its time.
func TestEstimateOfTests(t *testing.T) {
	seconds := func(set ...string) float64 {
		p := plan.Default()
		if err := p.Set(set); err != nil {
			t.Fatal(err)
		}
		e, err := EstimateOf(p)
		if err != nil {
			t.Fatal(err)
		}
		return e.TotalSeconds()
	}
	base := seconds()
	for _, more := range []string{"tests=throughput,frame-loss-rate", "tests=throughput,back-to-back", "tests=throughput,system-recovery", "capture.frames=10000", "cost.enabled=true"} {
		if got := seconds(more); got < base+4 {
			t.Errorf("%s: %.0f s, without it %.0f s", more, got, base)
		}
	}
	if got := seconds("tests=frame-loss-rate"); got >= base {
		t.Errorf("without the search: %.0f s, with it %.0f s", got, base)
	}
}

// TestOtherTestsOfASimulatedDevice: the truth of a queue before a hard capacity is known.
func TestOtherTestsOfASimulatedDevice(t *testing.T) {
	run, _, _, err := runPlan(t, t.Context(), "testbed=sim", "sim.preset=queue", "search.max_load_pps=3e6", "capture.frames=10",
		"tests=throughput,frame-loss-rate,back-to-back,system-recovery", "back_to_back.repeats=2", "back_to_back.idle=0s")
	if err != nil {
		t.Fatal(err)
	}
	c, sim := run.Cells[0], run.Sim
	for i, p := range c.FrameLossRate {
		want := math.Max(0, 1-(sim.CapacityPPS+float64(sim.QueueFrames))/p.LoadPPS)
		if math.Abs(p.LossRatio-want) > 1e-4 || math.Abs(p.LoadRatio-(1-0.1*float64(i))) > 1e-9 {
			t.Errorf("load %d: %+v, want a loss of %.4f", i, p, want)
		}
	}
	if n := len(c.FrameLossRate); n != 8 { // 100 % is 3 Mpps: 40 and 30 % are below the capacity of 1.23
		t.Errorf("%d loads: %+v", n, c.FrameLossRate)
	}
	b := c.BackToBack
	if b == nil || !b.Bounded || b.Repeats != 2 {
		t.Fatalf("%+v", b)
	}
	truth := float64(sim.QueueFrames) / (1 - sim.CapacityPPS/sim.MaxLoadPPS)
	if held := b.CorrectedBufferNS / 1e9 * b.BurstPPS; math.Abs(b.MeanFrames-truth) > 2 || math.Abs(held-float64(sim.QueueFrames)) > 8 {
		t.Errorf("bursts of %.1f, truth %.1f; a buffer of %.1f frames, truth %d", b.MeanFrames, truth, held, sim.QueueFrames)
	}
	if s := c.SystemRecovery; s == nil || s.MaxNS != 0 || s.Unrecovered != 0 || len(s.TimesNS) != 3 {
		t.Errorf("%+v", s)
	}
	if len(c.Captures) != 0 || len(c.Warnings) == 0 || c.Warnings[len(c.Warnings)-1].Code != "nothing-to-capture" {
		t.Errorf("captures %+v, warnings %+v", c.Captures, c.Warnings)
	}
}
