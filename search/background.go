package search

import (
	"fmt"
	"math"
)

// Background is loss that does not depend on the load: with it, a throughput at a
// smaller loss ratio is not defined.
type Background struct {
	// Found says that the loss at low loads exceeds the goal's and is the same at all of them.
	Found bool
	// LossRatio is the estimate from the trials below the capacity.
	LossRatio float64
	// Trials and Lost count what the estimate rests on, Lost in frames per direction.
	Trials int
	Lost   float64
}

const (
	// lowShare of the capacity is a low load.
	lowShare = 0.3
	// leastLossy is how many trials at low loads must show the loss, at two loads at least.
	leastLossy = 3
	// mostProbes bounds the trials spent on finding background loss.
	mostProbes = 8
	// doubt is the probability below which the counts contradict a common loss ratio.
	doubt = 0.01
)

// capacityPPS is the forwarding rate that low loads are measured against: the
// largest of the trials that lost a tenth or less, or the smallest under overload.
func (v *view) capacityPPS() float64 {
	best, overload := 0.0, math.Inf(1)
	for _, t := range v.trials {
		if t.LossRatio <= 0.1 {
			best = math.Max(best, t.ForwardedPPS())
		} else {
			overload = math.Min(overload, t.ForwardedPPS())
		}
	}
	if best > 0 {
		return best
	}
	return overload
}

// findBackground fills in background and, if it is found, ends the goal.
func (v *view) findBackground() {
	capacity := v.capacityPPS()
	var lost, intended, lossy float64
	loads := map[float64]bool{}
	for _, t := range v.trials {
		if t.LoadPPS > lowShare*capacity {
			continue
		}
		lost, intended = lost+t.lost(), intended+t.intended()
		if t.high(v.goal) && t.lost() > 0 {
			lossy++
			loads[t.LoadPPS] = true
		}
	}
	if lossy < leastLossy || len(loads) < 2 || !(lost/intended > v.goal.LossRatio) {
		return
	}
	p := lost / intended
	if !v.common(p, lowShare*capacity) {
		return
	}
	v.background = Background{Found: true}
	intended = 0
	for _, t := range v.trials {
		if t.LoadPPS < capacity && !contradicts(t.lost(), p*t.intended()) {
			v.background.Trials++
			v.background.Lost += t.lost()
			intended += t.intended()
		}
	}
	v.background.LossRatio = p
	if intended > 0 {
		v.background.LossRatio = v.background.Lost / intended
	}
	v.bounds.Done, v.bounds.Regular = true, false
	v.bounds.Reason = fmt.Sprintf("background loss p = %.1e; %s undefined", v.background.LossRatio, v.goal.Name)
}

// common says whether the counts at each load up to a limit agree with one loss ratio.
func (v *view) common(p, limitPPS float64) bool {
	for _, q := range v.points {
		if q.loadPPS > limitPPS {
			break
		}
		if contradicts(q.lost, p*q.intended) {
			return false
		}
	}
	return true
}

// contradicts says whether a count is improbable for a Poisson mean, on either side.
// Loss comes in bursts, so that a large count is granted three times the variance.
func contradicts(count, mean float64) bool {
	count = math.Round(count)
	if mean < 20 {
		below, term := 0.0, math.Exp(-mean)
		for k := 0.0; k <= count; k++ {
			below += term
			term *= mean / (k + 1)
		}
		above := 1.0
		if count > 0 {
			above = 1 - below + term*(count+1)/math.Max(mean, 1e-12)
		}
		return below < doubt || above < doubt/10
	}
	return math.Abs(count-mean) > 2.6*math.Sqrt(3*mean)+0.1*mean
}

// probe asks for trials at a quarter and a tenth of the capacity when the loss does
// not fall with the load; false once they have had their chance to show it.
func (v *view) probe() (Load, bool) {
	capacity := v.capacityPPS()
	if v.lower >= 0 && v.points[v.lower].loadPPS > lowShare*capacity {
		return Load{}, false
	}
	p, steady := v.steadyLoss(capacity)
	if !steady {
		return Load{}, false
	}
	quarter, tenth := v.load(math.Log(capacity/4)), v.load(math.Log(capacity/10))
	perProbe := p * (quarter + tenth) / 2 * v.goal.TrialDurationS
	if tenth >= quarter || perProbe*mostProbes < 2*leastLossy {
		return Load{}, false
	}
	made := map[float64]int{}
	var lost, expected float64
	for _, t := range v.trials {
		if t.LoadPPS <= lowShare*capacity {
			made[t.LoadPPS]++
			lost += t.lost()
			expected += p * t.intended()
		}
	}
	if made[quarter]+made[tenth] >= mostProbes || expected >= 2.5 && lost < expected/4 {
		return Load{}, false
	}
	if made[tenth] < made[quarter] {
		return v.full(tenth, "loss at low load"), true
	}
	return v.full(quarter, "loss at low load"), true
}

// steadyLoss returns the loss ratio that is the same over a good part of the loads
// below the capacity: at some group of loads and at all those well below it.
func (v *view) steadyLoss(capacity float64) (lossRatio float64, found bool) {
	const (
		apartWidths = 3.0
		leastLost   = 5 // frames in either group, for the comparison to mean something
	)
	w := v.goal.Width
	for k, p := range v.points {
		if p.loadPPS > capacity {
			break
		}
		var below, around point
		for i, q := range v.points[:k+1] {
			switch distance := v.at(k) - v.at(i); {
			case q.loadPPS <= lowShare*capacity:
			case distance >= apartWidths*w:
				below.lost, below.intended = below.lost+q.lost, below.intended+q.intended
			case distance <= w:
				around.lost, around.intended = around.lost+q.lost, around.intended+q.intended
			}
		}
		if below.lost < leastLost || around.lost < leastLost || below.lossRatio() <= v.goal.LossRatio {
			continue
		}
		if below.lossRatio() > around.lossRatio()/2 && !contradicts(below.lost, around.lossRatio()*below.intended) {
			return below.lossRatio(), true
		}
	}
	return 0, false
}
