package sim

import (
	"math"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/result"
)

// What a frame takes besides waiting, in nanoseconds. Round figures of the size
// that a lab of veths has.
const (
	testerLatencyNS = 5_000
	deviceLatencyNS = 15_000
	// pollFrames wait even in a device without a queue: NAPI polls up to 64 at a time.
	pollFrames = 64
)

// waiting is the distribution of the time that a frame waits in the device, in
// nanoseconds.
type waiting struct {
	// busy is the share of the frames that wait at all; the waits are exponential with
	// the mean meanNS, and cut off at mostNS, or uniform up to mostNS if meanNS is 0.
	busy, meanNS, mostNS float64
	// full is the share of the frames that find the queue full and wait mostNS.
	full float64
}

// waitingAt is the wait against the load of a trial. Below the capacity it is that
// of a queue with random arrivals and equal service times (M/D/1): of a share rho
// of the frames, with the mean of the formula of Pollaczek and Khinchine and an
// exponential tail, and never longer than the queue holds. Above the capacity the
// queue fills up steadily and then stays full.
func (m Model) waitingAt(loadPPS, durationS float64) waiting {
	capacity := m.forwarding(loadPPS, m.CapacityPPS)
	if capacity <= 0 || loadPPS <= 0 {
		return waiting{}
	}
	serviceNS := 1e9 / capacity
	room := math.Max(m.QueueFrames, pollFrames)
	if rho := loadPPS / capacity; rho < 1 {
		return waiting{busy: rho, meanNS: serviceNS / (2 * (1 - rho)), mostNS: room * serviceNS}
	}
	excess := (loadPPS - capacity) * durationS
	if excess <= room {
		return waiting{busy: 1, mostNS: excess * serviceNS}
	}
	filling := room / excess
	return waiting{busy: filling, mostNS: room * serviceNS, full: 1 - filling}
}

// upTo is the share of the frames that wait ns nanoseconds at most.
func (w waiting) upTo(ns float64) float64 {
	switch {
	case ns >= w.mostNS:
		return 1
	case w.meanNS > 0:
		return 1 - w.busy*math.Exp(-ns/w.meanNS)
	}
	return 1 - w.full - w.busy*(1-ns/w.mostNS)
}

// mean is the mean wait of all frames in nanoseconds.
func (w waiting) mean() float64 {
	if w.meanNS > 0 {
		return w.busy * w.meanNS * (1 - math.Exp(-w.mostNS/w.meanNS))
	}
	return w.busy*w.mostNS/2 + w.full*w.mostNS
}

// longest is the longest wait that one of n frames has, in nanoseconds.
func (w waiting) longest(n uint64) float64 {
	if w.meanNS == 0 {
		return w.mostNS
	}
	return math.Max(0, math.Min(w.mostNS, w.meanNS*math.Log(2*w.busy*float64(n))))
}

// latencyOf spreads the received frames over the histogram as the distribution
// says, each a base and its wait; nil if there are none.
func latencyOf(w waiting, baseNS float64, received uint64) *result.Latency {
	if received == 0 {
		return nil
	}
	var h frame.Histogram
	longest := baseNS + w.longest(received)
	last := frame.BucketOf(uint64(longest))
	var counted uint64
	for i := frame.BucketOf(uint64(baseNS)); i <= last; i++ {
		upTo := received
		if i < last {
			upTo = uint64(math.Round(float64(received) * w.upTo(float64(frame.BucketUpToNS(i))-baseNS)))
		}
		h[i] = upTo - counted
		counted = upTo
	}
	l := &result.Latency{Frames: received, MinNS: uint64(baseNS), MeanNS: uint64(baseNS + w.mean()), MaxNS: uint64(longest)}
	at := func(q float64) uint64 { return min(h.QuantileNS(q), l.MaxNS) }
	l.P50NS, l.P90NS, l.P99NS, l.P999NS = at(0.5), at(0.9), at(0.99), at(0.999)
	for i, n := range h {
		if n > 0 {
			l.Histogram = append(l.Histogram, result.Bucket{UpToNS: frame.BucketUpToNS(i), Frames: n})
		}
	}
	return l
}
