package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/report"
	"github.com/linerate/linerate/result"
)

// packetRate is a flag's value in packets per second: "500000", "500k", "1.2M". 0 is not set.
type packetRate float64

// String is the rate without a multiplier.
func (r *packetRate) String() string {
	if *r == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*r), 'f', -1, 64)
}

// Type names the value in --help.
func (r *packetRate) Type() string { return "pps" }

// Set reads a flag.
func (r *packetRate) Set(text string) error {
	number, factor := strings.TrimSuffix(text, "pps"), 1.0
	for suffix, f := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if rest, found := strings.CutSuffix(number, suffix); found {
			number, factor = rest, f
			break
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || v <= 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return fmt.Errorf("%q is not a rate above 0 in packets per second; write 500000, 500k or 1.2M", text)
	}
	*r = packetRate(v * factor)
	return nil
}

// threshold is the least throughput that every cell must have for a goal.
type threshold struct {
	goal string
	pps  float64
}

type thresholds []threshold

// thresholdsFor are those that were asked for. One for a goal that the plan does
// not search for is refused: it could never be met.
func thresholdsFor(p plan.Plan, required map[string]*packetRate) (thresholds, error) {
	var names []string
	for _, g := range p.Search.Goals {
		names = append(names, g.Name)
	}
	var list thresholds
	for _, goal := range []string{"NDR", "PDR"} {
		pps := float64(*required[goal])
		if pps == 0 {
			continue
		}
		if !slices.Contains(names, goal) {
			return nil, badArgument("--require-%s: the plan %s has no goal %s; its goals are %s", strings.ToLower(goal), p.Name, goal, strings.Join(names, ", "))
		}
		list = append(list, threshold{goal, pps})
	}
	return list, nil
}

// check is an error of exit code 1 that names every cell below a threshold. A cell
// that was skipped, or has no figure, did not show that it meets one.
func (ts thresholds) check(run *result.Run) error {
	var misses []string
	for _, c := range run.Cells {
		for _, t := range ts {
			if f := figureFor(c, t.goal); !f.Reaches(t.pps) {
				misses = append(misses, fmt.Sprintf("%s: %s %s, required %s", c.ID, t.goal, f, mpps(t.pps)))
			}
		}
	}
	if len(misses) == 0 {
		return nil
	}
	return &exitError{exitThresholdMissed, fmt.Errorf("below what was required:\n  %s", strings.Join(misses, "\n  "))}
}

// figureFor is the cell's figure for a goal; one without a number if it has none.
func figureFor(c result.Cell, goal string) report.Figure {
	for _, f := range report.Figures(c) {
		if f.Goal.Name == goal {
			return f
		}
	}
	return report.Figure{Relation: report.Absent}
}
