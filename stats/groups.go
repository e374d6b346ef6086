package stats

import (
	"math"
	"slices"
)

// exactSplits is the most ways to deal values out to two sides that are all gone through.
const exactSplits = 50_000

// LeastPerSide is the least number of values on each side with which Groups can find p
// below 0.05: with four there are 70 ways to deal them out, with three only 20.
const LeastPerSide = 4

// Groups compares two sides that were not measured in pairs, such as stored runs. The
// values are greater than 0, in any unit. The estimate is the ratio of the medians, with
// a bootstrap of each side; the test deals all values out to two sides anew (permutation
// of labels, the statistic is the difference of the means of the logarithms). The noise
// floor is what two sides of this size would differ by if only the scatter within A and
// within B were at work. A drift between the sides cannot be told from a change.
func Groups(a, b []float64, o Options) Comparison {
	la, lb := logs(a), logs(b)
	r := random(o.Seed)
	ma, mb := Median(la), Median(lb)
	within := append(around(la, ma), around(lb, mb)...)
	draw := func(from []float64, n int) float64 {
		drawn := make([]float64, n)
		for i := range drawn {
			drawn[i] = from[r.IntN(len(from))]
		}
		return medianOf(drawn)
	}
	differences, noise := make([]float64, resamples), make([]float64, resamples)
	for i := range differences {
		differences[i] = draw(lb, len(lb)) - draw(la, len(la))
		noise[i] = math.Abs(draw(within, len(lb)) - draw(within, len(la)))
	}
	low, high := middle(differences, o.Confidence)
	slices.Sort(noise)
	return judge(mb-ma, low, high, relabel(la, lb, o.Seed), quantile(noise, o.Confidence), min(len(a), len(b)), o)
}

func logs(values []float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = math.Log(v)
	}
	return list
}

// around are the values as seen from their median, stretched for the freedom that the
// median has taken from them.
func around(values []float64, median float64) []float64 {
	n := float64(len(values))
	stretch := 1.0
	if n > 1 {
		stretch = math.Sqrt(n / (n - 1))
	}
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = stretch * (v - median)
	}
	return list
}

// relabel is the two-sided p-value of the permutation of labels.
func relabel(a, b []float64, seed int64) float64 {
	all := append(slices.Clone(a), b...)
	var total, sumA, scale float64
	for i, v := range all {
		total += v
		scale += math.Abs(v)
		if i < len(a) {
			sumA += v
		}
	}
	na, nb := float64(len(a)), float64(len(b))
	difference := func(sumA float64) float64 { return math.Abs((total-sumA)/nb - sumA/na) }
	least := difference(sumA) - equal*scale
	extreme, ways := 0, 0
	count := func(sum float64) {
		ways++
		if difference(sum) >= least {
			extreme++
		}
	}
	if choices(len(all), len(a)) <= exactSplits {
		choose(all, len(a), 0, count)
		return float64(extreme) / float64(ways)
	}
	r := random(seed)
	count(sumA)
	for range drawnFlips {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		var sum float64
		for _, v := range all[:len(a)] {
			sum += v
		}
		count(sum)
	}
	return float64(extreme) / float64(ways)
}

// choose tells the sums of all ways to take n of the values.
func choose(values []float64, n int, sum float64, tell func(float64)) {
	if n == 0 {
		tell(sum)
		return
	}
	for i := 0; i+n <= len(values); i++ {
		choose(values[i+1:], n-1, sum+values[i], tell)
	}
}

// choices is the number of ways to take k of n.
func choices(n, k int) float64 {
	ways := 1.0
	for i := range k {
		ways *= float64(n-i) / float64(i+1)
	}
	return math.Round(ways)
}
