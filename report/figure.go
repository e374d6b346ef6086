package report

import (
	"fmt"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// relation says how the number of a figure is to be read.
type relation string

const (
	exact relation = "exact"
	// atLeast is a lower bound: the tester, or the maximum load, ended the search and not the DUT.
	atLeast relation = "at-least"
	// below has an upper bound only: no load passed.
	below relation = "below"
	// undefinedFigure has no number: loss does not depend on the load.
	undefinedFigure relation = "undefined"
	// absent has no number: the goal was not searched for, or nothing was found.
	absent relation = "none"
)

// figure is the throughput of a cell for one goal, as it may be printed.
type figure struct {
	Goal result.Goal
	relation
	// PerDirectionPPS is the lower bound of a goal without loss, else its conditional throughput (RFC 9971).
	PerDirectionPPS float64
	TotalPPS        float64
	TotalL1BPS      float64
	PerDirL1BPS     float64
	// Note says why there is no exact number.
	Note string
}

// hasNumber tells whether there is a rate to print.
func (f figure) hasNumber() bool {
	return f.relation == exact || f.relation == atLeast || f.relation == below
}

// isFound tells whether the DUT was seen to carry the rate.
func (f figure) isFound() bool { return f.relation == exact || f.relation == atLeast }

// directions is 2 for traffic both ways at once, else 1.
func directions(d plan.Direction) int {
	if d == plan.Bi {
		return 2
	}
	return 1
}

// meanBytes is the mean frame size, FCS included, of the cell's traffic.
func meanBytes(c result.Cell) float64 {
	if c.FrameSize == plan.IMIX {
		return frame.SimpleIMIX(c.IPVersion).MeanBytes()
	}
	return float64(c.FrameSize)
}

// figureOf reads a goal's bounds under what the cell is known to be limited by.
func figureOf(c result.Cell, g result.Goal) figure {
	f := figure{Goal: g}
	f.relation, f.PerDirectionPPS, f.Note = readBounds(c, g)
	f.TotalPPS = f.PerDirectionPPS * float64(directions(c.Directions))
	f.PerDirL1BPS = frame.L1BPS(f.PerDirectionPPS, meanBytes(c))
	f.TotalL1BPS = frame.L1BPS(f.TotalPPS, meanBytes(c))
	return f
}

func readBounds(c result.Cell, g result.Goal) (relation, float64, string) {
	if p := c.BackgroundLossRatio; p != nil && g.LossRatio <= *p {
		return undefinedFigure, 0, fmt.Sprintf("background loss p = %s at every load", percent(*p))
	}
	if c.Verdict == result.Undefined && g.LossRatio == 0 {
		return undefinedFigure, 0, "loss does not depend on the load"
	}
	value := g.LowerPPS
	if g.LossRatio > 0 && g.ConditionalPPS > 0 {
		value = g.ConditionalPPS
	}
	testerBound := c.Verdict == result.GeneratorBound || c.Verdict == result.ReceiverBound
	switch {
	case value <= 0 && g.UpperPPS > 0 && !testerBound && !aboveCeiling(c, g.UpperPPS):
		return below, g.UpperPPS, "no load passed"
	case value <= 0:
		return absent, 0, "no load passed"
	case aboveCeiling(c, value):
		return atLeast, c.CeilingPPS, "measured above the ceiling of generator and sink, and not printed: calibrate again"
	case testerBound:
		return atLeast, value, "a lower bound: the tester ended the search, not the DUT"
	case g.UpperPPS == 0:
		return atLeast, value, "a lower bound: the maximum load passed"
	}
	return exact, value, ""
}

func aboveCeiling(c result.Cell, pps float64) bool {
	return c.CeilingPPS > 0 && pps > c.CeilingPPS
}
