package report

import (
	"math"
	"strconv"
)

// niceTicks are the multiples of 1, 2 or 5 times a power of ten from 0 up to top, about count of them.
func niceTicks(top float64, count int) []float64 {
	if top <= 0 || math.IsInf(top, 0) || math.IsNaN(top) {
		return []float64{0}
	}
	raw := top / float64(count)
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw {
			step = m * power
			break
		}
	}
	var ticks []float64
	for i := 0; float64(i)*step <= top*1.0001; i++ {
		ticks = append(ticks, float64(i)*step)
	}
	return ticks
}

// ticksBetween are the nice ticks from a value that need not be 0.
func ticksBetween(from, to float64, count int) []float64 {
	steps := niceTicks(to-from, count)
	if len(steps) < 2 {
		return steps
	}
	step := steps[1]
	var ticks []float64
	for i := max(0, math.Ceil(from/step-1e-9)); i*step <= to*1.0001; i++ {
		ticks = append(ticks, i*step)
	}
	return ticks
}

// tickLabel prints a tick without the noise of its floating point.
func tickLabel(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// lossScale maps a loss ratio to a height: zero has a line of its own, and above
// it every decade up to 1 has the same height.
type lossScale struct {
	// zero, floor and top are the y of no loss, of the smallest decade and of a loss ratio of 1.
	zero, floor, top float64
	// decades is the exponent of the smallest decade, negative.
	decades int
}

// newLossScale fits the smallest of the ratios that is not zero.
func newLossScale(zero, floor, top float64, ratios []float64) lossScale {
	least := 1e-3
	for _, r := range ratios {
		if r > 0 && r < least {
			least = r
		}
	}
	return lossScale{zero, floor, top, max(-9, int(math.Floor(math.Log10(least)+1e-9)))}
}

func (s lossScale) y(ratio float64) float64 {
	if ratio <= 0 {
		return s.zero
	}
	share := 1 - math.Log10(min(ratio, 1))/float64(s.decades)
	return s.floor + (s.top-s.floor)*max(0, share)
}

// logScale maps a positive value to 0..100 between two others.
type logScale struct{ from, to float64 }

func (s logScale) percent(v float64) float64 {
	if s.to <= s.from || v <= 0 {
		return 0
	}
	return 100 * min(1, max(0, math.Log(v/s.from)/math.Log(s.to/s.from)))
}
