package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/linerate/linerate/result"
)

// defaultWidthColumns is the terminal that text is laid out for when Text does not say.
const defaultWidthColumns = 100

// Text writes a report for a terminal.
type Text struct {
	// Colour adds ANSI colours and bold type; without it the output is plain text.
	Colour bool
	// WidthColumns is where sentences are broken; 0 stands for 100. Tables keep their own width.
	WidthColumns int
	// SummaryOnly ends the report after the answer and the table of all cells.
	SummaryOnly bool
}

// Write writes the summary first, then the evidence of each cell.
func (t Text) Write(w io.Writer, run *result.Run, trials []result.Trial) error {
	if t.WidthColumns <= 0 {
		t.WidthColumns = defaultWidthColumns
	}
	p := &page{width: t.WidthColumns, paint: paint{t.Colour}}
	d := digestOf(run, trials)
	p.title(d)
	p.comparisonAB(run)
	p.sweepCurves(run)
	if ofKernels(run) {
		p.sections(d)
	} else {
		p.summary(d)
	}
	if !t.SummaryOnly {
		if !ofKernels(run) {
			p.pairsAB(run)
			p.cores(d)
			p.figureTables(d)
			p.sections(d)
			p.cells(d)
		}
		p.warnings(d)
		p.environment(run)
		p.repeat(run)
	}
	if _, err := w.Write(p.out.Bytes()); err != nil {
		return fmt.Errorf("writing the text report: %w", err)
	}
	return nil
}

// page collects the lines of a text report.
type page struct {
	out   bytes.Buffer
	width int
	paint
}

// paint colours text, or leaves it alone.
type paint struct{ colour bool }

func (p paint) with(s lipgloss.Style, text string) string {
	if !p.colour || text == "" {
		return text
	}
	return s.Render(text)
}

func (p paint) bold(s string) string { return p.with(lipgloss.NewStyle().Bold(true), s) }
func (p paint) dim(s string) string  { return p.with(lipgloss.NewStyle().Foreground(grey), s) }

// The colours are of the terminal's own palette, so that its theme decides.
var (
	grey   = lipgloss.BrightBlack
	green  = lipgloss.Green
	yellow = lipgloss.Yellow
	red    = lipgloss.Red
	cyan   = lipgloss.Cyan
)

// verdictStyle is green for a figure of the device, yellow for a limit of the tester, red for doubt.
func verdictStyle(verdict string) lipgloss.Style {
	s := lipgloss.NewStyle()
	switch result.Verdict(verdict) {
	case result.DUTBound, result.LinkBound:
		return s.Foreground(green)
	case result.GeneratorBound, result.ReceiverBound:
		return s.Foreground(yellow)
	case result.Unstable, result.Undefined:
		return s.Foreground(red)
	}
	return s.Foreground(grey)
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

func (p *page) heading(s string) {
	p.line("\n%s", p.with(lipgloss.NewStyle().Bold(true).Foreground(cyan), s))
}

// wrapped breaks text between words; lead starts the first line and its width indents the others.
func (p *page) wrapped(lead, text string) { p.wrappedIn(lipgloss.NewStyle(), lead, text) }

func (p *page) wrappedIn(style lipgloss.Style, lead, text string) {
	indent := strings.Repeat(" ", lipgloss.Width(lead))
	line := ""
	for _, word := range words(text) {
		switch {
		case line == "":
			line = word
		case lipgloss.Width(lead)+lipgloss.Width(line)+1+lipgloss.Width(word) > p.width:
			p.line("%s%s", lead, p.with(style, line))
			lead, line = indent, word
		default:
			line += " " + word
		}
	}
	p.line("%s%s", lead, p.with(style, line))
}

// words are what a line may be broken between: a number keeps its unit.
func words(text string) []string {
	const kept = "\x00"
	list := strings.Fields(numberAndUnit.ReplaceAllString(text, "$1$3"+kept+"$2$4"))
	for i, w := range list {
		list[i] = strings.ReplaceAll(w, kept, " ")
	}
	return list
}

func (p *page) title(d digest) {
	run := d.Run
	p.line("%s  %s", p.bold("linerate: "+title(run)), p.dim(runLine(run)))
	if run.Outcome != result.Measured {
		p.wrapped(p.with(lipgloss.NewStyle().Foreground(red), "! "), outcomeSentence(run))
	}
	p.line("")
	for i, s := range d.Headline {
		if i == 0 {
			p.wrappedIn(lipgloss.NewStyle().Bold(true), "", s)
			continue
		}
		p.wrapped("", s)
	}
}

// runLine is the run in a line: when, how long, where.
func runLine(run *result.Run) string {
	parts := []string{"run " + run.ID, run.Started.UTC().Format("2006-01-02 15:04 MST")}
	if run.Finished.After(run.Started) {
		parts = append(parts, "took "+run.Finished.Sub(run.Started).Round(time.Second).String())
	}
	if run.Testbed.Kind != "" {
		parts = append(parts, "testbed "+run.Testbed.Kind)
	}
	return strings.Join(parts, " | ")
}

func outcomeSentence(run *result.Run) string {
	said := map[result.Outcome]string{
		result.Running:     "This run has not ended, or was killed: what was stored so far is shown",
		result.Interrupted: "This run was interrupted: what was measured before is shown",
		result.Failed:      "This run failed: what was measured before is shown",
	}[run.Outcome]
	if said == "" {
		said = fmt.Sprintf("The outcome of this run is %q", run.Outcome)
	}
	if run.Error != "" {
		said += ". The reason: " + run.Error
	}
	return sentence(said)
}
