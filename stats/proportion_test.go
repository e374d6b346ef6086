package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestProportionByHand(t *testing.T) {
	// 10 of 100: centre (0.1+1.92073/100)/(1+3.84146/100), half-width 0.05956...
	p := ProportionOf([]int{5, 5}, []int{50, 50}, 0.95)
	near(t, "share", p.Share, 0.1, 1e-12)
	near(t, "low", p.Low, 0.05523, 1e-4)
	near(t, "high", p.High, 0.17437, 1e-4)
	near(t, "design effect", p.DesignEffect, 1, 1e-12)
	if p := ProportionOf([]int{0, 0}, []int{100, 100}, 0.95); p.Low != 0 || p.High < 0.01 || p.High > 0.02 {
		t.Errorf("none of 200: %+v", p)
	}
	if p := ProportionOf(nil, nil, 0.95); p.Low != 0 || p.High != 1 {
		t.Errorf("no sample: %+v", p)
	}
	// 0 and 20 of 100 each: square = 2*10^2/(100*0.09) = 22.2, by one degree of freedom.
	near(t, "design effect of two groups that differ", ProportionOf([]int{0, 20}, []int{100, 100}, 0.95).DesignEffect, 22.2222, 1e-3)
}

// TestProportionCovers draws samples that depend on each other within a group, and counts
// how often the interval holds the true share.
func TestProportionCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const truth, rounds, groups, each = 0.1, 2000, 20, 200
	for _, spread := range []float64{0, 0.03} {
		covered := 0
		for range rounds {
			hits, samples := make([]int, groups), make([]int, groups)
			for g := range groups {
				p := truth + spread*math.Sqrt(3)*(2*r.Float64()-1)
				for range each {
					samples[g]++
					if r.Float64() < p {
						hits[g]++
					}
				}
			}
			if p := ProportionOf(hits, samples, 0.95); p.Low <= truth && truth <= p.High {
				covered++
			}
		}
		if share := float64(covered) / rounds; share < 0.92 || share > 0.99 {
			t.Errorf("with a spread of %g between groups, 95 %% intervals cover the truth in %.1f %%", spread, 100*share)
		}
	}
}
