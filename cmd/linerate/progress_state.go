package main

import (
	"time"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
)

// progress is what the events of a run have said so far. It is used by one
// goroutine at a time.
type progress struct {
	name string
	plan plan.Plan
	now  func() time.Time
	timing

	run      *result.Run
	ceilings []result.Ceiling

	// number counts the cells from 1; it is 0 until the first has started.
	number int
	cell   plan.Cell
	// calibrated is the ceiling of the current cell's traffic; 0 is not known.
	calibrated float64

	trial          bench.TrialStart
	sent, received uint64
	elapsed        time.Duration
	bounds         []search.Bounds
}

func newProgress(name string, p plan.Plan) *progress {
	s := &progress{name: name, plan: p, now: time.Now}
	s.timing = newTiming(p, p.Measurements(), s.now())
	return s
}

func (s *progress) opened(run *result.Run, cells []plan.Cell) {
	s.run = run
	s.timing.of = len(cells)
}

func (s *progress) calibratedAt(c result.Ceiling) {
	s.ceilings = append(s.ceilings, c)
	s.bounds, s.trial = nil, bench.TrialStart{}
}

func (s *progress) cellStarted(number, of int, c plan.Cell) {
	s.number, s.cell, s.bounds, s.trial = number, c, nil, bench.TrialStart{}
	s.timing.of = of
	s.cellBegins(s.now())
	s.calibrated = 0
	for _, k := range s.ceilings {
		if k.IPVersion == c.IPVersion && k.FrameSize == c.FrameSize && k.Flows == c.Flows && k.Directions == c.Directions {
			s.calibrated = k.PPS
		}
	}
}

func (s *progress) trialStarted(t bench.TrialStart) {
	s.trial, s.sent, s.received, s.elapsed = t, 0, 0, 0
}

func (s *progress) trialProgress(sent, received uint64, elapsed time.Duration) {
	s.sent, s.received, s.elapsed = sent, received, elapsed
}

func (s *progress) trialEnded(t result.Trial, bounds []search.Bounds) {
	s.bounds = bounds
	s.sent, s.received = t.Sent, t.Received
}

// lost are the frames sent and not yet received: some of them are still on their way.
func (s *progress) lost() uint64 {
	if s.received >= s.sent {
		return 0
	}
	return s.sent - s.received
}
