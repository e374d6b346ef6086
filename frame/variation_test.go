package frame

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func (v *Variation) record(difference int64) {
	if v.Pairs() == 0 {
		v.MinNS, v.MaxNS = difference, difference
	}
	v.MinNS, v.MaxNS = min(v.MinNS, difference), max(v.MaxNS, difference)
	h, amount := &v.Rising, difference
	if difference < 0 {
		h, amount = &v.Falling, -difference
	}
	for i := range h {
		if uint64(amount) <= BucketUpToNS(i) {
			h[i]++
			return
		}
	}
}

// TestVariationQuantiles compares with the sorted differences themselves.
func TestVariationQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, shift := range []float64{0, -40_000, 40_000} {
		var v Variation
		var all []int64
		for range 5001 {
			d := int64(r.NormFloat64()*20_000 + shift)
			all = append(all, d)
			v.record(d)
		}
		slices.Sort(all)
		if v.Pairs() != 5001 || v.MinNS != all[0] || v.MaxNS != all[5000] {
			t.Errorf("%d pairs from %d to %d, want 5001 from %d to %d", v.Pairs(), v.MinNS, v.MaxNS, all[0], all[5000])
		}
		for _, q := range []float64{0, 0.1, 0.5, 0.9, 1} {
			want := all[max(0, int(q*5001+0.999999)-1)]
			got := v.QuantileNS(q)
			if off := float64(got - want); off > 0.032*max(1, abs(want))+1 || -off > 0.032*max(1, abs(want))+1 {
				t.Errorf("shift %.0f: quantile %g is %d, want %d", shift, q, got, want)
			}
		}
	}
}

func abs(v int64) float64 { return max(float64(v), -float64(v)) }

func TestVariationAdds(t *testing.T) {
	var a, b, none Variation
	for _, d := range []int64{-5, 3} {
		a.record(d)
	}
	for _, d := range []int64{10, 20, -7} {
		b.record(d)
	}
	sum := a
	sum.Add(&none)
	sum.Add(&b)
	if sum.Pairs() != 5 || sum.MinNS != -7 || sum.MaxNS != 20 || sum.QuantileNS(0.5) != 3 {
		t.Errorf("%d pairs from %d to %d, median %d", sum.Pairs(), sum.MinNS, sum.MaxNS, sum.QuantileNS(0.5))
	}
	none.Add(&b)
	if none.MinNS != -7 || none.MaxNS != 20 {
		t.Errorf("added to nothing: %d to %d, want -7 to 20", none.MinNS, none.MaxNS)
	}
	if got := sum.Absolute().QuantileNS(0.5); got != 7 {
		t.Errorf("median without sign %d, want 7", got)
	}
	var empty Variation
	if empty.QuantileNS(0.5) != 0 || empty.Pairs() != 0 {
		t.Error("nothing counted has a median")
	}
}
