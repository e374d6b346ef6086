package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// resamples is how often a bootstrap draws: the ends of a 95 % interval are then
// settled to a few hundredths of its width.
const resamples = 4000

// Median is the middle value, or the mean of the two in the middle; NaN of none.
func Median(values []float64) float64 {
	return medianOf(slices.Clone(values))
}

// medianOf is Median, and sorts its argument.
func medianOf(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	if n%2 == 1 {
		return values[n/2]
	}
	return (values[n/2-1] + values[n/2]) / 2
}

// MedianInterval is the bootstrap interval of the median: the median of as many values
// drawn from them with replacement lies in it with the given confidence, 0.95 for 95 %
// (percentile method: Efron and Tibshirani, An Introduction to the Bootstrap, 1993,
// section 13.3). Of a single value it is that value: one value tells nothing of others.
func MedianInterval(values []float64, confidence float64, seed int64) (low, high float64) {
	r := random(seed)
	drawn := make([]float64, len(values))
	medians := make([]float64, resamples)
	for i := range medians {
		for j := range drawn {
			drawn[j] = values[r.IntN(len(values))]
		}
		medians[i] = medianOf(drawn)
	}
	return middle(medians, confidence)
}

// middle is the interval that holds the share confidence of the values, and leaves out
// as many below as above. It sorts them.
func middle(values []float64, confidence float64) (low, high float64) {
	slices.Sort(values)
	return quantile(values, (1-confidence)/2), quantile(values, (1+confidence)/2)
}

// quantile is the smallest of the sorted values that has the share q of them at or below it.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[max(0, min(at, len(sorted)-1))]
}

// random is a source of its own for each seed.
func random(seed int64) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(seed), 0x6c696e6572617465))
}
