package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/linerate/linerate/report"
	"github.com/linerate/linerate/result"
)

// conclude writes the HTML report, prints the summary, or run.json, and says where
// everything is.
func (f *benchFlags) conclude(run *result.Run, dir string, stdout, stderr io.Writer) error {
	stored, trials, err := result.Open(dir)
	if err != nil {
		return err
	}
	page := ""
	if f.html && len(run.Cells) > 0 {
		page = filepath.Join(dir, htmlReportFile)
		if err := writeReport(page, "html", stored, trials); err != nil {
			return err
		}
	}
	if f.json {
		data, err := os.ReadFile(filepath.Join(dir, "run.json"))
		if err != nil {
			return fmt.Errorf("print the run: %w", err)
		}
		if _, err := stdout.Write(data); err != nil {
			return fmt.Errorf("print the run: %w", err)
		}
		if len(run.Cells) > 0 {
			saved(stderr, dir, page)
		}
		return nil
	}
	if len(run.Cells) == 0 {
		return nil
	}
	summary := textReport(stdout)
	summary.SummaryOnly = true
	fmt.Fprintln(stdout)
	if err := summary.Write(stdout, stored, trials); err != nil {
		return err
	}
	fmt.Fprintln(stdout)
	saved(stdout, dir, page)
	return nil
}

// nothingMeasured is an error of exit code 3 when no cell has a goal's outcome.
func nothingMeasured(run *result.Run, dir string) error {
	reason := ""
	for _, c := range run.Cells {
		if c.HasResults() {
			return nil
		}
		if reason == "" && c.Skipped != "" {
			reason = ": every cell was skipped, the first because " + c.Skipped
		}
	}
	return cannot(fmt.Errorf("nothing was measured%s; the record is in %s", reason, dir))
}

// saved says where the run is and how to read it.
func saved(w io.Writer, dir, page string) {
	at := quoted(dir)
	fmt.Fprintf(w, "saved    %s\n", dir)
	if page != "" {
		fmt.Fprintf(w, "page     %s\n", page)
	}
	fmt.Fprintf(w, "reports  linerate report %s                     all of it as text\n", at)
	fmt.Fprintf(w, "         linerate report %s --format markdown   or csv, json, html\n", at)
	fmt.Fprintf(w, "         linerate compare %s OTHER\n", at)
}

// textReport is laid out for w: in colour and as wide as it is if it is a terminal.
func textReport(w io.Writer) report.Text {
	t := terminalOf(w)
	if t == nil {
		return report.Text{}
	}
	width, _ := t.size()
	return report.Text{Colour: t.colour(), WidthColumns: min(width, maxWidthColumns)}
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if !notInFileNames.MatchString(strings.ReplaceAll(path, "/", "")) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
