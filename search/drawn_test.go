package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// namedPPS are capacities besides that of the presets.
var namedPPS = []float64{0.77e6, 1.9e6, 3.3e6}

// drawnSeed fixes the capacities of TestDrawnCapacities and the chance of its devices. No
// constant of the search was chosen by them, and none may be.
const drawnSeed = 20260811

// capacities are n factors from 0.4 to 4, spread evenly on a logarithmic axis.
func capacities(n int) []float64 {
	r := rand.New(rand.NewPCG(drawnSeed, 1))
	list := make([]float64, n)
	for i := range list {
		list[i] = 0.4 * math.Pow(10, r.Float64())
	}
	return list
}

// withCapacity is the same device with another capacity; the slow one stays slow, above
// the least load that is searched.
func (d simDUT) withCapacity(factor float64) simDUT {
	if d.CapacityPPS < simCapacityPPS {
		factor *= 2.5
	}
	d.CapacityPPS = math.Round(d.CapacityPPS * factor)
	return d
}

// ours searches samples as linerate does.
func ours(t *testing.T, samples []sample) (o outcome) {
	t.Helper()
	for _, s := range samples {
		search := newDefault(t)
		s.run(search, s.seed)
		b := search.Bounds()
		o.seconds = append(o.seconds, b[0].TrialSeconds)
		o.trials = append(o.trials, float64(b[0].Trials))
		o.ndr = append(o.ndr, 100*(b[0].LowerPPS/s.truth(b[0].Goal.LossRatio, 1)-1))
		o.pdr = append(o.pdr, 100*(b[1].LowerPPS/s.truth(b[1].Goal.LossRatio, 1)-1))
	}
	return o
}

// TestDrawnCapacities searches devices like the presets with other capacities, so that
// what a constant or a grid of loads gains on one truth by luck does not count.
func TestDrawnCapacities(t *testing.T) {
	n, named := 20, []float64{}
	var p *reference
	if *rowsFile != "" {
		n, named = 50, namedPPS
		if missing := missingReference(); missing != nil {
			t.Logf("the reference needs the PyPI package MLRsearch: %v", missing)
		} else {
			p = newReference(t)
			defer p.end(t)
		}
	}
	for _, d := range simDUTs() {
		var drawn []sample
		for i, factor := range capacities(n) {
			drawn = append(drawn, sample{d.withCapacity(factor), drawnSeed + uint64(i)})
		}
		groups := [][]sample{drawn}
		names := []string{"drawn"}
		for _, pps := range named {
			factor := pps / simCapacityPPS
			other := d.withCapacity(factor)
			list := seeded(other, n)
			for i := range list {
				list[i].seed += drawnSeed + 1000
			}
			groups, names = append(groups, list), append(names, fmt.Sprintf("%.0f pps", other.CapacityPPS))
		}
		for i, samples := range groups {
			o := ours(t, samples)
			put := func(o outcome, search string) {
				r := o.row(d, search)
				r.Capacity = names[i]
				t.Log(r)
				writeRow(t, r)
			}
			put(o, ourSearch)
			if p != nil {
				put(p.searchWith(t, samples, 5, simDUT.usualGrid), reference5)
				put(p.searchWith(t, samples, 21, simDUT.usualGrid), reference21)
			}
			if i > 0 {
				continue
			}
			// A grid of loads a width apart would cost half a width on average.
			limit := searchLimits(d)
			if got := o.seconds.median(); got > limit.medianSeconds+2 {
				t.Errorf("%s: %.2f trial seconds in the median, want at most %.2f", d.name, got, limit.medianSeconds+2)
			}
			if got := o.pdr.median(); math.Abs(got) > 0.25 {
				t.Errorf("%s: the error of PDR is %.2f %% in the median, want at most 0.25 %%", d.name, got)
			}
			if got := o.ndr.median(); d.BackgroundLoss == 0 && math.Abs(got) > 0.25 {
				t.Errorf("%s: the error of NDR is %.2f %% in the median, want at most 0.25 %%", d.name, got)
			}
		}
	}
}
