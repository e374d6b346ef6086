package main

import (
	"github.com/spf13/cobra"

	"github.com/linerate/linerate/report"
)

func compareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compare A B",
		Short: "Set two stored runs side by side",
		Long: `Set two stored runs side by side: the figures of the cells that both have, and what
differs between the two machines. A and B are folders of runs.`,
		Example: "  linerate compare runs/before runs/after",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return badArgument("%s takes the folders of two runs, and was given %s", cmd.CommandPath(), counted(len(args), "argument"))
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			a, _, err := openRun(args[0])
			if err != nil {
				return err
			}
			b, _, err := openRun(args[1])
			if err != nil {
				return err
			}
			text := textReport(cmd.OutOrStdout())
			return report.Compare(cmd.OutOrStdout(), a, b, report.CompareOptions{Colour: text.Colour, WidthColumns: text.WidthColumns})
		},
	}
}
