// Package sim is the testbed without packets: a model of a device under test in
// virtual time. It serves to try out a plan, to estimate how long one takes, and to
// test a search against a device whose throughput is known.
//
// The package is pure: no clock, no I/O, and all chance comes from a seed.
package sim

import (
	"math"
	"math/rand/v2"
)

// Model is a device under test. Its loss is the excess over a capacity, softened by
// a knee and eased by a queue; the rest is noise. Rates are per direction: the
// capacity is there for each direction, and both share its ups and downs.
type Model struct {
	// CapacityPPS is what the device forwards.
	CapacityPPS float64
	// QueueFrames may wait in the device when a trial's last frame has been sent; they
	// are forwarded while the trial drains.
	QueueFrames float64
	// Knee is the width of the region around the capacity in which loss sets in
	// gradually, as a share of the capacity; 0 is a sharp edge.
	Knee float64
	// Jitter is the standard deviation of the capacity from second to second, as a
	// share of the capacity.
	Jitter float64
	// BackgroundLoss is the share of frames that are lost at any load.
	BackgroundLoss float64
	// GlitchProbability is the share of trials in which GlitchLoss of the frames is
	// lost besides.
	GlitchProbability, GlitchLoss float64
	// Collapse is the capacity in frames that each frame above the capacity costs, as
	// when a kernel spends its time on frames that it drops later (receive livelock);
	// at least CollapseFloor of the capacity remains.
	Collapse, CollapseFloor float64
	// Gain is the capacity in frames that each frame above the capacity wins, as when
	// polling makes larger batches under load.
	Gain float64
	// Drawn says that losses through overload are drawn from a Poisson distribution
	// and not the same each time.
	Drawn bool
	// MaxLoadPPS is what the tester can offer; 0 is no limit.
	MaxLoadPPS float64
}

// Outcome are the counts of one direction of a trial.
type Outcome struct {
	Intended, Sent uint64
	// Overflow are the frames that the full device refused, Lost all that did not arrive.
	Overflow, Lost uint64
}

// roundingFrames keeps products such as 0.7 * 10 from losing a frame to rounding.
const roundingFrames = 1e-6

// Trial makes a trial: a load per direction in packets per second, a duration in
// seconds, in one direction or two. What chance there is in it is drawn from r.
func (m Model) Trial(r *rand.Rand, loadPPS, durationS float64, directions int) []Outcome {
	offered := m.offered(loadPPS)
	overflow := m.overflow(r, offered, durationS)
	list := make([]Outcome, directions)
	for i := range list {
		o := &list[i]
		o.Intended = frames(loadPPS * durationS)
		o.Sent = min(o.Intended, frames(offered*durationS))
		refused := overflow
		if m.Drawn {
			refused = Poisson(r, refused)
		}
		lost := refused
		if m.BackgroundLoss > 0 {
			lost += Poisson(r, float64(o.Sent)*m.BackgroundLoss)
		}
		o.Overflow, o.Lost = min(o.Sent, frames(refused)), min(o.Sent, frames(lost))
	}
	if m.GlitchProbability > 0 && r.Float64() < m.GlitchProbability {
		for i := range list {
			list[i].Lost = min(list[i].Sent, list[i].Lost+frames(float64(list[i].Sent)*m.GlitchLoss))
		}
	}
	return list
}

// offered is the load that the tester achieves.
func (m Model) offered(loadPPS float64) float64 {
	if m.MaxLoadPPS > 0 {
		return math.Min(loadPPS, m.MaxLoadPPS)
	}
	return loadPPS
}

// overflow is the number of frames of one direction that the device refuses. Where
// the capacity changes from second to second, what has queued up carries over.
func (m Model) overflow(r *rand.Rand, loadPPS, durationS float64) float64 {
	if m.Jitter == 0 {
		return math.Max(0, m.excess(loadPPS, durationS, m.CapacityPPS)-m.QueueFrames)
	}
	lost, waiting := 0.0, 0.0
	for rest := durationS; rest > roundingFrames; rest-- {
		second := math.Min(rest, 1)
		capacity := math.Max(0, m.CapacityPPS*(1+m.Jitter*r.NormFloat64()))
		waiting = math.Max(0, waiting-math.Max(0, capacity-loadPPS)*second)
		waiting += m.excess(loadPPS, second, capacity)
		lost += math.Max(0, waiting-m.QueueFrames)
		waiting = math.Min(waiting, m.QueueFrames)
	}
	return lost
}

// excess is the number of frames that a capacity does not forward, without a queue.
func (m Model) excess(loadPPS, durationS, capacityPPS float64) float64 {
	capacity := m.forwarding(loadPPS, capacityPPS)
	if m.Knee > 0 && capacity > 0 {
		width := m.Knee * capacity
		if z := (loadPPS - capacity) / width; z < 40 { // beyond, the curve is the straight line
			return width * math.Log1p(math.Exp(z)) * durationS
		}
	}
	return math.Max(0, loadPPS-capacity) * durationS
}

// forwarding is what is left of a capacity under overload.
func (m Model) forwarding(loadPPS, capacityPPS float64) float64 {
	if loadPPS <= capacityPPS {
		return capacityPPS
	}
	over := loadPPS - capacityPPS
	capacity := math.Max(m.CollapseFloor*capacityPPS, capacityPPS-m.Collapse*over)
	if m.Gain > 0 {
		// The gain sets in away from the capacity, so that frames are lost first.
		capacity += m.Gain * over * over / (over + 0.3*capacity)
	}
	return capacity
}

// Random says whether two trials of one load may differ.
func (m Model) Random() bool {
	return m.Drawn || m.Jitter > 0 || m.BackgroundLoss > 0 || m.GlitchProbability > 0
}

func frames(n float64) uint64 { return uint64(math.Max(0, math.Floor(n+roundingFrames))) }

// Poisson draws the number of events of which mean are expected. Many are drawn
// from the normal distribution of the same mean and variance.
func Poisson(r *rand.Rand, mean float64) float64 {
	if mean > 30 {
		return math.Max(0, math.Round(mean+math.Sqrt(mean)*r.NormFloat64()))
	}
	n, product := 0.0, r.Float64()
	for limit := math.Exp(-mean); product > limit; n++ {
		product *= r.Float64()
	}
	return n
}
