package search

import (
	"math"
	"math/rand/v2"

	"github.com/linerate/linerate/testbed/sim"
)

const (
	simCapacityPPS = 1.23e6
	simMaxLoadPPS  = 14.88e6
	simMinLoadPPS  = 1000
)

// simDUT is a simulated device under test with a name.
type simDUT struct {
	name string
	sim.Model
	published published
}

// published are figures of MLRsearch 1.2.1 (PyPI) for a device of this description:
// trial seconds with S=5 s, and with CSIT's goals (S=21 s); the median errors of NDR and PDR in %
// with S=21 s; the largest error with either S where it varies. Those that are not known are NaN.
type published struct {
	seconds5, seconds21       float64
	ndr, pdr, worst5, worst21 float64
	// other5 tells that the median errors with S=5 s are not those with S=21 s, and not known.
	other5 bool
}

var unpublished = math.NaN()

// simDUTs are the presets of testbed sim, with what is published for each.
func simDUTs() []simDUT {
	preset := func(name, preset string, p published) simDUT {
		m, err := sim.Preset(preset)
		if err != nil {
			panic(err)
		}
		return simDUT{name, m, p}
	}
	none := unpublished
	return []simDUT{
		preset("hard", "hard", published{11, 35, -.10, -.10, none, none, false}),
		preset("queue 4096", "queue", published{11, 35, -.43, -.43, none, none, false}),
		preset("soft knee", "knee", published{35, 68, -.13, -.20, none, none, true}),
		preset("jitter 1 %/s", "jitter", published{20, 73, -.10, -.10, 1.6, .59, false}),
		preset("background loss", "background-loss", published{47, 172, none, none, none, none, false}),
		preset("glitch 1 in 20", "glitch", published{11, 36, -.10, -.10, none, none, false}),
		preset("collapse", "collapse", published{20, 37, -.10, -.43, none, none, false}),
		preset("linux-like", "linux-like", published{17, 58, -.14, -.18, .68, .68, true}),
		preset("slow 2000 pps", "slow", published{11, 35, -.43, -.43, none, none, false}),
	}
}

// dutOf is a device without a reference.
func dutOf(name string, m sim.Model) simDUT { return simDUT{name: name, Model: m} }

// moreDUTs have no reference figures; they are what a Linux router does besides.
func moreDUTs() []simDUT {
	const c = simCapacityPPS
	return []simDUT{
		dutOf("soft knee, drawn", sim.Model{CapacityPPS: c, Knee: .01, Drawn: true}),
		dutOf("more under load", sim.Model{CapacityPPS: c, QueueFrames: 256, Knee: .002, Jitter: .002, Gain: .45, Drawn: true}),
		dutOf("slow with glitch", sim.Model{CapacityPPS: 2000, GlitchProbability: .05, GlitchLoss: .01}),
	}
}

// trial makes one trial of a load.
func (d simDUT) trial(r *rand.Rand, load Load) Trial {
	o := d.Trial(r, load.PPS, load.DurationS, 1)[0]
	lost := float64(o.Lost + o.Intended - o.Sent)
	return Trial{LoadPPS: load.PPS, DurationS: load.DurationS, LossRatio: lost / math.Max(float64(o.Intended), 1)}
}

// truth is the true throughput; the capacity where none is defined.
func (d simDUT) truth(lossRatio, seconds float64) float64 {
	if pps, defined := d.TruthPPS(lossRatio, seconds); defined {
		return pps
	}
	return d.CapacityPPS
}

// chance is what the trials of a search are drawn from.
func (d simDUT) chance(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
}

// run searches a device to the end and returns the log.
func (d simDUT) run(s Search, seed uint64) []Trial {
	r := d.chance(seed)
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
