package stats

import "math"

// Verdict says what a comparison has shown.
type Verdict string

// The values of Verdict.
const (
	// Changed: the difference is no chance, and larger than what counts as none.
	Changed Verdict = "changed"
	// Equivalent: whatever the difference is, it is smaller than what counts as one.
	Equivalent Verdict = "equivalent"
	// Inconclusive: too few or too noisy values to tell.
	Inconclusive Verdict = "inconclusive"
)

// Options are how strictly a comparison is judged.
type Options struct {
	// Alpha is the greatest chance of calling a change what is none: 0.05.
	Alpha float64
	// Confidence of the intervals and of the noise floor: 0.95.
	Confidence float64
	// LeastChange is the change that matters at least, as a share: 0.01 for 1 %.
	LeastChange float64
	// Seed of all that is drawn at random.
	Seed int64
}

// Comparison is what values of A and B say about the ratio B/A.
type Comparison struct {
	// EstimateRatio is the estimate of B/A, and LowRatio and HighRatio the ends of its interval.
	EstimateRatio, LowRatio, HighRatio float64
	// P is the p-value of no difference at all.
	P float64
	// NoiseFloor is the share by which two measurements of one thing would differ: 0.02 for 2 %.
	NoiseFloor float64
	// Margin is the greater of the least change that matters and the noise floor, as a share.
	Margin  float64
	Verdict Verdict
	// Needed is the number of pairs, or of values on each side, with which the verdict
	// would probably not be inconclusive; 0 if it is not, or if no number up to 1000 would do.
	Needed int

	count int
	alpha float64
	least float64
}

// mostNeeded is the largest number of pairs that is still worth naming.
const mostNeeded = 1000

// Pairs compares by adjacent pairs: logRatios are log(B/A) of each, aa the log ratios of
// pairs with A in both halves, which give the noise floor.
func Pairs(logRatios, aa []float64, o Options) Comparison {
	low, high := MedianInterval(logRatios, o.Confidence, o.Seed)
	return judge(Median(logRatios), low, high, SignFlip(logRatios, o.Seed),
		NoiseFloor(aa, len(logRatios), o.Confidence, o.Seed), len(logRatios), o)
}

func judge(estimate, low, high, p, floor float64, count int, o Options) Comparison {
	c := Comparison{
		EstimateRatio: math.Exp(estimate), LowRatio: math.Exp(low), HighRatio: math.Exp(high),
		P: p, NoiseFloor: math.Expm1(floor), count: count, alpha: o.Alpha, least: o.LeastChange,
	}
	c.Margin = max(c.least, c.NoiseFloor)
	return c.At(p)
}

// At is the comparison judged with another p-value: one that Holm has adjusted.
func (c Comparison) At(p float64) Comparison {
	band := math.Log1p(c.Margin)
	low, high := math.Log(c.LowRatio), math.Log(c.HighRatio)
	c.P, c.Needed = p, 0
	switch {
	case p < c.alpha && (low > band || high < -band):
		c.Verdict = Changed
	case low >= -band && high <= band:
		c.Verdict = Equivalent
	default:
		c.Verdict = Inconclusive
		c.Needed = c.needed()
	}
	return c
}

// needed supposes that interval and noise floor shrink with the root of the number, as
// they do for independent noise, and that the estimate stays.
func (c Comparison) needed() int {
	estimate := math.Abs(math.Log(c.EstimateRatio))
	half := (math.Log(c.HighRatio) - math.Log(c.LowRatio)) / 2
	for n := c.count + 1; n <= mostNeeded; n++ {
		shrunk := math.Sqrt(float64(c.count) / float64(n))
		band := math.Log1p(max(c.least, c.NoiseFloor*shrunk))
		if math.Abs(estimate-band) > half*shrunk {
			return n
		}
	}
	return 0
}
