package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/plans"
)

func plansCommand() *cobra.Command {
	var schema, fields bool
	cmd := &cobra.Command{
		Use:   "plans [NAME]",
		Short: "List the shipped plans, or print one to start from",
		Long: `List the shipped plans with the number of their cells and the expected time, or
print one of them as YAML: a plan of your own starts as a copy.`,
		Example: `  linerate plans
  linerate plans linux-router > mine.yaml
  linerate plans --fields                    everything that bench --set can change
  linerate plans --schema > plan.schema.json   for an editor`,
		Args:              atMost(1, "the name of one plan"),
		ValidArgsFunction: completeShippedPlans,
		RunE: func(cmd *cobra.Command, args []string) error {
			w := cmd.OutOrStdout()
			switch {
			case schema:
				data, err := plan.Schema()
				if err != nil {
					return err
				}
				_, err = w.Write(data)
				return err
			case fields:
				return listFields(w)
			case len(args) == 1:
				return printPlan(w, args[0])
			}
			return listPlans(w)
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON schema of a plan")
	cmd.Flags().BoolVar(&fields, "fields", false, "list all fields of a plan, as bench --set takes them")
	cmd.MarkFlagsMutuallyExclusive("schema", "fields")
	return cmd
}

// measuredThings is what a plan is counted in: cells, or the measurements of a comparison or a sweep.
func measuredThings(p plan.Plan) string {
	if len(p.Variants()) > 0 {
		return "measurement"
	}
	return "cell"
}

func listPlans(w io.Writer) error {
	for i, name := range plans.Names() {
		p, err := plan.Load(name)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		e, err := bench.EstimateOf(p)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: %s, about %s\n", name, counted(e.Cells, measuredThings(p)), spoken(e.TotalSeconds()))
		for _, line := range wrapped(p.Description, 78) {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	_, err := fmt.Fprintln(w, "\n`linerate bench NAME` measures one, `linerate plans NAME` prints it.")
	return err
}

func printPlan(w io.Writer, name string) error {
	data, err := plans.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return badArgument("%v; the shipped plans are %s", err, strings.Join(plans.Names(), ", "))
	}
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func listFields(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range plan.Fields() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.Path, f.Type, f.Text)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, "\nEntries of a list are written with commas: --set traffic.flows=1,1000. A goal is\nnamed: --set search.goals.NDR.width=1%, and --set search.goals=PDR keeps only PDR.\n")
	return err
}

func completeShippedPlans(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return plans.Names(), cobra.ShellCompDirectiveNoFileComp
}

// counted is a number with its noun: "1 cell", "2 cells".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// wrapped breaks text between words into lines of at most width columns.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
