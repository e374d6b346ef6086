package search

import (
	"math"
	"math/rand/v2"
)

const (
	simCapacityPPS = 1.23e6
	simMaxLoadPPS  = 14.88e6
	simMinLoadPPS  = 1000
)

// simDUT is a simulated device under test in virtual time. The loss curve is
// excess over capacity, softened by a knee and eased by a queue; the rest is noise.
type simDUT struct {
	name     string
	capacity float64
	queue    float64 // frames that a trial may leave waiting at its end
	knee     float64 // width of the soft knee, relative to the capacity
	jitter   float64 // standard deviation of the capacity, relative, per second
	loss     float64 // background loss ratio
	glitch   float64 // share of trials with a burst of loss
	burst    float64 // loss ratio of such a burst
	collapse float64 // capacity lost per frame offered above it
	floor    float64 // smallest share of the capacity left by collapse
	gain     float64 // capacity won per frame offered above it, as polling batches better
	poisson  bool    // losses are drawn, not rounded down
	// reference are the figures of MLRsearch 1.2.1 (PyPI) for a device of this
	// description at S=5: trial seconds; and at S=21: |NDR| and |PDR| error in %, the worst where it varies.
	referenceSeconds, referenceNDR, referencePDR float64
}

func simDUTs() []simDUT {
	c := simCapacityPPS
	return []simDUT{
		{name: "hard", capacity: c, referenceSeconds: 11, referenceNDR: .10, referencePDR: .10},
		{name: "queue 4096", capacity: c, queue: 4096, referenceSeconds: 11, referenceNDR: .43, referencePDR: .43},
		{name: "soft knee", capacity: c, knee: .01, referenceSeconds: 35, referenceNDR: .13, referencePDR: .20},
		{name: "jitter 1 %/s", capacity: c, jitter: .01, referenceSeconds: 20, referenceNDR: .59, referencePDR: .59},
		{name: "background loss", capacity: c, loss: 1e-5, referenceSeconds: 47, referenceNDR: math.NaN(), referencePDR: math.NaN()},
		{name: "glitch 1 in 20", capacity: c, glitch: .05, burst: .01, referenceSeconds: 11, referenceNDR: .10, referencePDR: .10},
		{name: "collapse", capacity: c, collapse: .1, floor: .25, referenceSeconds: 20, referenceNDR: .10, referencePDR: .43},
		{name: "linux-like", capacity: c, queue: 1000, knee: .001, jitter: .003, glitch: .02, burst: .002, collapse: .02, floor: .5,
			referenceSeconds: 17, referenceNDR: .68, referencePDR: .68},
		{name: "slow 2000 pps", capacity: 2000, referenceSeconds: 11, referenceNDR: .43, referencePDR: .43},
	}
}

// moreDUTs have no reference figures; they are what a Linux router does besides.
func moreDUTs() []simDUT {
	c := simCapacityPPS
	return []simDUT{
		{name: "soft knee, drawn", capacity: c, knee: .01, poisson: true},
		{name: "more under load", capacity: c, queue: 256, knee: .002, jitter: .002, gain: .45, poisson: true},
		{name: "slow with glitch", capacity: 2000, glitch: .05, burst: .01},
	}
}

func (d simDUT) random() bool { return d.jitter+d.loss+d.glitch > 0 || d.poisson }

// meanLost is the loss without noise, in frames, of a trial against a capacity.
func (d simDUT) meanLost(load, seconds, capacity float64) float64 {
	if load > capacity {
		over := load - capacity
		capacity = math.Max(d.floor*capacity, capacity-d.collapse*over)
		if d.gain > 0 {
			// The gain sets in away from the capacity, so that frames are lost first.
			capacity += d.gain * over * over / (over + 0.3*capacity)
		}
	}
	lost := (load - capacity) * seconds
	if d.knee > 0 {
		z := (load - capacity) / (d.knee * capacity)
		if z < 40 {
			lost = d.knee * capacity * math.Log1p(math.Exp(z)) * seconds
		}
	}
	return math.Max(0, lost-d.queue)
}

// trial makes one trial of a load.
func (d simDUT) trial(r *rand.Rand, load Load) Trial {
	frames := math.Floor(load.PPS * load.DurationS)
	capacity := d.capacity
	if d.jitter > 0 {
		capacity *= 1 + d.jitter*r.NormFloat64()/math.Sqrt(math.Max(1, load.DurationS))
	}
	lost := d.meanLost(load.PPS, load.DurationS, capacity)
	if d.poisson {
		lost = poisson(r, lost)
	}
	if d.loss > 0 {
		lost += poisson(r, frames*d.loss)
	}
	if d.glitch > 0 && r.Float64() < d.glitch {
		lost += frames * d.burst
	}
	lost = math.Min(frames, math.Floor(lost+1e-6))
	return Trial{LoadPPS: load.PPS, DurationS: load.DurationS, LossRatio: lost / math.Max(frames, 1)}
}

// truth is the load at which half of the trials of a duration exceed the loss ratio.
func (d simDUT) truth(lossRatio, seconds float64) float64 {
	low, high := d.capacity/10, d.capacity*2
	for range 100 {
		load := (low + high) / 2
		lost := d.meanLost(load, seconds, d.capacity)
		limit := lossRatio * load * seconds
		if lossRatio == 0 {
			limit = 1 - 1e-6
			if d.poisson {
				limit = math.Ln2
			}
		}
		if lost <= limit {
			low = load
		} else {
			high = load
		}
	}
	return low
}

func poisson(r *rand.Rand, mean float64) float64 {
	if mean > 30 {
		return math.Max(0, math.Round(mean+math.Sqrt(mean)*r.NormFloat64()))
	}
	n, product := 0.0, r.Float64()
	for limit := math.Exp(-mean); product > limit; n++ {
		product *= r.Float64()
	}
	return n
}

// run searches a device to the end and returns the log.
func (d simDUT) run(s Search, seed uint64) []Trial {
	r := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	var log []Trial
	for len(log) < 2000 {
		load, ok := s.Next()
		if !ok {
			break
		}
		t := d.trial(r, load)
		log = append(log, t)
		s.Add(t)
	}
	return log
}
