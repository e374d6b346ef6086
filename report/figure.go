package report

import (
	"fmt"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// Relation says how the number of a figure is to be read.
type Relation string

// The values of Relation.
const (
	Exact Relation = "exact"
	// AtLeast is a lower bound: the tester, or the maximum load, ended the search and not the DUT.
	AtLeast Relation = "at-least"
	// Below has an upper bound only: no load passed.
	Below Relation = "below"
	// UndefinedThroughput has no number: loss does not depend on the load.
	UndefinedThroughput Relation = "undefined"
	// Absent has no number: the goal was not searched for, or nothing was found.
	Absent Relation = "none"
)

// Figure is the throughput of a cell for one goal, as it may be printed.
type Figure struct {
	Goal result.Goal
	Relation
	// Verdict is that of the goal, or that of the cell where the goal has none.
	Verdict result.Verdict
	// PerDirectionPPS is the lower bound of a goal without loss, else its conditional throughput (RFC 9971).
	PerDirectionPPS float64
	TotalPPS        float64
	// TotalL1BPS and PerDirL1BPS are bits per second on an Ethernet wire.
	TotalL1BPS  float64
	PerDirL1BPS float64
	// Note says why there is no exact number.
	Note string
}

// Figures are those of the cell's goals, in the order of the record.
func Figures(c result.Cell) []Figure {
	var list []Figure
	for _, g := range c.Goals {
		list = append(list, figureOf(c, g))
	}
	return list
}

// HasNumber tells whether there is a rate to print.
func (f Figure) HasNumber() bool {
	return f.Relation == Exact || f.Relation == AtLeast || f.Relation == Below
}

// Reaches tells whether the DUT was seen to carry at least pps in each direction.
func (f Figure) Reaches(pps float64) bool { return f.isFound() && f.PerDirectionPPS >= pps }

// String is the rate per direction: "0.612 Mpps", ">= 3.100 Mpps", "undefined", "not found".
func (f Figure) String() string {
	switch {
	case f.HasNumber():
		return f.amount(perDirection, Mpps) + " Mpps"
	case f.Relation == UndefinedThroughput:
		return "undefined"
	}
	return "not found"
}

// isFound tells whether the DUT was seen to carry the rate.
func (f Figure) isFound() bool { return f.Relation == Exact || f.Relation == AtLeast }

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

// figureOf reads a goal's bounds under what they are known to be limited by.
func figureOf(c result.Cell, g result.Goal) Figure {
	f := Figure{Goal: g, Verdict: g.Verdict}
	if f.Verdict == "" {
		f.Verdict = c.Verdict
	}
	f.Relation, f.PerDirectionPPS, f.Note = readBounds(c, g, f.Verdict)
	f.TotalPPS = f.PerDirectionPPS * float64(directions(c.Directions))
	f.PerDirL1BPS = frame.L1BPS(f.PerDirectionPPS, meanBytes(c))
	f.TotalL1BPS = frame.L1BPS(f.TotalPPS, meanBytes(c))
	return f
}

func readBounds(c result.Cell, g result.Goal, verdict result.Verdict) (Relation, float64, string) {
	value := g.LowerPPS
	if g.LossRatio > 0 && g.ConditionalPPS > 0 {
		value = g.ConditionalPPS
	}
	if p := c.BackgroundLossRatio; p != nil {
		switch {
		case g.LossRatio <= *p:
			return UndefinedThroughput, 0, fmt.Sprintf("background loss p = %s at every load", Percent(*p))
		case verdict == result.Undefined && value <= 0:
			return UndefinedThroughput, 0, "loss does not depend on the load"
		}
	}
	disturbed := c.Disturbed() && verdict == result.Unstable
	testerBound := verdict == result.GeneratorBound || verdict == result.ReceiverBound
	switch {
	case disturbed && value <= 0:
		return Absent, 0, "no load passed, and the machine was disturbed"
	case disturbed && !aboveCeiling(c, value):
		return AtLeast, value, "a lower bound: the machine was disturbed"
	case value <= 0 && g.UpperPPS > 0 && !testerBound && !aboveCeiling(c, g.UpperPPS):
		return Below, g.UpperPPS, "no load passed"
	case value <= 0:
		return Absent, 0, "no load passed"
	case aboveCeiling(c, value):
		return AtLeast, c.CeilingPPS, "measured above the ceiling of generator and sink, and not printed: calibrate again"
	case testerBound:
		return AtLeast, value, "a lower bound: the tester ended the search, not the DUT"
	case g.UpperPPS == 0 && verdict == result.Unstable:
		return AtLeast, value, "a lower bound: no load was found to be too much"
	case g.UpperPPS == 0:
		return AtLeast, value, "a lower bound: the maximum load passed"
	}
	return Exact, value, ""
}

func aboveCeiling(c result.Cell, pps float64) bool {
	return c.CeilingPPS > 0 && pps > c.CeilingPPS
}
