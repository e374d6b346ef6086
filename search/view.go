package search

import "math"

// view is what the trials say for one goal; every choice of a load is made on it.
// Positions of loads on the load axis are natural logarithms of packets per second.
type view struct {
	config Config
	goal   Goal
	trials []Trial
	// points are the loads tried so far, rising.
	points []point
	bounds Bounds
	// lower and upper are indexes of points: all trials at and below lower are
	// low-loss and all at and above upper are high-loss, unless the load is
	// classified otherwise. -1 where there is no such load.
	lower, upper int
	background   Background
	// from and to limit the positions at which the goal's critical load is estimated.
	from, to float64
	// believed is the capacity that a short trial near to it revealed, as a position,
	// with its uncertainty; a spread of 0 is no belief.
	believed, beliefSpread float64
	// remainingS is the trial time left for the goal.
	remainingS float64
}

// findBracket sets lower and upper. Between them lies what is not yet clear.
func (v *view) findBracket() {
	relLower, relUpper := relevant(v.points)
	v.lower, v.upper = -1, relUpper
	start := relUpper - 1
	if relUpper < 0 {
		start = len(v.points) - 1
	}
	for i := start; i >= 0 && v.points[i].onlyHigh(); i-- {
		v.upper = i
	}
	for i := 0; i < len(v.points) && (v.upper < 0 || i < v.upper); i++ {
		if i > relLower && !v.points[i].onlyLow() && !v.refuted(i) {
			break
		}
		v.lower = i
	}
}

// refuted says that a load failed by chance: trials above it, and at least two of
// full length for as much time as failed here, all passed.
func (v *view) refuted(i int) bool {
	failed := v.points[i].sums.fullHigh + v.points[i].sums.shortHigh
	passed := 0.0
	for j := i + 1; j < len(v.points) && (v.upper < 0 || j < v.upper); j++ {
		if !v.points[j].onlyLow() {
			return false
		}
		passed += v.points[j].sums.fullLow
	}
	return v.points[i].class == undecided && passed >= 2*math.Max(failed, v.goal.TrialDurationS)
}

// at is the position of a point on the load axis.
func (v *view) at(i int) float64 { return math.Log(v.points[i].loadPPS) }

// revealed is the position at which the goal would be just met if the device
// forwarded at any load what it forwarded at this position: the capacity that a
// trial with loss reveals.
func (v *view) revealed(x, lossRatio float64) float64 {
	return x + math.Log((1-math.Min(lossRatio, 0.999999))/(1-v.goal.LossRatio))
}

// reveals says whether a loss ratio is large enough, beside that of the goal and
// beside its width, to tell where the goal would be met.
func (v *view) reveals(lossRatio float64) bool {
	return lossRatio > v.goal.LossRatio/4 && lossRatio > v.goal.Width/50 && lossRatio < 1
}

// load turns a position into a load within the limits of the configuration.
func (v *view) load(x float64) float64 {
	pps := roundDown(math.Exp(x), v.goal.Width)
	return math.Min(math.Max(pps, v.config.MinLoadPPS), v.config.MaxLoadPPS)
}

// next returns the trial that brings the goal closest to its end; false if there is none.
func (v *view) next() (Load, bool) {
	if v.bounds.Done {
		return v.appeal()
	}
	if len(v.points) == 0 {
		return v.short(v.config.MaxLoadPPS, "rate forwarded under overload"), true
	}
	if v.upper < 0 {
		return v.full(v.config.MaxLoadPPS, "maximum load"), true
	}
	if load, ok := v.probe(); ok {
		return load, true
	}
	if v.scarce() {
		if load, ok := v.settle(); ok {
			return load, true
		}
	}
	if load, ok := v.bisect(); ok {
		return load, true
	}
	if load, ok := v.approach(); ok {
		return load, true
	}
	return v.decide()
}

// full asks for a full trial.
func (v *view) full(pps float64, reason string) Load {
	return Load{PPS: pps, DurationS: v.goal.TrialDurationS, Reason: v.goal.Name + ": " + reason}
}

// short asks for a trial that is long enough to see the loss that the goal allows.
func (v *view) short(pps float64, reason string) Load {
	const (
		shortest = 0.25
		frames   = 2000
	)
	d := math.Max(shortest, frames/pps)
	if d > v.goal.TrialDurationS/2 {
		d = v.goal.TrialDurationS / 2
	}
	d = math.Round(d*1000) / 1000
	if !(d > 0) {
		d = v.goal.TrialDurationS
	}
	return Load{PPS: pps, DurationS: d, Reason: v.goal.Name + ": " + reason}
}
