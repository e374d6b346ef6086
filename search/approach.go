package search

import "math"

// Distances on the load axis, in widths of the goal.
const (
	bracketWidths = 3.0  // a bracket this narrow is left to full trials
	sharpWidths   = 2.0  // a revealed capacity this near to its trial is believed
	reachWidths   = 12.0 // how far the truth may lie from a believed capacity
	marginWidths  = 6.0  // how far the truth may lie outside a bracket
)

// approach asks for short trials until the critical load is known to within a few
// widths; false when it is, with from and to set.
func (v *view) approach() (Load, bool) {
	w := v.goal.Width
	top := v.at(v.upper)
	if v.lower >= 0 && top-v.at(v.lower) <= bracketWidths*w {
		v.from, v.to = v.at(v.lower)-marginWidths*w, top+marginWidths*w
		return Load{}, false
	}
	if x, ok := v.mixed(); ok {
		v.from, v.to = x-reachWidths*w, x+reachWidths*w
		return Load{}, false
	}
	if x, ok := v.sharp(); ok {
		v.from, v.to = x-reachWidths*w, x+reachWidths*w
		v.believed = x
		return Load{}, false
	}
	if v.points[v.upper].loadPPS <= v.config.MinLoadPPS {
		return v.full(v.config.MinLoadPPS, "minimum load"), true
	}
	x := v.guess()
	pps := v.load(x)
	load := v.short(pps, "approach")
	const fewFrames = 10
	few := v.points[v.upper].lossRatio()*pps*load.DurationS < fewFrames
	if v.strict() && (few || v.lower >= 0 && top-v.at(v.lower) < 3*reachWidths*w) {
		return v.full(pps, "approach"), true
	}
	return load, true
}

// strict says that the goal allows so little loss that the amount of loss does
// not tell how far the load is above the critical one.
func (v *view) strict() bool { return v.goal.LossRatio < 1e-4 }

// mixed returns the position of a load between the bracket's ends, where trials
// contradict each other: of those that failed, the one with the most full trials.
func (v *view) mixed() (float64, bool) {
	best := -1
	for i := v.lower + 1; i < v.upper; i++ {
		p := v.points[i]
		if !p.onlyLow() && (best < 0 || p.fullTrials > v.points[best].fullTrials) {
			best = i
		}
	}
	if best < 0 {
		return 0, false
	}
	return v.at(best), true
}

// sharp returns the capacity that a trial near to it revealed, of a full trial if there is one.
func (v *view) sharp() (float64, bool) {
	w := v.goal.Width
	if v.strict() {
		return v.sharpStrict()
	}
	best, bestGap, bestFull := 0.0, sharpWidths*w, false
	for i, p := range v.points {
		if !v.reveals(p.lossRatio()) {
			continue
		}
		x := v.revealed(v.at(i), p.lossRatio())
		gap, full := math.Abs(x-v.at(i)), p.fullTrials > 0
		if full == bestFull && gap > bestGap || full != bestFull && (bestFull || gap > sharpWidths*w) {
			continue
		}
		if (v.lower < 0 || x > v.at(v.lower)-w) && x < v.at(v.upper)+w {
			best, bestGap, bestFull = x, gap, full
		}
	}
	v.beliefSpread = 0.10*w + 0.5*bestGap
	if bestFull {
		v.beliefSpread = 0
	}
	return best, best != 0
}

// sharpStrict believes the capacity revealed by the lowest load with loss if all
// loads with a few per cent of loss reveal the same: then the device has a hard capacity.
func (v *view) sharpStrict() (float64, bool) {
	const few = 0.02
	w := v.goal.Width
	x1 := v.at(v.upper)
	r1 := v.revealed(x1, v.points[v.upper].lossRatio())
	if !v.reveals(v.points[v.upper].lossRatio()) || x1-r1 > sharpWidths*w || v.lower >= 0 && r1 < v.at(v.lower) {
		return 0, false
	}
	if v.falling() {
		return r1, true
	}
	for i := v.upper + 1; i < len(v.points); i++ {
		p, alike := v.points[i].lossRatio(), (v.points[i].fullTrials > 0) == (v.points[v.upper].fullTrials > 0)
		if p < few && alike {
			r := v.revealed(v.at(i), p)
			if math.Abs(r-r1) > 0.3*w+0.2*(v.at(i)-r) {
				return 0, false
			}
		}
	}
	v.beliefSpread = 0.10*w + 0.5*(x1-r1)
	if v.points[v.upper].fullTrials > 0 {
		v.beliefSpread = 0
	}
	return r1, true
}

