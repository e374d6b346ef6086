package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/plans"
)

// completePlan offers the shipped plans, and files beside them.
func completePlan(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return plans.Names(), cobra.ShellCompDirectiveDefault
}

// completeField offers the fields of a plan for --set, the goals by their default names.
func completeField(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var paths []string
	for _, f := range plan.Fields() {
		head, tail, isGoal := strings.Cut(f.Path, "[]")
		if !isGoal {
			paths = append(paths, f.Path+"=\t"+f.Text)
			continue
		}
		for _, g := range plan.DefaultGoals() {
			paths = append(paths, head+"."+g.Name+tail+"=\t"+f.Text)
		}
	}
	return paths, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}
