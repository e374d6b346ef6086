package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// failIf is the outcome of a comparison that ends the command with exit code 1.
type failIf string

var failIfs = []string{"changed", "slower", "not-equivalent"}

// register adds the flag.
func (f *failIf) register(cmd *cobra.Command) {
	cmd.Flags().Var(f, "fail-if", "exit with 1 if any cell is `OUTCOME`: "+strings.Join(failIfs, ", ")+" (slower: changed, and B is below A)")
	_ = cmd.RegisterFlagCompletionFunc("fail-if", cobra.FixedCompletions(failIfs, cobra.ShellCompDirectiveNoFileComp))
}

func (f *failIf) String() string { return string(*f) }

// Type is the word for help.
func (f *failIf) Type() string { return "outcome" }

// Set refuses other words.
func (f *failIf) Set(text string) error {
	if !slices.Contains(failIfs, text) {
		return fmt.Errorf("it takes %s", strings.Join(failIfs, ", "))
	}
	*f = failIf(text)
	return nil
}

// meets tells whether a verdict is the outcome that fails.
func (f failIf) meets(verdict string, ratio float64) bool {
	switch f {
	case "changed":
		return verdict == string(stats.Changed)
	case "slower":
		return verdict == string(stats.Changed) && ratio < 1
	case "not-equivalent":
		return verdict != string(stats.Equivalent)
	}
	return false
}

// checkAB is an error of exit code 1 if a cell of an A/B comparison met the outcome of its plan.
func checkAB(run *result.Run) error {
	if run.Comparison == nil {
		return nil
	}
	f := failIf(run.Plan.AB.FailIf)
	for _, c := range run.Comparison.Cells {
		if f.meets(c.Verdict, c.EstimateRatio) {
			return &exitError{exitThresholdMissed, fmt.Errorf("ab.fail_if %s: %s: %s, B/A %.4f", f, c.CellB, c.Verdict, c.EstimateRatio)}
		}
	}
	return nil
}
