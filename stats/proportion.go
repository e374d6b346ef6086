package stats

import "math"

// Proportion is a share that was found by sampling.
type Proportion struct {
	// Share, and the ends of its interval, are 0 to 1.
	Share, Low, High float64
	// DesignEffect is by how much the samples scatter more from group to group than
	// independent ones would; at least 1.
	DesignEffect float64
}

// ProportionOf is the share of hits among samples that were taken in groups one after
// another: Wilson's score interval (JASA 22, 1927, p. 209) for as many samples as they are
// worth, which is their number divided by the design effect (Kish, Survey Sampling, 1965,
// section 8.2): samples of one group may have more in common than those of two.
func ProportionOf(hits, samples []int, confidence float64) Proportion {
	k, n := 0.0, 0.0
	for i := range samples {
		k, n = k+float64(hits[i]), n+float64(samples[i])
	}
	if n == 0 {
		return Proportion{High: 1, DesignEffect: 1}
	}
	p := Proportion{Share: k / n, DesignEffect: 1}
	if v := p.Share * (1 - p.Share); v > 0 {
		square, groups := 0.0, 0.0
		for i := range samples {
			if m := float64(samples[i]); m > 0 {
				d := float64(hits[i]) - p.Share*m
				square, groups = square+d*d/(m*v), groups+1
			}
		}
		if groups > 1 {
			p.DesignEffect = max(1, square/(groups-1))
		}
	}
	z := math.Sqrt2 * math.Erfinv(confidence)
	worth := n / p.DesignEffect
	centre := (p.Share + z*z/(2*worth)) / (1 + z*z/worth)
	half := z / (1 + z*z/worth) * math.Sqrt(p.Share*(1-p.Share)/worth+z*z/(4*worth*worth))
	p.Low, p.High = max(0, centre-half), min(1, centre+half)
	if k == 0 {
		p.Low = 0
	}
	if k == n {
		p.High = 1
	}
	return p
}
