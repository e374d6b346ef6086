package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The headings of `linerate --help`.
const (
	groupMeasure = "measure"
	groupRead    = "read"
	groupMachine = "machine"
)

// suggestionDistance is how many edits a command or flag may be away to be suggested.
const suggestionDistance = 2

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "linerate",
		Short: "How many packets per second can this Linux box forward, and what is the limit?",
		Long: `linerate answers with one binary: how many packets per second can this Linux box
forward, with which flows, rules and cores, and if not line rate, why not?

It builds a lab of network namespaces, makes the device under test in the middle
(a router, a stateful firewall, source NAT), searches for its throughput and
writes a report. No hardware is needed; root is.

Exit codes: 0 measured; 1 measured, but a threshold that was asked for was missed;
2 bad plan or arguments; 3 this machine or testbed cannot do it; 4 interrupted:
what was measured is kept and everything is undone.`,
		Example: `  linerate doctor                 what this machine can do, and what it lacks
  linerate bench                  measure the shipped plan "baseline"
  linerate report --format html   a page of the newest run`,
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceUsage:  true,
		SilenceErrors: true,

		SuggestionsMinimumDistance: suggestionDistance,
	}
	// Descriptions of flags are broken between words, so that no line is wider than a terminal.
	const flagColumns = "100"
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped "+flagColumns))
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(
		&cobra.Group{ID: groupMeasure, Title: "Measure:"},
		&cobra.Group{ID: groupRead, Title: "Read what was measured:"},
		&cobra.Group{ID: groupMachine, Title: "This machine:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupMeasure, benchCommand(), abCommand(), kernelsCommand(), plansCommand(), sendCommand(), receiveCommand())
	add(groupRead, reportCommand(), compareCommand(), importCommand(), verifyCommand())
	add(groupMachine, doctorCommand(), selftestCommand(), restoreCommand(), versionCommand())
	root.SetHelpCommand(helpCommand())
	return root
}

// execute runs the command line and returns the exit code. An error is printed
// once. What cobra itself refuses, before a command has begun, is a bad argument.
func execute(args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	begun := false
	noteBegin(root, &begun)
	err := root.Execute()
	if err == nil {
		return exitMeasured
	}
	fmt.Fprintf(stderr, "linerate: %v\n", err)
	var exit *exitError
	switch {
	case errors.As(err, &exit):
		return exit.code
	case !begun:
		return exitBadPlan
	}
	return exitCannot
}

// noteBegin sets begun when the work of any command starts.
func noteBegin(c *cobra.Command, begun *bool) {
	if run := c.RunE; run != nil {
		c.RunE = func(cmd *cobra.Command, args []string) error {
			*begun = true
			return run(cmd, args)
		}
	}
	for _, child := range c.Commands() {
		noteBegin(child, begun)
	}
}

// badArgument is an error of exit code 2.
func badArgument(format string, args ...any) error {
	return &exitError{exitBadPlan, fmt.Errorf(format, args...)}
}

// cannot is err with exit code 3.
func cannot(err error) error { return &exitError{exitCannot, err} }

// knownCommand is the arguments check of the root: whatever is left is no command.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("there is no command %q; %s`%s --help` lists all", args[0], didYouMean(cmd.SuggestionsFor(args[0])), cmd.CommandPath())
}

// atMost is the arguments check of a command that takes up to n, called what.
func atMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) <= n:
			return nil
		case n == 0:
			return fmt.Errorf("%s takes no argument, and was given %s", cmd.CommandPath(), strings.Join(args, " "))
		}
		return fmt.Errorf("%s takes %s, and was given %s", cmd.CommandPath(), what, strings.Join(args, " "))
	}
}

// flagError says which flags are near to one that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return fmt.Errorf("%w; see `%s --help`", err, cmd.CommandPath())
	}
	name := unknown.GetSpecifiedName()
	return fmt.Errorf("%s has no flag %s; %s`%s --help` lists all",
		cmd.CommandPath(), dashed(name), didYouMean(nearFlags(cmd, name)), cmd.CommandPath())
}

// nearFlags lets cobra judge what is near: it does so for commands, so the flags
// are offered to it as commands.
func nearFlags(cmd *cobra.Command, name string) []string {
	names := &cobra.Command{SuggestionsMinimumDistance: suggestionDistance}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	near := names.SuggestionsFor(name)
	for i := range near {
		near[i] = dashed(near[i])
	}
	return near
}

func dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}

// didYouMean is the start of a hint; empty when nothing is near.
func didYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(near, " or ") + "? "
}

// helpCommand is cobra's, but an unknown topic is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return &exitError{exitBadPlan, knownCommand(cmd.Root(), args)}
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
