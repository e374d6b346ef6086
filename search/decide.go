package search

import "math"

// plausible is the probability that makes a bound worth deciding.
const plausible = 0.4

// decide asks for the full trial that brings the two relevant bounds closest to
// their width; false when no load is left between them.
func (v *view) decide() (Load, bool) {
	e := v.crossing()
	if load, ok := v.doubted(e); ok {
		return load, true
	}
	w := v.goal.Width
	low, high := v.limits()
	pps, want := v.wanted(e)
	reason := "lower bound"
	if want == upperBound {
		reason = "upper bound"
	}
	if u, ok := v.started(pps, want); ok {
		return v.full(u, reason), true
	}
	if pps <= low || pps >= high || v.decided(pps) {
		pps = roundDown(math.Sqrt(low*high), w)
	}
	if pps <= low || pps >= high || v.decided(pps) {
		return Load{}, false
	}
	return v.full(pps, reason), true
}

// bisect ends a search that does not converge, because the device behaves like
// nothing that the estimate knows: by going down twice as far each time, as long as
// no load has passed, or up, as long as none has failed, and by going to the middle
// of the bounds.
func (v *view) bisect() (Load, bool) {
	const (
		mostUpper   = 3  // upper bounds without a lower one
		mostLower   = 3  // lower bounds without an upper one
		mostDecided = 16 // loads decided
	)
	var decided, upper, lower int
	for _, p := range v.points {
		if p.class != undecided {
			decided++
		}
		switch p.class {
		case upperBound:
			upper++
		case lowerBound:
			lower++
		}
	}
	if !v.bounds.HasUpper && v.bounds.HasLower && lower >= mostLower {
		return v.climb(lower)
	}
	pps := v.load(math.Log(v.bounds.UpperPPS) - math.Min(v.goal.Width*math.Exp2(float64(upper)), math.Ln2))
	if v.bounds.HasLower {
		pps = roundDown(math.Sqrt(v.bounds.LowerPPS*v.bounds.UpperPPS), v.goal.Width)
	}
	stuck := decided >= mostDecided || !v.bounds.HasLower && upper >= mostUpper
	low, high := v.limits()
	if !stuck || !v.bounds.HasUpper || pps <= low || pps >= high {
		return Load{}, false
	}
	return v.full(pps, "bisect"), true
}

// climb asks for a load above the lower bounds, further away the more there are.
func (v *view) climb(lower int) (Load, bool) {
	w := v.goal.Width
	pps := v.load(math.Log(v.bounds.LowerPPS) + math.Min(w*math.Exp2(float64(lower-1)), math.Ln2))
	if pps <= v.bounds.LowerPPS {
		return Load{}, false
	}
	if u, ok := v.started(pps, undecided); ok {
		pps = u
	}
	return v.full(pps, "higher"), true
}

// limits returns the open interval that the next load must lie in.
func (v *view) limits() (low, high float64) {
	tiny := 1 / grain(v.config.MinLoadPPS, v.goal.Width)
	low, high = v.config.MinLoadPPS-tiny, v.config.MaxLoadPPS+tiny
	if v.bounds.HasLower {
		low = v.bounds.LowerPPS
	}
	if v.bounds.HasUpper {
		high = v.bounds.UpperPPS
	}
	return low, high
}

// wanted returns the load that the estimate speaks for. Where one bound is decided
// and the other may lie within the width of it, that is the load just within, with
// the class that is wanted of it; otherwise the class is undecided.
func (v *view) wanted(e estimate) (float64, class) {
	w := v.goal.Width
	var up, down float64
	fromLower, fromUpper := -1.0, -1.0
	if v.bounds.HasLower {
		up = math.Min(above(v.bounds.LowerPPS, w), v.config.MaxLoadPPS)
		fromLower = e.below(math.Log(up))
	}
	if v.bounds.HasUpper {
		down = math.Max(below(v.bounds.UpperPPS, w), v.config.MinLoadPPS)
		fromUpper = 1 - e.below(math.Log(down))
	}
	switch {
	case fromLower >= plausible && fromLower >= fromUpper:
		return up, upperBound
	case fromUpper >= plausible:
		return down, lowerBound
	}
	spread := (e.quantile(0.75) - e.quantile(0.25)) / 1.35
	margin := math.Min(math.Max(0.7*spread, 0.1*w), 0.5*w)
	return v.load(e.quantile(0.5) - margin), undecided
}

// started returns a load near the wanted one that is undecided and has full trials
// already: to finish it is cheaper than to start another.
func (v *view) started(pps float64, want class) (float64, bool) {
	const most = 6 // undecided loads before one of them is finished, wherever it is
	w := v.goal.Width
	low, high := v.limits()
	best, bestTrials, open := 0.0, 0, 0
	longest, longestTrials := 0.0, 0
	for _, p := range v.points {
		if p.class != undecided || p.loadPPS <= low || p.loadPPS >= high || p.fullTrials == 0 {
			continue
		}
		open++
		if p.fullTrials > longestTrials {
			longest, longestTrials = p.loadPPS, p.fullTrials
		}
		if p.fullTrials <= bestTrials {
			continue
		}
		if want == upperBound && p.loadPPS > pps || want == lowerBound && p.loadPPS < pps {
			continue
		}
		reach := 0.35 * w
		switch {
		case p.fullTrials > 1:
			reach = 0.8 * w
		case p.onlyLow():
			reach = 0.6 * w
		}
		if math.Abs(math.Log(p.loadPPS/pps)) <= reach {
			best, bestTrials = p.loadPPS, p.fullTrials
		}
	}
	if bestTrials == 0 && open >= most {
		return longest, true
	}
	return best, bestTrials > 0
}

// decided says whether a load is classified already.
func (v *view) decided(pps float64) bool {
	for _, p := range v.points {
		if p.loadPPS == pps {
			return p.class != undecided
		}
	}
	return false
}

// appeal asks for more trials at a bound of a finished goal that the estimate contradicts.
func (v *view) appeal() (Load, bool) {
	if !v.bounds.HasLower || !v.bounds.HasUpper || v.background.Found {
		return Load{}, false
	}
	margin := reachWidths * v.goal.Width
	v.from, v.to = math.Log(v.bounds.LowerPPS)-margin, math.Log(v.bounds.UpperPPS)+margin
	return v.doubted(v.crossing())
}

// doubted returns a decided bound that is improbable: three trials in a row may
// mislead, and the smallest upper bound hides everything above it. More trials at
// the same load correct the classification, up to twice the time that decided it.
func (v *view) doubted(e estimate) (Load, bool) {
	const improbable = 0.1
	for _, p := range v.points {
		spent := p.sums.fullLow + p.sums.fullHigh
		if spent >= 2*v.goal.DurationSumS {
			continue
		}
		x := math.Log(p.loadPPS)
		if v.bounds.HasUpper && p.loadPPS == v.bounds.UpperPPS && e.below(x) < improbable ||
			v.bounds.HasLower && p.loadPPS == v.bounds.LowerPPS && e.below(x) > 1-improbable {
			return v.full(p.loadPPS, "doubtful bound"), true
		}
	}
	return Load{}, false
}
