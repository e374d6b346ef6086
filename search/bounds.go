package search

// Bounds are the outcome of a search for one goal, or how far it has come.
type Bounds struct {
	Goal Goal
	// LowerPPS is the relevant lower bound and UpperPPS the relevant upper bound
	// (RFC 9971); 0 where HasLower or HasUpper is false.
	LowerPPS, UpperPPS float64
	HasLower, HasUpper bool
	// ConditionalPPS is the conditional throughput of the lower bound; 0 without one.
	ConditionalPPS float64
	// Regular is true when both relevant bounds exist and the goal is defined; RFC 9971 calls
	// a result without them irregular.
	Regular bool
	// Done says that the search makes no more trials for this goal.
	Done bool
	// Reason says why the goal ended when it did not end by its width.
	Reason string
	// Trials and TrialSeconds count all trials added, for all goals together.
	Trials       int
	TrialSeconds float64
}

// Reasons why a goal ends other than by its width.
const (
	reasonMaxIsLower = "the maximum load is a lower bound"
	reasonMinIsUpper = "the minimum load is an upper bound"
	reasonNoStep     = "no load is left between the bounds"
)

// point is everything known about one load for one goal.
type point struct {
	loadPPS float64
	sums    sums
	class   class
	// lost and intended are frames of one direction over all trials of the load.
	lost, intended float64
	// fullTrials counts the full trials.
	fullTrials int
}

// lossRatio is that of all trials of the load together.
func (p point) lossRatio() float64 {
	if p.intended == 0 {
		return 0
	}
	return p.lost / p.intended
}

// onlyHigh and onlyLow say that no trial of the load says otherwise.
func (p point) onlyHigh() bool { return p.sums.fullLow == 0 && p.sums.shortLow == 0 }
func (p point) onlyLow() bool  { return p.sums.fullHigh == 0 && p.sums.shortHigh == 0 }

// pointsOf gathers the trials by load, in rising order of load.
func pointsOf(g Goal, trials []Trial) []point {
	var points []point
	for _, t := range trials {
		i := 0
		for i < len(points) && points[i].loadPPS < t.LoadPPS {
			i++
		}
		if i == len(points) || points[i].loadPPS != t.LoadPPS {
			points = append(points, point{})
			copy(points[i+1:], points[i:])
			points[i] = point{loadPPS: t.LoadPPS}
		}
		p := &points[i]
		p.sums.add(g, t)
		p.lost += t.LossRatio * t.intended()
		p.intended += t.intended()
		if t.full(g) {
			p.fullTrials++
		}
	}
	for i := range points {
		points[i].class = g.classify(points[i].sums)
	}
	return points
}

// relevant returns the indexes of the relevant bounds, -1 where there is none:
// the smallest upper bound, and the largest lower bound below it.
func relevant(points []point) (lower, upper int) {
	lower, upper = -1, -1
	for i, p := range points {
		if p.class == upperBound {
			upper = i
			break
		}
		if p.class == lowerBound {
			lower = i
		}
	}
	return lower, upper
}

// boundsOf fills in everything that follows from the classification alone.
func boundsOf(g Goal, c Config, trials []Trial, points []point) Bounds {
	b := Bounds{Goal: g, Trials: len(trials)}
	for _, t := range trials {
		b.TrialSeconds += t.DurationS
	}
	lower, upper := relevant(points)
	if lower >= 0 {
		b.HasLower, b.LowerPPS = true, points[lower].loadPPS
		b.ConditionalPPS = g.conditionalPPS(b.LowerPPS, trials)
	}
	if upper >= 0 {
		b.HasUpper, b.UpperPPS = true, points[upper].loadPPS
	}
	b.Regular = b.HasLower && b.HasUpper
	switch {
	case b.Regular:
		b.Done = narrow(b.LowerPPS, b.UpperPPS, g.Width)
	case b.HasLower && b.LowerPPS >= c.MaxLoadPPS:
		b.Done, b.Reason = true, reasonMaxIsLower
	case b.HasUpper && b.UpperPPS <= c.MinLoadPPS:
		b.Done, b.Reason = true, reasonMinIsUpper
	}
	return b
}
