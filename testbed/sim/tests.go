package sim

import (
	"context"
	"math"
	"time"

	"github.com/linerate/linerate/result"
)

// MeasureBurst sends a burst of frames per direction as fast as the tester can.
func (s *Station) MeasureBurst(ctx context.Context, frames uint64) (result.Trial, error) {
	// Rounded up, so that the burst has all of its frames.
	d := time.Duration(math.Ceil(float64(frames) / s.model.MaxLoadPPS * 1e9))
	t, err := s.begin(ctx, 0, d)
	if err != nil {
		return t, err
	}
	s.offer(&t, 0, d)
	s.pass(t, d)
	return t, nil
}

// MeasureStep offers one load and then another. What waits in the device at the step
// is forwarded, and where the second load loses frames it does so to the end.
func (s *Station) MeasureStep(ctx context.Context, loadPPS float64, d time.Duration, thenPPS float64, rest time.Duration) (result.Trial, error) {
	t, err := s.begin(ctx, loadPPS, d+rest)
	if err != nil {
		return t, err
	}
	t.Step = &result.LoadStep{AfterS: d.Seconds(), LoadPPS: thenPPS, AtNS: uint64(s.testbed.Elapsed() + d)}
	s.offer(&t, loadPPS, d)
	if lost := s.offer(&t, thenPPS, rest); lost > 0 {
		t.Step.LossToTheEnd, t.Step.LastLossNS = true, float64(rest)
	}
	s.pass(t, d+rest)
	return t, nil
}
