package search

import (
	"math"
	"strings"
	"testing"

	"github.com/linerate/linerate/testbed/sim"
)

func TestBackgroundLoss(t *testing.T) {
	for _, ratio := range []float64{1e-5, 1e-4, 1e-3} {
		d := dutOf("background", sim.Model{CapacityPPS: simCapacityPPS, BackgroundLoss: ratio})
		for seed := range uint64(10) {
			s := newSearch(t, "mlr", config(simMaxLoadPPS)).(*MLR)
			d.run(s, seed)
			ndr, pdr, found := s.Bounds()[0], s.Bounds()[1], s.Background()
			if !found.Found || math.Abs(math.Log(found.LossRatio/ratio)) > math.Log(1.6) {
				t.Errorf("p = %g, seed %d: background %+v", ratio, seed, found)
				continue
			}
			if !ndr.Done || ndr.Regular || !strings.HasPrefix(ndr.Reason, "background loss p = ") || !strings.HasSuffix(ndr.Reason, "; NDR undefined") {
				t.Errorf("p = %g, seed %d: NDR %+v, want it undefined", ratio, seed, ndr)
			}
			truth := simCapacityPPS * (1 - ratio) / (1 - 0.005)
			if !pdr.Regular || pdr.Reason != "" || math.Abs(pdr.LowerPPS/truth-1) > 0.006 {
				t.Errorf("p = %g, seed %d: PDR %+v, want a regular result about %g pps", ratio, seed, pdr, truth)
			}
		}
	}
}

func TestBackgroundLossAboveEveryGoal(t *testing.T) {
	d := dutOf("background", sim.Model{CapacityPPS: simCapacityPPS, BackgroundLoss: 0.02})
	s := newSearch(t, "mlr", config(simMaxLoadPPS)).(*MLR)
	d.run(s, 1)
	for _, b := range s.Bounds() {
		if !b.Done || b.Regular || !strings.Contains(b.Reason, "2.0e-02") {
			t.Errorf("%+v, want background loss p = 2.0e-02", b)
		}
		if b.TrialSeconds > 20 {
			t.Errorf("%g s to find a background loss of 2 %%, want at most 20", b.TrialSeconds)
		}
	}
}

func TestNoBackgroundLoss(t *testing.T) {
	for _, d := range []simDUT{
		dutOf("slow", sim.Model{CapacityPPS: 2000}),
		dutOf("very slow", sim.Model{CapacityPPS: 1100}),
		dutOf("slow with glitches", sim.Model{CapacityPPS: 2000, GlitchProbability: 0.1, GlitchLoss: 0.01}),
		dutOf("glitches", sim.Model{CapacityPPS: simCapacityPPS, GlitchProbability: 0.1, GlitchLoss: 0.003}),
		dutOf("wide knee", sim.Model{CapacityPPS: simCapacityPPS, Knee: 0.03, Drawn: true}),
	} {
		for seed := range uint64(20) {
			s := newSearch(t, "mlr", config(simMaxLoadPPS)).(*MLR)
			d.run(s, seed)
			if found := s.Background(); found.Found {
				t.Errorf("%s, seed %d: background %+v, there is none", d.name, seed, found)
			}
		}
	}
}

func TestContradicts(t *testing.T) {
	for _, c := range []struct {
		count, mean float64
		want        bool
	}{
		{0, 3, false}, // probability 0.05
		{0, 5, true},  // 0.007
		{3, 3, false},
		{8, 3, false}, // 0.012 that it is as many or more
		{11, 3, true}, // 0.0003
		{1, 0, true},
		{0, 0, false},
		{1000, 1000, false},
		{1200, 1000, false}, // bursts
		{1500, 1000, true},
		{500, 1000, true},
	} {
		if got := contradicts(c.count, c.mean); got != c.want {
			t.Errorf("contradicts(%g, %g) = %v, want %v", c.count, c.mean, got, c.want)
		}
	}
}
