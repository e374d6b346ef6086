package search

import (
	"errors"
	"fmt"
	"math"
)

// SweepConfig says which loads a loss sweep visits.
type SweepConfig struct {
	// MaxLoadPPS is 100 % of the load, per direction.
	MaxLoadPPS float64
	// StepRatio is the distance of two loads as a share of MaxLoadPPS: 0.1 at most (RFC 2544 section 26.3).
	StepRatio float64
	// TrialDurationS is the duration of each trial.
	TrialDurationS float64
}

// LossPoint is the loss at one load.
type LossPoint struct {
	LoadPPS float64
	// LoadRatio is the load as a share of the maximum load.
	LoadRatio float64
	LossRatio float64
}

// LossSweep is the frame loss rate test of RFC 2544 section 26.3: from the maximum
// load down in equal steps, until two trials in a row lose nothing.
type LossSweep struct {
	config SweepConfig
	points []LossPoint
}

// NewLossSweep returns a sweep, or everything that is wrong with the configuration.
func NewLossSweep(c SweepConfig) (*LossSweep, error) {
	var errs []error
	if !(c.MaxLoadPPS > 0) {
		errs = append(errs, fmt.Errorf("loss sweep: maximum load is %g pps: must be above 0", c.MaxLoadPPS))
	}
	if !(c.StepRatio > 0 && c.StepRatio <= 0.1) {
		errs = append(errs, fmt.Errorf("loss sweep: step is %g of the maximum load: must be above 0 and at most 0.1", c.StepRatio))
	}
	if !(c.TrialDurationS > 0) {
		errs = append(errs, fmt.Errorf("loss sweep: trial duration is %g s: must be above 0", c.TrialDurationS))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &LossSweep{config: c}, nil
}

// ratio is the share of the maximum load of the i-th point.
func (s *LossSweep) ratio(i int) float64 {
	return math.Round((1-float64(i)*s.config.StepRatio)*1e9) / 1e9 // 0.3, not 0.30000000000000004
}

// Next returns the trial to make next; false after two trials without loss, or when
// the next load would be nothing.
func (s *LossSweep) Next() (Load, bool) {
	ratio := s.ratio(len(s.points))
	if s.Complete() || ratio < s.config.StepRatio/2 {
		return Load{}, false
	}
	return Load{PPS: ratio * s.config.MaxLoadPPS, DurationS: s.config.TrialDurationS, Reason: fmt.Sprintf("frame loss rate at %.3g %% of the maximum load", 100*ratio)}, true
}

// Add takes in the trial that Next asked for. Its loss ratio is that of the frames
// that were offered: (sent - received) / sent.
func (s *LossSweep) Add(t Trial) {
	t = t.cleaned()
	s.points = append(s.points, LossPoint{LoadPPS: t.LoadPPS, LoadRatio: s.ratio(len(s.points)), LossRatio: t.LossRatio})
}

// Points are the loads so far, falling, with their loss.
func (s *LossSweep) Points() []LossPoint { return append([]LossPoint(nil), s.points...) }

// Complete tells whether the sweep ended with two trials without loss.
func (s *LossSweep) Complete() bool {
	n := len(s.points)
	return n >= 2 && s.points[n-1].LossRatio == 0 && s.points[n-2].LossRatio == 0
}
