package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/report"
)

func compareCommand() *cobra.Command {
	var fail failIf
	cmd := &cobra.Command{
		Use:   "compare A B | A... -- B...",
		Short: "Compare stored runs: two, or several of each side",
		Long: `Compare stored runs. A and B are folders of runs, or folders that hold several: then
each cell that both sides have gets the ratio of its medians with a 95 % interval, a
p-value, and a verdict: changed, equivalent or inconclusive. Several folders of each
side are divided by --. Four runs of each side are the fewest that can show a change.

Two single runs are set side by side, with what differs between the machines. They
cannot tell a change from noise, and the output says so. To measure A and B in turn,
use ` + "`linerate ab`" + `.`,
		Example: `  linerate compare runs/before runs/after
  linerate compare runs/a1 runs/a2 runs/a3 runs/a4 -- runs/b1 runs/b2 runs/b3 runs/b4
  linerate compare runs/of-june runs/of-july --fail-if slower`,
		Args: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at > 0 && at < len(args) || at < 0 && len(args) == 2 {
				return nil
			}
			return badArgument("%s takes the folders of two runs, or folders on both sides of --, and was given %s", cmd.CommandPath(), counted(len(args), "argument"))
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			at := cmd.ArgsLenAtDash()
			if at < 0 {
				at = 1
			}
			a, err := openSide(args[:at])
			if err != nil {
				return err
			}
			b, err := openSide(args[at:])
			if err != nil {
				return err
			}
			text := textReport(cmd.OutOrStdout())
			verdicts, err := report.Compare(cmd.OutOrStdout(), a, b, report.CompareOptions{Colour: text.Colour, WidthColumns: text.WidthColumns})
			if err != nil {
				return err
			}
			for _, v := range verdicts {
				if fail.meets(v.Verdict, v.Ratio) {
					return &exitError{exitThresholdMissed, fmt.Errorf("--fail-if %s: %s is %s", fail, v.Cell, v.Verdict)}
				}
			}
			return nil
		},
	}
	fail.register(cmd)
	return cmd
}

// openSide reads the runs of a side: each folder is a run, or holds runs.
func openSide(dirs []string) ([]report.StoredRun, error) {
	var runs []report.StoredRun
	for _, dir := range dirs {
		found := []string{dir}
		if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
			if below, _ := filepath.Glob(filepath.Join(dir, "*", "run.json")); len(below) > 0 {
				found = nil
				for _, path := range below {
					found = append(found, filepath.Dir(path))
				}
			}
		}
		for _, f := range found {
			run, trials, err := openRun(f)
			if err != nil {
				return nil, err
			}
			runs = append(runs, report.StoredRun{Run: run, Trials: trials})
		}
	}
	return runs, nil
}
