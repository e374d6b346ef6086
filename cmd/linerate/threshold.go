package main

import (
	"errors"
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

// require writes the thresholds of the flags into the plan's goals: a flag only sets
// a field. One for a goal that the plan does not search for is refused: it could
// never be met.
func require(p *plan.Plan, required map[string]*packetRate) error {
	for _, name := range []string{"NDR", "PDR"} {
		pps := float64(*required[name])
		if pps == 0 {
			continue
		}
		i := slices.IndexFunc(p.Search.Goals, func(g plan.Goal) bool { return g.Name == name })
		if i < 0 {
			var names []string
			for _, g := range p.Search.Goals {
				names = append(names, g.Name)
			}
			return badArgument("--require-%s: the plan %s has no goal %s; its goals are %s", strings.ToLower(name), p.Name, name, strings.Join(names, ", "))
		}
		p.Search.Goals[i].RequirePPS = pps
		err := p.Validate()
		var problems *plan.Problems
		if errors.As(err, &problems) { // the plan was right before
			(*problems)[0].Source = "--require-" + strings.ToLower(name)
		}
		if err != nil {
			return planError(err)
		}
	}
	return nil
}

// checkRequired is an error of exit code 1 that names every cell below what its plan
// requires (search.goals[].require_pps). A cell that was skipped, or has no figure,
// did not show that it reaches it.
func checkRequired(run *result.Run) error {
	var misses []string
	for _, c := range run.Cells {
		for _, g := range run.Plan.Search.Goals {
			// A comparison searches for one goal only.
			varied := run.Comparison != nil || run.Sweep != nil
			if g.RequirePPS == 0 || varied && g.Name != run.Plan.ShortGoal().Name {
				continue
			}
			if f := figureFor(c, g.Name); !f.Reaches(g.RequirePPS) {
				misses = append(misses, fmt.Sprintf("%s: %s %s, required %s", c.ID, g.Name, f, mpps(g.RequirePPS)))
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
