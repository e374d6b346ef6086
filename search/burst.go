package search

import (
	"errors"
	"fmt"
	"math"
)

// BurstConfig says how the longest burst without loss is looked for.
type BurstConfig struct {
	// MaxFrames is the longest burst, and StepFrames the least distance of two.
	MaxFrames, StepFrames uint64
	// Repeats is N, the number of whole searches (RFC 9004 section 6.3).
	Repeats int
	// Verifications is how often a burst with loss is sent again before its loss is
	// believed: a search with loss verification (ETSI GS NFV-TST 009 clause 12.3,
	// which RFC 9004 section 6.2 recommends).
	Verifications int
}

// Burst asks for one burst at the generator's maximum rate, after idle time.
type Burst struct {
	Frames uint64
	Reason string
}

// BurstTrial is what became of a burst.
type BurstTrial struct{ Frames, Lost uint64 }

// firstBurst is where the search starts; it doubles until a burst loses frames.
const firstBurst = 16

// BackToBack is the back-to-back frame test of RFC 9004: the longest burst without
// loss, by doubling and then bisection, N times over.
type BackToBack struct {
	config  BurstConfig
	lengths []uint64
	// passed and failed are the longest burst without and the shortest with loss of
	// the search in progress; failed is 0 until one was found.
	passed, failed uint64
	// lossy is the burst whose loss is being verified, and tries how often it was sent.
	lossy uint64
	tries int
}

// NewBackToBack returns a search, or everything that is wrong with the configuration.
func NewBackToBack(c BurstConfig) (*BackToBack, error) {
	var errs []error
	if c.MaxFrames < 1 || c.StepFrames < 1 || c.StepFrames > c.MaxFrames {
		errs = append(errs, fmt.Errorf("back-to-back: bursts of at most %d frames in steps of %d: the step must be at least 1 and not above the longest burst", c.MaxFrames, c.StepFrames))
	}
	if c.Repeats < 1 {
		errs = append(errs, fmt.Errorf("back-to-back: %d repeats: at least 1 is needed", c.Repeats))
	}
	if c.Verifications < 0 {
		errs = append(errs, fmt.Errorf("back-to-back: %d verifications: must not be negative", c.Verifications))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &BackToBack{config: c}, nil
}

// Next returns the burst to send next; false when all repeats are done.
func (b *BackToBack) Next() (Burst, bool) {
	if len(b.lengths) >= b.config.Repeats {
		return Burst{}, false
	}
	at := fmt.Sprintf("back-to-back %d of %d", len(b.lengths)+1, b.config.Repeats)
	if b.lossy > 0 {
		return Burst{b.lossy, at + ": is the loss real?"}, true
	}
	return Burst{b.length(), at}, true
}

// length is the burst of the search in progress that comes next.
func (b *BackToBack) length() uint64 {
	if b.failed == 0 {
		return min(max(2*b.passed, min(firstBurst, b.config.MaxFrames)), b.config.MaxFrames)
	}
	return b.passed + max((b.failed-b.passed)/2, 1)
}

// Add takes in the burst that Next asked for.
func (b *BackToBack) Add(t BurstTrial) {
	switch {
	case t.Lost == 0:
		b.passed, b.lossy, b.tries = t.Frames, 0, 0
	case b.tries < b.config.Verifications:
		b.lossy, b.tries = t.Frames, b.tries+1
		return
	default:
		b.failed, b.lossy, b.tries = t.Frames, 0, 0
	}
	if b.passed >= b.config.MaxFrames || b.failed > 0 && b.failed-b.passed <= b.config.StepFrames {
		b.lengths = append(b.lengths, b.passed)
		b.passed, b.failed = 0, 0
	}
}

// Lengths are the longest bursts without loss of the searches that are done, in frames.
func (b *BackToBack) Lengths() []uint64 { return append([]uint64(nil), b.lengths...) }

// Bounded tells whether a longer burst than the result lost frames in every search:
// if not, the result is the longest burst that was tried, and a lower bound.
func (b *BackToBack) Bounded() bool {
	for _, n := range b.lengths {
		if n >= b.config.MaxFrames {
			return false
		}
	}
	return len(b.lengths) > 0
}

// Spread is the mean of some values with their extremes and standard deviation.
type Spread struct{ Mean, Min, Max, Sigma float64 }

// SpreadOf is that of at least one value; sigma is that of a sample, 0 for one value.
func SpreadOf[T ~uint64 | ~float64](values []T) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	s := Spread{Min: math.Inf(1), Max: math.Inf(-1)}
	for _, v := range values {
		s.Mean += float64(v)
		s.Min, s.Max = min(s.Min, float64(v)), max(s.Max, float64(v))
	}
	s.Mean /= float64(len(values))
	for _, v := range values {
		s.Sigma += (float64(v) - s.Mean) * (float64(v) - s.Mean)
	}
	s.Sigma = math.Sqrt(s.Sigma / math.Max(1, float64(len(values)-1)))
	return s
}

// BufferTimes are the times of RFC 9004 section 6.4, in seconds. Implied is the mean
// burst at the rate at which bursts arrive. Corrected leaves out what the DUT forwarded
// while the burst arrived, at its throughput: it is the time that the buffer itself
// holds at that rate. Rates are in frames per second.
func BufferTimes(meanFrames, burstPPS, throughputPPS float64) (impliedS, correctedS float64) {
	if !(burstPPS > 0) {
		return 0, 0
	}
	impliedS = meanFrames / burstPPS
	return impliedS, impliedS - impliedS*math.Min(throughputPPS/burstPPS, 1)
}
