package main

import (
	"fmt"
	"io"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/report"
)

// dryRun prints what a plan would measure and how long it would take.
func dryRun(w io.Writer, p plan.Plan) error {
	cells := p.Cells()
	fmt.Fprintf(w, "plan %s: %s, about %s\n", p.Name, counted(len(cells), "cell"), spoken(plan.EstimateSeconds(cells, p)))
	for _, line := range wrapped(p.Description, 98) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	fmt.Fprintln(w, "\ncells")
	for i, c := range cells {
		fmt.Fprintf(w, "%4d  %s\n", i+1, c.Title())
	}
	fmt.Fprintf(w, "\nsearch by %s, at most %s of traffic for each cell, for\n", p.Search.Algorithm, spoken(p.Search.MaxTrialTime.Seconds()))
	for _, g := range p.Search.Goals {
		allowed := "no loss"
		if g.LossRatio > 0 {
			allowed = "loss up to " + report.Percent(float64(g.LossRatio))
		}
		fmt.Fprintf(w, "  %s: %s, to a width of %s, from trials of %s (%s for each decision)\n",
			g.Name, allowed, report.Percent(float64(g.Width)), spoken(g.TrialDuration.Seconds()), spoken(g.DurationSum.Seconds()))
	}
	_, err := fmt.Fprintln(w, "\nNothing was measured: leave out --dry-run to do it (as root).")
	return err
}