// falling says that of the two lowest loads with loss, both tried at full length, the
// lower one lost more: the trials scatter, and the crossing is as near as their scatter.
func (v *view) falling() bool {
	if v.upper+1 >= len(v.points) {
		return false
	}
	p, q := v.points[v.upper], v.points[v.upper+1]
	return p.fullTrials > 0 && q.fullTrials > 0 && p.lossRatio() >= q.lossRatio()
}

// guess returns where to look next for the critical load, strictly inside the bracket.
func (v *view) guess() float64 {
	top := v.at(v.upper)
	x, ok := v.extrapolated()
	if v.lower < 0 {
		if !ok {
			x = v.revealed(top, v.points[v.upper].lossRatio())
		}
		return math.Min(x, top-v.leastStep())
	}
	bottom := v.at(v.lower)
	if between, found := v.interpolated(); found {
		x, ok = between, true
	}
	if r := v.revealed(top, v.points[v.upper].lossRatio()); !ok && !v.strict() {
		x, ok = r, true
	}
	edge := 0.12 * (top - bottom)
	if ok && x <= bottom && bottom-x < 0.05*(top-bottom) && !v.strict() {
		return bottom + edge
	}
	if !ok || x <= bottom || x >= top {
		return (bottom + top) / 2
	}
	return math.Min(math.Max(x, bottom+edge), top-edge)
}

// interpolated returns where the logarithm of the loss ratio, between a load with
// too little and one with too much loss, meets that of the goal.
func (v *view) interpolated() (float64, bool) {
	low, high := v.points[v.lower].lossRatio(), v.points[v.upper].lossRatio()
	if v.strict() || low <= 0 || low >= v.goal.LossRatio || high <= v.goal.LossRatio {
		return 0, false
	}
	share := math.Log(v.goal.LossRatio/low) / math.Log(high/low)
	return v.at(v.lower) + share*(v.at(v.upper)-v.at(v.lower)), true
}

// leastStep is how far to go down at least while no load has passed: further each
// time that the loss does not fall.
func (v *view) leastStep() float64 {
	w := v.goal.Width
	if v.upper+1 >= len(v.points) {
		return 0.5 * w
	}
	last := v.at(v.upper+1) - v.at(v.upper)
	if v.points[v.upper].lossRatio() > 0.7*v.points[v.upper+1].lossRatio() {
		return math.Min(math.Max(2*last, w), math.Ln2)
	}
	return 0.5 * w
}

// extrapolated continues the loss curve through the two lowest lossy loads to the
// goal. A tolerant goal continues the share that is forwarded; a strict one the
// logarithm of the loss ratio, to half a frame per trial.
func (v *view) extrapolated() (float64, bool) {
	w := v.goal.Width
	x1, p1 := v.at(v.upper), v.points[v.upper].lossRatio()
	r1 := v.revealed(x1, p1)
	aim := -0.15 * math.Min(w, v.goal.LossRatio)
	if v.strict() {
		aim = 0.15 * w
	}
	if v.upper+1 >= len(v.points) {
		return r1 + aim, true
	}
	x2, p2 := v.at(v.upper+1), v.points[v.upper+1].lossRatio()
	if p2 <= p1 {
		return r1 + aim, !v.strict()
	}
	if v.strict() && p1 < 0.02 {
		silent := 0.5 / (v.points[v.upper].loadPPS * v.goal.TrialDurationS)
		step := (x2 - x1) * math.Log(p1/silent) / math.Log(p2/p1)
		return x1 - math.Min(step, math.Max(8*(x2-x1), 4*w)), p1 > silent
	}
	y1, y2 := math.Log(1-math.Min(p1, 0.999999)), math.Log(1-math.Min(p2, 0.999999))
	goal := math.Log(1 - v.goal.LossRatio)
	step := math.Abs((y1 - goal) * (x2 - x1) / (y2 - y1))
	return x1 - math.Min(step, 3*math.Max(x1-r1, w)) + aim, true
}
