package generator

import (
	"math"
	"time"
)

// TimeShift are the fractional bits of the nanoseconds in schedule times: at ten
// million frames per second an interval is then true to 0.2 ppm. The BPF program of
// generator/xdp has it from frame/testframe.h.
const TimeShift = 16

// What a stream does after its thread was held up: CatchUpBurst frames leave at once,
// more leave a quarter faster than asked, and what lags further than both
// CatchUpFrames and CatchUpTime is given up. A DUT that can carry the load then never
// has to queue more than the hold-up withheld; a veth ring holds 256 frames
// (VETH_RING_SIZE, drivers/net/veth.c).
const (
	CatchUpBurst  = 32
	CatchUpFrames = 64
	CatchUpTime   = time.Millisecond
)

// LastDue is how long after the end of a load a frame that is late may still leave.
const LastDue = time.Millisecond

// Pace is how one stream leaves on one thread. Its times are in nanoseconds with
// TimeShift fractional bits.
type Pace struct {
	// Interval is between departures; 0 sends as fast as it goes.
	Interval uint64
	// CatchUp is what departures may lag before they are given up.
	CatchUp uint64
	// Burst is the lag that may be made good at once.
	Burst uint64
	// LeastGap is between departures while more lag is made good.
	LeastGap uint64
	// Frames are to be sent; math.MaxUint64 without a bound.
	Frames uint64
	// StepAt is the time from which Interval, CatchUp, Burst and LeastGap are those of
	// Step; math.MaxUint64 for never.
	StepAt uint64
	Step   *Pace
}

// Pace is the pace of the part of a load that falls to one thread's share of flows.
func (l Load) Pace(s Share, flows int) Pace {
	part := float64(s.Flows(flows)) / float64(flows)
	p := paceOf(l.PPS * part)
	if n := l.Intended(); n > 0 {
		p.Frames = s.Frames(n, flows)
	}
	if l.Step.After > 0 {
		step := paceOf(l.Step.PPS * part)
		p.StepAt, p.Step = uint64(l.Step.After)<<TimeShift, &step
	}
	return p
}

// paceOf is the pace of a rate without a bound; a rate of 0 is as fast as it goes.
func paceOf(pps float64) Pace {
	p := Pace{Frames: math.MaxUint64, StepAt: math.MaxUint64}
	if pps > 0 {
		p.Interval = uint64(1e9/pps*(1<<TimeShift) + 0.5)
		p.Burst = CatchUpBurst * p.Interval
		p.LeastGap = p.Interval * 4 / 5
		p.CatchUp = max(CatchUpFrames*p.Interval, uint64(CatchUpTime)<<TimeShift)
	}
	return p
}
