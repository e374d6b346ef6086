package bench

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/linerate/linerate/report"
	"github.com/linerate/linerate/result"
)

// TestBinarySearchIsDoubted looks for the warning in the record and in what readers see of it.
func TestBinarySearchIsDoubted(t *testing.T) {
	run, trials, _, err := runPlan(t, t.Context(), "search.algorithm=binary", "search.goals=PDR", "search.goals.PDR.trial_duration=100ms",
		"search.goals.PDR.duration_sum=1s", "search.goals.PDR.width=20%", "search.max_trial_time=1s")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(run.Cells[0].Warnings, func(w result.Warning) bool { return w.Code == "binary-search" }) {
		t.Errorf("the warnings of the cell are %v", run.Cells[0].Warnings)
	}
	if g := run.Cells[0].Goals[0]; g.DurationSumS != 0.1 {
		t.Errorf("a decision is said to take %v s, a trial takes 0.1 s", g.DurationSumS)
	}
	for _, format := range []string{"text", "markdown", "json", "html"} {
		writer, err := report.For(format)
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err := writer.Write(&page, run, trials); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.String(), "binary-search") || !strings.Contains(page.String(), "each bound rests on one trial") {
			t.Errorf("the report as %s does not say that each bound rests on one trial", format)
		}
	}
}
