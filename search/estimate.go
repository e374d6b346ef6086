package search

import (
	"math"
	"slices"
)

// estimate is a distribution of the critical load over the positions from v.from
// on, in equal steps.
type estimate struct {
	from, step float64
	weights    []float64
	// kinds are the devices that the weights are summed over.
	kinds []kind
}

// kind is a device that the trials may come from: the scatter of its trials'
// critical loads, and the weights of its own critical load; all of an estimate sum to 1.
type kind struct {
	scatter float64
	weights []float64
}

// Scales of the trial-to-trial scatter of the critical load, in widths, and how
// trials enter the estimate.
var scatterWidths = []float64{0.06, 0.25, 0.8, 2, 5}

const (
	cellsPerWidth = 12
	// lapse is the share of trials with an outcome that has nothing to do with the load.
	lapse = 0.02
	// vague is the density, per width, of the loss of a device whose loss does not reveal its capacity.
	vague = 0.125
)

// crossing estimates where the goal's critical load lies. Each trial is taken to
// have a critical load of its own, scattered about that of the device: a trial
// without loss says that its load was below, a trial with loss either reveals the
// critical load (a device with a hard capacity) or says only that its load was
// above (a soft one). The scatter and the kind of device are unknown and averaged out by Bayes' rule.
func (v *view) crossing() estimate {
	w := v.goal.Width
	n := int((v.to-v.from)/w*cellsPerWidth) + 1
	e := estimate{from: v.from, step: (v.to - v.from) / float64(n), weights: make([]float64, n+1)}
	cells := make([]float64, n+1)
	logScale := make([]float64, 0, 2*len(scatterWidths))
	joint := make([][]float64, 0, 2*len(scatterWidths))
	seen := v.observations()
	for _, scatter := range scatterWidths {
		for _, hard := range []bool{true, false} {
			v.prior(e, cells)
			logSum := 0.0
			for _, o := range seen {
				v.weigh(e, o, scatter*w, hard, cells)
				logSum += normalise(cells)
			}
			logScale = append(logScale, logSum)
			joint = append(joint, append([]float64(nil), cells...))
		}
	}
	best := math.Inf(-1)
	for _, s := range logScale {
		best = math.Max(best, s)
	}
	all := 0.0
	for _, s := range logScale {
		all += math.Exp(s - best)
	}
	for k, c := range joint {
		share := math.Exp(logScale[k]-best) / all
		for i := range c {
			c[i] *= share
			e.weights[i] += c[i]
		}
		e.kinds = append(e.kinds, kind{scatter: scatterWidths[k/2] * w, weights: c})
	}
	normalise(e.weights)
	return e
}

// prior fills the cells with what is believed before the full trials.
func (v *view) prior(e estimate, cells []float64) {
	for i := range cells {
		cells[i] = 1
		if v.beliefSpread > 0 {
			cells[i] = bell(e.at(i)-v.believed, v.beliefSpread)
		}
	}
	normalise(cells)
}

// observation is what full trials of one load say alike.
type observation struct {
	x    float64 // position of the load
	high bool
	// revealing trials had a loss from which the critical load follows, at position r.
	revealing bool
	r         float64
	trials    int
}

// observations gathers the full trials.
func (v *view) observations() []observation {
	var seen []observation
	for _, t := range v.trials {
		if !t.full(v.goal) {
			continue
		}
		o := observation{x: math.Log(t.LoadPPS), high: t.high(v.goal)}
		if r := v.revealed(o.x, t.LossRatio); v.reveals(t.LossRatio) && r > v.from && r < v.to && math.Abs(r-o.x) < reachWidths*v.goal.Width {
			o.revealing, o.r = true, r
		}
		i := slices.IndexFunc(seen, func(s observation) bool {
			s.trials = 0
			return s == o
		})
		if i < 0 {
			i = len(seen)
			seen = append(seen, o)
		}
		seen[i].trials++
	}
	return seen
}

// weigh multiplies the likelihood of an observation into the cells.
func (v *view) weigh(e estimate, o observation, scatter float64, hard bool, cells []float64) {
	w := v.goal.Width
	shift := scatter * v.goal.balance()
	likelihood := func(critical float64) float64 {
		likely := fails(o.x-critical, scatter)
		if !o.high {
			likely = 1 - likely
		}
		if o.revealing {
			likely *= vague
		}
		return likely
	}
	if o.revealing && (hard || !v.strict()) {
		spread := scatter + 0.2*math.Abs(o.r-o.x)
		if !hard {
			spread = scatter + 0.3*w + 1.5*math.Abs(o.r-o.x)
		}
		likelihood = func(critical float64) float64 {
			return lapse*vague + (1-lapse)*bell(o.r-critical, spread)*w
		}
	}
	for i := range cells {
		one := likelihood(e.at(i) - shift)
		for range o.trials {
			cells[i] *= one
		}
	}
}

// fails is the probability that a trial is high-loss, so far above the position that
// trials' own critical loads scatter about.
func fails(distance, scatter float64) float64 {
	return lapse/2 + (1-lapse)*cumulative(distance/scatter)
}

// cumulative is Student's distribution with four degrees of freedom.
func cumulative(z float64) float64 {
	q := z * z / (4 + z*z)
	return 0.5 + 0.75*math.Copysign(math.Sqrt(q), z)*(1-q/3)
}

// balance is the point of Student's distribution with four degrees of freedom at
// which a trial fails with the probability that leaves the classification of the
// load even: 0 where half of the trials may fail. The probability is Benard's
// approximation of the median rank, (i - 0.3)/(n + 0.4).
func (g Goal) balance() float64 {
	votes := math.Max(1, math.Round(g.DurationSumS/g.TrialDurationS))
	fails := (math.Floor(g.ExceedRatio*votes+slackS) + 0.7) / (votes + 0.4)
	low, high := -100.0, 100.0
	for high-low > 1e-6 {
		if z := (low + high) / 2; cumulative(z) < fails {
			low = z
		} else {
			high = z
		}
	}
	return (low + high) / 2
}

// bell is Student's density with four degrees of freedom: its heavy tails forgive outliers.
func bell(distance, spread float64) float64 {
	z := distance / spread
	q := 1 / (1 + z*z/4)
	return 0.375 * q * q * math.Sqrt(q) / spread
}

// at is the position of a cell.
func (e estimate) at(i int) float64 { return e.from + float64(i)*e.step }

// normalise makes the cells sum to 1 and returns the logarithm of their sum before.
func normalise(cells []float64) float64 {
	sum := 0.0
	for _, c := range cells {
		sum += c
	}
	if !(sum > 0) {
		return 0
	}
	for i := range cells {
		cells[i] /= sum
	}
	return math.Log(sum)
}

// quantile is the position with the given probability below it.
func (e estimate) quantile(q float64) float64 {
	sum := 0.0
	for i, c := range e.weights {
		sum += c
		if sum >= q {
			return e.from + float64(i)*e.step
		}
	}
	return e.from + float64(len(e.weights)-1)*e.step
}
