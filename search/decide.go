package search

import "math"

// decide asks for the full trial that brings the two relevant bounds closest to
// their width; false when no load is left between them.
func (v *view) decide() (Load, bool) {
	if load, ok := v.pursue(v.crossing()); ok {
		return load, true
	}
	low, high := v.limits()
	pps := roundDown(math.Sqrt(low*high), v.goal.Width)
	if pps <= low || pps >= high || v.decided(pps) {
		return Load{}, false
	}
	return v.full(pps, "between the bounds"), true
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
		switch {
		case p.class == upperBound && p.sums.fullLow > 0 && upper == 0:
			upper = -len(v.points) // trials at the smallest one passed: the crossing is near
		case p.class == upperBound:
			upper++
		case p.class == lowerBound:
			lower++
		}
	}
	if !v.bounds.HasUpper && v.bounds.HasLower && lower >= mostLower {
		return v.climb(lower)
	}
	pps := v.load(math.Log(v.bounds.UpperPPS) - math.Min(v.goal.Width*math.Exp2(math.Max(0, float64(upper))), math.Ln2))
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

// decided says whether a load is classified already.
func (v *view) decided(pps float64) bool {
	for _, p := range v.points {
		if p.loadPPS == pps {
			return p.class != undecided
		}
	}
	return false
}

// appealSums is the trial time of all goals, in duration sums, after which a finished goal
// stays as it is: appeals get rarer by their price, and this ends them for certain.
const appealSums = 8

// appeal asks for more trials for a finished goal when the estimate holds other bounds
// for so much better that they are worth the time: because one of those found is
// improbable, or the lower one, which gets published, lies far below the crossing. An
// appeal may undo a bound, so it needs the time to decide it again.
func (v *view) appeal() (Load, bool) {
	if !v.bounds.HasLower || !v.bounds.HasUpper || v.background.Found {
		return Load{}, false
	}
	if sum := v.goal.DurationSumS; v.remainingS < sum || seconds(v.trials) >= appealSums*sum {
		return Load{}, false
	}
	margin := reachWidths * v.goal.Width
	v.from, v.to = math.Log(v.bounds.LowerPPS)-margin, math.Log(v.bounds.UpperPPS)+margin
	return v.pursue(v.crossing())
}
