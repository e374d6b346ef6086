package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/report"
)

// dryRunVaried prints what a comparison or a sweep would measure.
func dryRunVaried(w io.Writer, p plan.Plan, variants []plan.Variant) error {
	measurements := p.Measurements()
	e, err := bench.EstimateOf(p)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "plan %s: %s, about %s\n", p.Name, counted(len(measurements), "measurement"), spoken(max(1, e.TotalSeconds())))
	for _, line := range wrapped(p.Description, 98) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	if p.AB.On() {
		for _, side := range []struct {
			name        string
			assignments []string
		}{{"A", p.AB.A}, {"B", p.AB.B}} {
			changes := strings.Join(side.assignments, " ")
			if changes == "" {
				changes = "the plan as it stands"
			}
			fmt.Fprintf(w, "  %s  %s\n", side.name, changes)
		}
		fmt.Fprintf(w, "\nA beside B in %d pairs for each cell, and %d pairs with A in both halves for the noise floor;\n", p.AB.Pairs, p.AB.AAPairs)
		fmt.Fprintf(w, "a change counts beyond %s or the noise floor, at an alpha of %s\n", report.Percent(float64(p.AB.LeastChange)), report.Percent(float64(p.AB.Alpha)))
	} else {
		fmt.Fprintf(w, "\n%s: %s; each value %s, in random order\n", p.Sweep.Field, strings.Join(p.Sweep.Values, ", "), counted(p.Sweep.Repeats, "time"))
	}
	fmt.Fprintln(w, "\ncells")
	n := 0
	for _, v := range variants {
		for _, c := range v.Cells {
			n++
			fmt.Fprintf(w, "%4d  %s\n", n, c.Title())
		}
	}
	if p.Figure() == plan.FigureThroughput {
		g := p.ShortGoal()
		fmt.Fprintf(w, "\nthe figure is the throughput by a short search for %s: trials of %s, %s for each decision\n", g.Name, spoken(g.TrialDuration.Seconds()), spoken(g.DurationSum.Seconds()))
	} else {
		fmt.Fprintf(w, "\nthe figure is the forwarding rate at a fixed load: %s of %s\n", counted(p.Repeated.Trials, "trial"), spoken(p.Repeated.TrialDuration.Seconds()))
	}
	_, err = fmt.Fprintln(w, "\nNothing was measured: leave out --dry-run to do it (as root).")
	return err
}
