package search

import "math"

// refine raises the lower bound of a finished goal once, when the estimate says that
// the critical load probably lies in the upper half of the interval: the lower bound
// is what gets published, and it would be low by most of the width.
func (v *view) refine() (Load, bool) {
	const (
		half     = 0.6  // of the width: an interval that is not wider has been refined
		probable = 0.2  // that the critical load lies below the middle, at most
		vague    = 0.35 // in widths, the middle half of an estimate that says too little
		easily   = 3.0  // times the duration sum: a search that took longer so far would take long for this too
		short    = 0.12 // in widths, how far below the estimate a load is likely to pass
	)
	w := v.goal.Width
	if !v.bounds.HasLower || !v.bounds.HasUpper || v.background.Found || v.remainingS < v.goal.DurationSumS || seconds(v.trials) > easily*v.goal.DurationSumS {
		return Load{}, false
	}
	low, high := math.Log(v.bounds.LowerPPS), math.Log(v.bounds.UpperPPS)
	middle := (low + high) / 2
	v.from, v.to = low-reachWidths*w, high+reachWidths*w
	e := v.crossing()
	if high-low <= half*w || e.below(middle) > probable || e.quantile(0.75)-e.quantile(0.25) > vague*w {
		return Load{}, false
	}
	for _, p := range v.points {
		if p.class == undecided && p.fullTrials > 0 && p.loadPPS > v.bounds.LowerPPS && p.loadPPS < v.bounds.UpperPPS {
			return v.full(p.loadPPS, "nearer lower bound"), true
		}
	}
	pps := v.load(math.Min(math.Max(e.quantile(0.5)-short*w, middle), high-0.2*w))
	return v.full(pps, "nearer lower bound"), pps > v.bounds.LowerPPS && pps < v.bounds.UpperPPS
}
