package main

import (
	"fmt"
	"io"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/report"
)

// dryRun prints what a plan would measure and how long it would take.
func dryRun(w io.Writer, p plan.Plan) error {
	if variants := p.Variants(); len(variants) > 0 {
		return dryRunVaried(w, p, variants)
	}
	cells := p.Cells()
	e, err := bench.EstimateOf(p)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "plan %s: %s, about %s\n", p.Name, counted(len(cells), "cell"), spoken(max(1, e.TotalSeconds())))
	for _, line := range wrapped(p.Description, 98) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	fmt.Fprintln(w, "\ncells")
	for i, c := range cells {
		fmt.Fprintf(w, "%4d  %s\n", i+1, c.Title())
	}
	if p.OfStreams() {
		repeats, seconds := p.StreamsBudget()
		fmt.Fprintf(w, "\nstreams of %s: %s of %s for each cell, offloads of the ends %s\n", p.Workload, counted(repeats, "take"), spoken(seconds), p.EndOffloads())
		_, err := fmt.Fprintln(w, "\nNothing was measured: leave out --dry-run to do it (as root).")
		return err
	}
	if !p.Has(plan.Throughput) {
		otherTests(w, p)
		_, err := fmt.Fprintln(w, "\nNothing was measured: leave out --dry-run to do it (as root).")
		return err
	}
	fmt.Fprintf(w, "\nsearch by %s, at most %s of traffic for each cell, for\n", p.Search.Algorithm, spoken(p.Search.MaxTrialTime.Seconds()))
	for _, g := range p.Search.Goals {
		allowed := "no loss"
		if g.LossRatio > 0 {
			allowed = "loss up to " + report.Percent(float64(g.LossRatio))
		}
		decision := spoken(g.DurationSum.Seconds())
		if p.Search.Algorithm == "binary" {
			decision = "one"
		}
		fmt.Fprintf(w, "  %s: %s, to a width of %s, from trials of %s (%s for each decision)\n",
			g.Name, allowed, report.Percent(float64(g.Width)), spoken(g.TrialDuration.Seconds()), decision)
	}
	for _, line := range wrapped(expectation(p, e), 98) {
		fmt.Fprintln(w, line)
	}
	otherTests(w, p)
	how := " (as root)"
	if p.Testbed == "sim" {
		how = ""
	}
	_, err = fmt.Fprintf(w, "\nNothing was measured: leave out --dry-run to do it%s.\n", how)
	return err
}

// expectation says what a cell is expected to take, and how that was found out.
func expectation(p plan.Plan, e bench.Estimate) string {
	span := func(s bench.Span) string {
		if s.LeastS == s.MostS {
			return spoken(s.MedianS)
		}
		return fmt.Sprintf("%s (%s to %s)", spoken(s.MedianS), spoken(s.LeastS), spoken(s.MostS))
	}
	if p.Testbed == "sim" {
		return fmt.Sprintf("A cell is expected to have %s of trials, in virtual time: a simulation takes a moment.", span(e.TrialSeconds))
	}
	return fmt.Sprintf("A cell is expected to have %s of trials, and to take %s, by simulating this search on a device like a Linux router on a machine that is shared; trials that are disturbed and made again come on top.",
		span(e.TrialSeconds), span(e.WallSeconds))
}

// otherTests are the tests besides the throughput search, in a line each.
func otherTests(w io.Writer, p plan.Plan) {
	for _, t := range p.Tests {
		switch t {
		case plan.LossRate:
			fmt.Fprintf(w, "%s: from the maximum load down by %s, %s at each\n", t, report.Percent(float64(p.FrameLossRate.Step)), spoken(p.FrameLossRate.TrialDuration.Seconds()))
		case plan.Bursts:
			fmt.Fprintf(w, "%s: the longest burst without loss, looked for %s\n", t, counted(p.BackToBack.Repeats, "time"))
		case plan.Recovery:
			fmt.Fprintf(w, "%s: %s of overload, then %s at half of it, %s\n", t, spoken(p.SystemRecovery.OverloadDuration.Seconds()),
				spoken(p.SystemRecovery.RecoveryDuration.Seconds()), counted(p.SystemRecovery.Repeats, "time"))
		}
	}
	if n := p.Capture.Frames; n > 0 {
		fmt.Fprintf(w, "capture: %s of each port\n", counted(n, "frame"))
	}
}
