package stats

import (
	"math"
	"slices"
)

// NoiseFloor is how far from 0 the median of n pairs lies with the given confidence when
// nothing differs between their halves: aa are the log ratios of such pairs. Which half
// of them came first means nothing, so each is drawn with either sign. It is a log ratio,
// and 0 of no pairs.
func NoiseFloor(aa []float64, n int, confidence float64, seed int64) float64 {
	if len(aa) == 0 || n == 0 {
		return 0
	}
	r := random(seed)
	drawn := make([]float64, n)
	medians := make([]float64, resamples)
	for i := range medians {
		for j := range drawn {
			drawn[j] = aa[r.IntN(len(aa))]
			if r.Uint64()&1 == 0 {
				drawn[j] = -drawn[j]
			}
		}
		medians[i] = math.Abs(medianOf(drawn))
	}
	slices.Sort(medians)
	return quantile(medians, confidence)
}
