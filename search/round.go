package search

import "math"

// grain is the number of load steps per packet per second near a load: 1, or a
// power of ten where a whole packet per second is too coarse for the width.
func grain(pps, width float64) float64 {
	step := pps * width / 10
	if step >= 0.5 || !(step > 0) {
		return 1
	}
	return math.Pow10(int(math.Ceil(-math.Log10(2 * step))))
}

// roundDown and roundUp make loads reproducible and readable.
func roundDown(pps, width float64) float64 {
	n := grain(pps, width)
	return math.Floor(pps*n) / n
}

func roundUp(pps, width float64) float64 {
	n := grain(pps, width)
	return math.Ceil(pps*n) / n
}

// above is the largest load that is an upper bound within the width of lower.
func above(lower, width float64) float64 {
	return roundDown(lower/(1-width), width)
}

// below is the smallest load that is a lower bound within the width of upper.
func below(upper, width float64) float64 {
	return roundUp(upper*(1-width), width)
}

// narrow says whether two bounds are within the width, apart from rounding.
func narrow(lower, upper, width float64) bool {
	return (upper-lower)/upper <= width*(1+1e-9)
}
