package search

import "math"

// class is what the trials at one load say about it, for one goal.
type class int

const (
	undecided class = iota
	lowerBound
	upperBound
)

// slackS absorbs the rounding of sums of durations.
const slackS = 1e-9

// sums are the trial seconds at one load by length and loss, as RFC 9971 sums them.
type sums struct {
	fullLow, fullHigh, shortLow, shortHigh float64
}

func (s *sums) add(g Goal, t Trial) {
	switch {
	case t.full(g) && t.high(g):
		s.fullHigh += t.DurationS
	case t.full(g):
		s.fullLow += t.DurationS
	case t.high(g):
		s.shortHigh += t.DurationS
	default:
		s.shortLow += t.DurationS
	}
}

// classify is the load classification of RFC 9971. Short low-loss
// trials cannot make a lower bound; they only balance short high-loss trials.
func (g Goal) classify(s sums) class {
	balance := s.shortLow * g.ExceedRatio / (1 - g.ExceedRatio)
	high := s.fullHigh + math.Max(0, s.shortHigh-balance)
	whole := math.Max(s.fullLow+high, g.DurationSumS)
	allowed := g.ExceedRatio*whole + slackS
	switch {
	case high > allowed:
		return upperBound
	case whole-s.fullLow <= allowed:
		return lowerBound
	}
	return undecided
}
