package main

import (
	"math"
	"strings"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/report"
	"github.com/linerate/linerate/search"
)

// numbersColumns is the width of the numbers at the right of the bars.
const numbersColumns = 42

// boundsRows draw for each goal the loads that passed, those not yet decided and
// those that were too much, over one axis with the load of the current trial.
func (s *progress) boundsRows(p paint, width int) []string {
	bar := max(10, min(48, width-labelColumns-numbersColumns))
	end := s.axisEnd()
	var rows []string
	for _, b := range s.bounds {
		rows = append(rows, label(b.Goal.Name)+boundsBar(p, b, end, bar)+"  "+boundsNumbers(p, b))
	}
	unit := "Mpps"
	if s.number > 0 && s.cell.Directions == plan.Bi {
		unit = "Mpps each way"
	}
	return append(rows, p.dim(label(unit))+axis(p, s.trial.LoadPPS, end, bar)+"  "+p.dim(s.ceilingNote()))
}

// axisEnd is the load at the right end. It comes nearer when every goal has an
// upper bound, so that the bounds can be told apart to the end.
func (s *progress) axisEnd() float64 {
	end, highest, open := s.calibrated, s.trial.LoadPPS, false
	for _, b := range s.bounds {
		highest = max(highest, b.LowerPPS, b.UpperPPS)
		open = open || !b.HasUpper
	}
	if end > 0 && (open || highest*1.25 > end) {
		return max(end, highest)
	}
	return roundUp(max(1, highest*1.25))
}

// roundUp is the next number of one digit, or of a digit and a half: 1.2e6 gives 1.5e6.
func roundUp(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, step := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if v <= step*unit {
			return step * unit
		}
	}
	return 10 * unit
}

func boundsBar(p paint, b search.Bounds, end float64, width int) string {
	column := func(pps float64) int { return max(0, min(width, int(pps/end*float64(width)+0.5))) }
	low, high := 0, width
	if b.HasLower {
		low = column(b.LowerPPS)
	}
	if b.HasUpper {
		high = max(low, column(b.UpperPPS))
	}
	if high == low && high < width && !b.Done { // what is not decided is always to be seen
		high++
	}
	return p.good(strings.Repeat("━", low)) + p.warn(strings.Repeat("▆", high-low)) + p.dim(strings.Repeat("·", width-high))
}

func boundsNumbers(p paint, b search.Bounds) string {
	text := boundsText(b)
	switch {
	case b.Done && b.Reason != "":
		return text + p.dim("  "+b.Reason)
	case b.Done:
		return text + p.good("  found")
	case b.HasLower && b.HasUpper:
		return text + p.dim("  "+report.Percent((b.UpperPPS-b.LowerPPS)/b.UpperPPS)+" apart")
	}
	return text
}

// axis has 0 and its end written below the bars, and a mark at the current load.
func axis(p paint, load, end float64, width int) string {
	right := report.Mpps(end)
	cells := []rune("0" + strings.Repeat(" ", max(0, width-1-len(right))) + right)
	if load <= 0 {
		return p.dim(string(cells))
	}
	at := max(0, min(len(cells)-1, int(load/end*float64(width))))
	return p.dim(string(cells[:at])) + p.key("▲") + p.dim(string(cells[at+1:]))
}

func (s *progress) ceilingNote() string {
	if s.calibrated == 0 {
		return ""
	}
	return "ceiling without a DUT " + report.Mpps(s.calibrated)
}
