package main

import (
	"time"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/plan"
)

// timing says how long a run will go on: the estimate of its plan, corrected by
// what its cells really took.
type timing struct {
	started time.Time
	of      int
	// before and perCell are the estimates for opening with calibration, and for one cell, in seconds.
	before, perCell float64
	// measured cells took used seconds; done counts the skipped ones too.
	measured, done int
	used           float64
	cellStart      time.Time
}

func newTiming(p plan.Plan, cells []plan.Cell, now time.Time) timing {
	t := timing{started: now, of: len(cells)}
	if len(cells) == 0 {
		return t
	}
	if e, err := bench.EstimateOf(p); err == nil { // a plan that cannot be estimated cannot be opened either
		t.perCell, t.before = e.PerCellSeconds(), e.BeforeSeconds
	}
	return t
}

func (t *timing) cellBegins(now time.Time) { t.cellStart = now }

func (t *timing) cellEnds(now time.Time, skipped bool) (took time.Duration) {
	took = now.Sub(t.cellStart)
	t.done++
	if !skipped {
		t.measured++
		t.used += took.Seconds()
	}
	t.cellStart = time.Time{}
	return took
}

// cellSeconds is what a cell is expected to take: the estimate counts as much as one measured cell.
func (t *timing) cellSeconds() float64 {
	return (t.used + t.perCell) / float64(t.measured+1)
}

// left is the expected time to the end; never less than a second while it runs.
func (t *timing) left(now time.Time) time.Duration {
	seconds := t.cellSeconds() * float64(t.of-t.done)
	switch {
	case !t.cellStart.IsZero():
		seconds -= min(now.Sub(t.cellStart).Seconds(), t.cellSeconds())
	case t.done == 0:
		seconds += max(0, t.before-now.Sub(t.started).Seconds())
	}
	return max(time.Second, time.Duration(seconds*float64(time.Second)))
}

// share is the part of the run that is over, 0 to 1.
func (t *timing) share(now time.Time) float64 {
	over := now.Sub(t.started).Seconds()
	return over / (over + t.left(now).Seconds())
}
