package search

import (
	"math"
	"slices"
)

// shareExponent divides the budget among the goals: the first of two may use 60 %
// of it before the second has had its turn.
const shareExponent = 0.75

// share is the part of the budget, 0 to 1, at whose end the goal of this rank makes
// way for the next; 1 for the last goal.
func share(rank, goals int) float64 {
	return math.Pow(float64(rank+1)/float64(goals), shareExponent)
}

// decisionS is the trial time that makes a load a lower bound if all trials pass.
func (g Goal) decisionS() float64 {
	return math.Ceil(g.DurationSumS*(1-g.ExceedRatio)/g.TrialDurationS-slackS) * g.TrialDurationS
}

// scarce says that a bound is missing and that the trial time left is good for two
// decisions at most: then any bound is worth more than one that is near the critical load.
func (v *view) scarce() bool {
	const decisions = 2.5
	return v.upper >= 0 && !(v.bounds.HasLower && v.bounds.HasUpper) && v.remainingS < decisions*v.goal.decisionS()
}

// far is a distance on the load axis that is not worth giving away for a trial saved.
func (v *view) far() float64 {
	if v.strict() {
		return math.Ln2
	}
	return 6 * v.goal.Width
}

// urgent says that a goal whose share of the budget is used up still comes before
// the next: it has no lower bound, and most of the budget is not gone yet; or a load
// that leans towards the missing bound has been started.
func (v *view) urgent(usedS float64) bool {
	const most = 0.8
	want := lowerBound
	if v.bounds.HasLower {
		want = upperBound
	}
	if v.bounds.Done || v.bounds.HasLower && v.bounds.HasUpper {
		return false
	}
	_, started := v.leaning(want)
	return started || want == lowerBound && usedS < most*v.config.MaxTrialSeconds
}

// settle asks for a trial at a load that becomes the missing bound with the fewest
// trials: one that leans that way already, or one well off the critical load.
func (v *view) settle() (Load, bool) {
	want := lowerBound
	if v.bounds.HasLower {
		want = upperBound
	}
	pps := v.load(v.off(want))
	if started, ok := v.leaning(want); ok && math.Abs(math.Log(started/pps)) < v.far() {
		pps = started
	}
	low, high := v.limits()
	return v.full(pps, "any bound before the trial time ends"), pps > low && pps < high
}

// leaning returns the undecided load with the most full trials for a class and more
// of them than against it, beyond all loads with a full trial of the other outcome.
func (v *view) leaning(want class) (float64, bool) {
	low, high := v.limits()
	for _, p := range v.points {
		if want == upperBound && p.sums.fullLow > 0 {
			low = math.Max(low, p.loadPPS)
		}
		if want == lowerBound && p.sums.fullHigh > 0 {
			high = math.Min(high, p.loadPPS)
		}
	}
	tiny := 1 / grain(v.config.MinLoadPPS, v.goal.Width)
	best, most := 0.0, 0.0
	for _, p := range v.points {
		lead := p.sums.fullLow - p.sums.fullHigh
		if want == upperBound {
			lead = -lead
		}
		if p.class == undecided && p.loadPPS > low-tiny && p.loadPPS < high+tiny && lead > 0 && lead >= most {
			best, most = p.loadPPS, lead
		}
	}
	return best, most > 0
}

// off is a position at which a full trial is likely to come out as wanted: outside
// most of the critical loads that single trials revealed, and away from all loads
// that failed or passed where the loss says little about the distance.
func (v *view) off(want class) float64 {
	const (
		unlikely = 0.15 // share of the trials with the other outcome
		steps    = 2.0  // in widths
	)
	w := v.goal.Width
	if want == upperBound {
		x, passed := math.Log(v.bounds.LowerPPS), 0.0
		for i, p := range v.points {
			if p.loadPPS > v.bounds.LowerPPS && p.sums.fullLow > 0 {
				x = v.at(i)
				passed++
			}
		}
		x += math.Min(steps*w*math.Exp2(passed), math.Ln2/4)
		if r, ok := v.scattered(1 - unlikely); ok {
			x = math.Max(x, r+w)
		}
		return x
	}
	x := v.at(v.upper)
	for i := v.lower + 1; i < v.upper; i++ {
		if !v.points[i].onlyLow() {
			x = v.at(i)
			break
		}
	}
	if v.strict() {
		return x - math.Ln2/2
	}
	x -= steps * w
	if _, approaching := v.approach(); approaching {
		x = math.Min(x, v.guess()-steps*w)
	} else if v.believed != 0 {
		x = math.Min(x, v.believed-steps*w)
	}
	if v.lower >= 0 && x-v.at(v.lower) > v.far() {
		x = v.at(v.lower) // which passed, while nothing near x was tried
	}
	if r, ok := v.scattered(unlikely); ok {
		x = math.Min(x, r-w)
	}
	return x
}

// scattered is the position below which a share of the trials' own critical loads
// lies; false with fewer than three of them. A trial that lost too little to reveal
// its critical load has it at its load at least.
func (v *view) scattered(share float64) (float64, bool) {
	var all []float64
	for _, t := range v.trials {
		x := math.Log(t.LoadPPS)
		switch r := v.revealed(x, t.LossRatio); {
		case !t.full(v.goal) || v.strict():
		case v.reveals(t.LossRatio) && x-r < math.Ln2/2:
			all = append(all, r)
		case !t.high(v.goal) && v.upper >= 0 && v.at(v.upper)-x < reachWidths*v.goal.Width:
			all = append(all, x)
		}
	}
	if len(all) < 3 {
		return 0, false
	}
	slices.Sort(all)
	return all[int(share*float64(len(all)))], true
}
