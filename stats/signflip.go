package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

const (
	// exactFlips is the most values whose signs are flipped in every way: a million.
	exactFlips = 20
	// drawnFlips is how many ways are drawn where there are more.
	drawnFlips = 100_000
	// equal is the relative difference below which two sums are one: they are added up in different orders.
	equal = 1e-9
)

// SignFlip is the two-sided p-value of the sign-flip test that the values lie around 0:
// the share of all ways to give each of them a sign that bring their sum at least as far
// from 0 as it is. Where a coin decided which half of a pair came first, and nothing
// differs between the halves, that coin was the sign: the test then holds for any noise,
// also one that drifts or depends on its past (Fisher, The Design of Experiments, 1935,
// section 21). Up to 20 values it is exact; for more, ways are drawn from the seed. The
// smallest p that n values can give is 2/2^n: 0.031 for six.
func SignFlip(values []float64, seed int64) float64 {
	var sum, scale float64
	for _, v := range values {
		sum += v
		scale += math.Abs(v)
	}
	least := math.Abs(sum) - equal*scale
	if len(values) <= exactFlips {
		return flipAll(values, least)
	}
	return flipSome(values, least, random(seed))
}

// LeastSignFlip is the smallest p-value that SignFlip can give for n values, however far
// from 0 they are.
func LeastSignFlip(n int) float64 {
	if n > exactFlips {
		return 1.0 / (drawnFlips + 1)
	}
	return math.Ldexp(1, 1-max(n, 1))
}

// FewestPairs is the least number of pairs with which one of so many sign-flip tests, all
// adjusted by Holm, can stay below alpha; 0 if no number can.
func FewestPairs(tests int, alpha float64) int {
	for n := 1; n <= exactFlips+1; n++ {
		if LeastSignFlip(n)*float64(tests) < alpha {
			return n
		}
	}
	return 0
}

// flipAll goes through all signs, changing one at a time (Gray's order).
func flipAll(values []float64, least float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	ways, extreme := 1<<len(values), 0
	for i := range ways {
		if math.Abs(sum) >= least {
			extreme++
		}
		next := bits.TrailingZeros(uint(i + 1))
		if next >= len(values) {
			continue
		}
		if gray := uint(i) ^ uint(i)>>1; gray&(1<<next) == 0 {
			sum -= 2 * values[next]
		} else {
			sum += 2 * values[next]
		}
	}
	return float64(extreme) / float64(ways)
}

// flipSome counts the signs as they are as one of those drawn, so that p is never 0.
func flipSome(values []float64, least float64, r *rand.Rand) float64 {
	extreme := 1
	for range drawnFlips {
		var sum float64
		for _, v := range values {
			if r.Uint64()&1 == 0 {
				v = -v
			}
			sum += v
		}
		if math.Abs(sum) >= least {
			extreme++
		}
	}
	return float64(extreme) / (drawnFlips + 1)
}
