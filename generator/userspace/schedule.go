package userspace

import (
	"math"

	"github.com/linerate/linerate/generator"
)

// schedule says when the frames of one stream on one thread are due. Its times
// count from the start of the load, in the form of generator.Pace.
type schedule struct {
	pace     generator.Pace
	earliest uint64 // before which the burst limit allows no departure
	next     uint64 // departure
	left     uint64 // frames to send
}

func newSchedule(p generator.Pace) schedule { return schedule{pace: p, left: p.Frames} }

// ready tells whether a frame is to leave now.
func (s *schedule) ready(elapsedNS uint64) bool {
	at := elapsedNS << generator.TimeShift
	return s.left > 0 && (s.pace.Interval == 0 || at >= s.next && at >= s.earliest)
}

// due tells whether a frame is to leave now, and takes its departure off the
// schedule. What lags further than catchUp is given up: a receive ring could not
// take it all at once, and it would count as loss of the DUT.
func (s *schedule) due(elapsedNS uint64) bool {
	if !s.ready(elapsedNS) {
		return false
	}
	if s.pace.Interval > 0 {
		at := elapsedNS << generator.TimeShift
		if at-s.next > s.pace.CatchUp {
			s.next = at - s.pace.CatchUp
		}
		if s.next >= s.pace.StepAt {
			s.pace = *s.pace.Step
		}
		s.next += s.pace.Interval
		if at-s.earliest > s.pace.Burst {
			s.earliest = at - s.pace.Burst
		}
		s.earliest += s.pace.LeastGap
	}
	s.left--
	return true
}

// waitNS is the time until a frame may be due.
func (s *schedule) waitNS(elapsedNS uint64) uint64 {
	if s.left == 0 {
		return math.MaxUint64
	}
	if at, next := elapsedNS<<generator.TimeShift, max(s.next, s.earliest); at < next {
		return (next - at) >> generator.TimeShift
	}
	return 0
}
