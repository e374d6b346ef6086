package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/linerate/linerate/internal/doctor"
	"github.com/spf13/cobra"
)

// doctorCommand examines this machine. The error, if the lab cannot run, has exit code 3.
func doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine can measure, and what each missing thing costs",
		Long: `Doctor tries what linerate uses: BPF, namespaces, devices, rules and real-time
priority of this kernel, and the installed tools. It keeps every CPU busy for
about a second to see how often the machine takes it away. Nothing stays behind.

It exits with 0 if the lab can run here, and with 3 if not.`,
		Example: `  sudo linerate doctor
  sudo linerate doctor --json | jq '.groups[].rows[] | select(.status != "ok")'`,
		Args: atMost(0, ""),
		RunE: func(c *cobra.Command, _ []string) error {
			report := doctor.Examine()
			if err := writeExamination(c.OutOrStdout(), report, asJSON); err != nil {
				return err
			}
			if err := report.Err(); err != nil {
				return cannot(&unfitError{err})
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the examination as JSON")
	return c
}

// unfitError is short, for the table has said it all; what is missing can be unwrapped.
type unfitError struct{ missing error }

func (e *unfitError) Error() string {
	return "the lab cannot run on this machine: see the rows that are missing"
}

func (e *unfitError) Unwrap() error { return e.missing }

func writeExamination(w io.Writer, report doctor.Report, asJSON bool) error {
	if !asJSON {
		width := maxWidthColumns
		seen := terminalOf(w)
		if seen != nil {
			width, _ = seen.size()
		}
		return report.WriteText(w, seen.colour(), width)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(report); err != nil {
		return fmt.Errorf("print the examination as JSON: %w", err)
	}
	return nil
}
