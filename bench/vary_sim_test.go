package bench

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

func TestABOfSimulatedDevices(t *testing.T) {
	for _, tt := range []struct {
		name, b, verdict string
		ratio, within    float64
		set              []string
	}{
		{"five percent more", "sim.capacity_pps=1050000", "changed", 1.05, 0.01, nil},
		{"the same", "sim.capacity_pps=1000000", "equivalent", 1, 0.01, nil},
		{"five percent more, by search", "sim.capacity_pps=1050000", "changed", 1.05, 0.015, []string{"repeated.figure=throughput"}},
		{"two cells", "sim.capacity_pps=900000", "changed", 0.9, 0.015, []string{"traffic.flows=1,100"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run, _, _ := simulate(t, append(tt.set, "sim.preset=jitter", "ab.a=sim.capacity_pps=1000000", "ab.b="+tt.b)...)
			for _, c := range run.Comparison.Cells {
				t.Logf("B/A %.4f (%.4f to %.4f), p %.4f, floor %.2f %%: %s", c.EstimateRatio, c.IntervalLowRatio, c.IntervalHighRatio, c.PValue, 100*c.NoiseFloorRatio, c.Verdict)
				if c.Verdict != tt.verdict || math.Abs(c.EstimateRatio/tt.ratio-1) > tt.within || len(c.Pairs) != 10 || len(c.AAPairs) != 6 {
					t.Errorf("want %s at %.2f", tt.verdict, tt.ratio)
				}
				first := c.Pairs[0].APPS
				same := 0
				for _, p := range c.Pairs {
					if p.APPS == first {
						same++
					}
				}
				if same == len(c.Pairs) {
					t.Error("every pair has the same figure: the device has no noise of its own in each half")
				}
			}
			if run.Outcome != result.Measured || len(run.Cells) != 2*len(run.Comparison.Cells) {
				t.Errorf("outcome %s, %d cells", run.Outcome, len(run.Cells))
			}
		})
	}
}

// stopAfter interrupts a run after so many measurements.
type stopAfter struct {
	listener
	left   int
	cancel context.CancelFunc
}

func (s *stopAfter) CellStarted(int, int, plan.Cell) {
	if s.left--; s.left == 0 {
		s.cancel()
	}
}

func TestInterruptedABKeepsItsPairs(t *testing.T) {
	p := plan.Default()
	if err := p.Set([]string{"testbed=sim", "ab.b=sim.capacity_pps=900000"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := filepath.Join(t.TempDir(), "run")
	if _, err := Run(ctx, Options{Plan: p, Out: out, JournalDir: t.TempDir(), Events: &stopAfter{listener{t: t}, 14, cancel}}); err == nil {
		t.Fatal("the run was not interrupted")
	}
	run, _, err := result.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	c := run.Comparison.Cells
	if run.Outcome != result.Interrupted || len(c) != 1 || len(c[0].Pairs)+len(c[0].AAPairs) != 5 {
		t.Fatalf("outcome %s, comparison %+v", run.Outcome, run.Comparison)
	}
	if c[0].Verdict != "" {
		t.Errorf("an unfinished comparison has the verdict %s", c[0].Verdict)
	}
}

func TestSweepOfASimulatedDevice(t *testing.T) {
	run, _, _ := simulate(t, "sim.preset=jitter", "sweep.field=sim.capacity_pps", "sweep.values=400000,800000,1000000,1002000")
	c := run.Sweep.Curves[0]
	t.Logf("%+v", c)
	if c.EnoughValue != "1000000" || c.Flat {
		t.Errorf("enough at %s, best %s", c.EnoughValue, c.BestValue)
	}
	for i, want := range []float64{400_000, 800_000, 1_000_000, 1_002_000} {
		if p := c.Points[i]; math.Abs(p.EstimatePPS/want-1) > 0.02 || len(p.PPS) != 3 {
			t.Errorf("%s: %+v", p.Value, p)
		}
	}
	if len(run.Cells) != 4 {
		t.Errorf("%d cells", len(run.Cells))
	}
}

// TestSweepWithAValueThatHasNoFigure: a device that loses a tenth of all frames passes no
// load. That value says so, is not searched again in every repeat, and the others are measured.
func TestSweepWithAValueThatHasNoFigure(t *testing.T) {
	run, trials, _ := simulate(t, "sim.preset=jitter", "search.goals=PDR", "sweep.field=sim.background_loss", "sweep.values=0.00001,0.1,0.00002")
	points := run.Sweep.Curves[0].Points
	if p := points[1]; !strings.Contains(p.Skipped, "no load was found to pass PDR in 3 searches") || p.EstimatePPS != 0 || p.IntervalHighPPS != 0 {
		t.Errorf("the value without a figure: %+v", p)
	}
	for _, p := range []result.CurvePoint{points[0], points[2]} {
		if p.Skipped != "" || len(p.PPS) != run.Sweep.RepeatsPlanned || p.IntervalHighPPS <= 0 {
			t.Errorf("the value %s: %+v", p.Value, p)
		}
	}
	if c := run.Sweep.Curves[0]; c.EnoughValue == "" || c.EnoughValue == "0.1" || c.BestValue == "0.1" {
		t.Errorf("enough at %q, best %q", c.EnoughValue, c.BestValue)
	}
	searched := 0
	for _, trial := range trials {
		if trial.Cell == points[1].Cell && trial.Purpose == result.ForWarmUp {
			searched++
		}
	}
	if searched != searchAttempts {
		t.Errorf("the value without a figure was searched %d times, want %d", searched, searchAttempts)
	}
}
