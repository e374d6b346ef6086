package afpacket

import (
	"math"
	"time"

	"github.com/linerate/linerate/generator"
)

// timeShift are the fractional bits of the nanoseconds in schedule times.
const timeShift = 16

// Catch-up after a hold-up of the sending thread, as in generator/xdp; a veth ring holds 256 frames.
const (
	catchUpBurst  = 32               // frames that leave at once
	catchUpFrames = 64               // frames of lag that are always made good
	catchUpTime   = time.Millisecond // lag that is always made good
)

// schedule says when the frames of one stream on one thread are due. Its times
// count from the start of the load, in nanoseconds with timeShift fractional bits.
type schedule struct {
	interval uint64 // between departures; 0 sends as fast as it goes
	catchUp  uint64 // that departures may lag before they are given up
	burst    uint64 // of lag that may be made good at once
	leastGap uint64 // between departures while more lag is made good
	earliest uint64 // before which the burst limit allows no departure
	next     uint64 // departure
	left     uint64 // frames to send
}

// newSchedule paces the part of a load that falls to one thread.
func newSchedule(load generator.Load, s share, flows int) schedule {
	sc := schedule{left: math.MaxUint64}
	if n := load.Intended(); n > 0 {
		sc.left = s.frames(n, flows)
	}
	if load.PPS > 0 {
		part := float64(s.flows(flows)) / float64(flows)
		sc.interval = uint64(1e9/(load.PPS*part)*(1<<timeShift) + 0.5)
		sc.burst = catchUpBurst * sc.interval
		sc.leastGap = sc.interval * 4 / 5
		sc.catchUp = max(catchUpFrames*sc.interval, uint64(catchUpTime)<<timeShift)
	}
	return sc
}

// due tells whether a frame is to leave now, and takes its departure off the
// schedule. What lags further than catchUp is given up: a receive ring could not
// take it all at once, and it would count as loss of the DUT.
func (s *schedule) due(elapsedNS uint64) bool {
	if s.left == 0 {
		return false
	}
	if s.interval > 0 {
		at := elapsedNS << timeShift
		if at < s.next || at < s.earliest {
			return false
		}
		if at-s.next > s.catchUp {
			s.next = at - s.catchUp
		}
		s.next += s.interval
		if at-s.earliest > s.burst {
			s.earliest = at - s.burst
		}
		s.earliest += s.leastGap
	}
	s.left--
	return true
}

// waitNS is the time until a frame may be due.
func (s *schedule) waitNS(elapsedNS uint64) uint64 {
	if s.left == 0 {
		return math.MaxUint64
	}
	if at, next := elapsedNS<<timeShift, max(s.next, s.earliest); at < next {
		return (next - at) >> timeShift
	}
	return 0
}

// share is the part of the flows that one of several threads sends: those whose
// number leaves its index when divided by the number of threads.
type share struct{ index, of int }

// flows is how many of n flows fall to the share.
func (s share) flows(n int) int { return (n - s.index + s.of - 1) / s.of }

// number is the number in its stream of the share's i-th flow.
func (s share) number(i int) int { return i*s.of + s.index }

// frames is how many of n frames, dealt out over all flows in turn, fall to the share.
func (s share) frames(n uint64, flows int) uint64 {
	whole := n / uint64(flows) * uint64(s.flows(flows))
	if rest := int(n % uint64(flows)); rest > s.index {
		whole += uint64((rest - s.index + s.of - 1) / s.of)
	}
	return whole
}
