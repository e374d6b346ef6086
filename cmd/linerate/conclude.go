package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"

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
	text, err := summary(stdout, stored, trials)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(stdout, "\n"+text+"\n"); err != nil {
		return fmt.Errorf("print the summary: %w", err)
	}
	saved(stdout, dir, page)
	return nil
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

// detailHeadings begin the part of a text report that follows the summary.
var detailHeadings = []string{"DUT cores needed", "Cells", "Warnings", "Environment"}

// summary is the start of the text report: the answer and the table of all cells.
func summary(w io.Writer, run *result.Run, trials []result.Trial) (string, error) {
	var b bytes.Buffer
	if err := textReport(w).Write(&b, run, trials); err != nil {
		return "", err
	}
	var head strings.Builder
	for line := range strings.Lines(b.String()) {
		plain := ansi.Strip(line)
		for _, h := range detailHeadings {
			if strings.HasPrefix(plain, h) {
				return strings.TrimRight(head.String(), "\n") + "\n", nil
			}
		}
		head.WriteString(line)
	}
	return head.String(), nil
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
