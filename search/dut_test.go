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
	// reference are the figures of MLRsearch 1.2.1 (PyPI) for a device of this
	// description at S=5: trial seconds; and at S=21: |NDR| and |PDR| error in %, the worst where it varies.
	referenceSeconds, referenceNDR, referencePDR float64
}

// simDUTs are the presets of testbed sim, with the reference for each.
func simDUTs() []simDUT {
	preset := func(name, preset string, seconds, ndr, pdr float64) simDUT {
		m, err := sim.Preset(preset)
		if err != nil {
			panic(err)
		}
		return simDUT{name, m, seconds, ndr, pdr}
	}
	return []simDUT{
		preset("hard", "hard", 11, .10, .10),
		preset("queue 4096", "queue", 11, .43, .43),
		preset("soft knee", "knee", 35, .13, .20),
		preset("jitter 1 %/s", "jitter", 20, .59, .59),
		preset("background loss", "background-loss", 47, math.NaN(), math.NaN()),
		preset("glitch 1 in 20", "glitch", 11, .10, .10),
		preset("collapse", "collapse", 20, .10, .43),
		preset("linux-like", "linux-like", 17, .68, .68),
		preset("slow 2000 pps", "slow", 11, .43, .43),
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
