package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/report"
	"github.com/linerate/linerate/result"
)

// labelColumns is the width of the words at the left of the block.
const labelColumns = 14

// view is the block of lines about what happens now, cut to the terminal's size.
func (s *progress) view(now time.Time, p paint, notice string, columns, rows int) []string {
	width := max(20, min(columns-1, maxWidthColumns))
	lines := []string{"", s.titleRow(now, p, width), rule(p, s.share(now), width), ""}
	lines = append(lines, s.cellNow(p), s.trialRow(p, width), s.reasonRow(p))
	if len(s.bounds) > 0 {
		lines = append(lines, "")
		lines = append(lines, s.boundsRows(p, width)...)
	}
	if notice != "" {
		lines = append(lines, "")
		for _, line := range wrapped(notice, width) {
			lines = append(lines, p.warn(line))
		}
	}
	// A block as high as the terminal would scroll, and could not be replaced.
	if len(lines) > rows-1 {
		lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
		lines = lines[:min(len(lines), max(1, rows-1))]
	}
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], width, "…")
	}
	return lines
}

func (s *progress) titleRow(now time.Time, p paint, width int) string {
	left := p.bold("linerate bench "+planTitle(s.plan)) + p.dim("  run "+s.name)
	right := clock(now.Sub(s.started)) + p.dim(" elapsed, about ") + clock(s.left(now)) + p.dim(" left")
	return left + strings.Repeat(" ", max(2, width-ansi.StringWidth(left)-ansi.StringWidth(right))) + right
}

// planTitle is the plan's name, and that it is simulated where it is.
func planTitle(p plan.Plan) string {
	if p.Testbed == "sim" {
		return p.Name + " (simulation)"
	}
	return p.Name
}

func opening(p plan.Plan) string {
	if p.Testbed == "sim" {
		return "a simulation: no frame is sent"
	}
	return "the lab: namespaces, links, addresses"
}

// rule is a bar of one row: the share of it that is done.
func rule(p paint, share float64, width int) string {
	n := max(0, min(width, int(share*float64(width)+0.5)))
	return p.key(strings.Repeat("━", n)) + p.dim(strings.Repeat("─", width-n))
}

func label(text string) string { return text + strings.Repeat(" ", max(1, labelColumns-len(text))) }

// cellNow says what is being measured.
func (s *progress) cellNow(p paint) string {
	switch {
	case s.number > 0:
		return label(fmt.Sprintf("cell %d of %d", s.number, s.of)) + p.bold(s.cell.Title())
	case s.run == nil:
		return label("opening") + opening(s.plan)
	}
	return label("calibrating") + "generator and sink without a DUT: no figure can be above that"
}

func (s *progress) trialRow(p paint, width int) string {
	t := s.trial
	if t.Number == 0 {
		return label("") + p.dim("setting up")
	}
	load := fmt.Sprintf("%-20s", loadText(t.LoadPPS)+" for "+spoken(t.Duration.Seconds())+"  ")
	share := 0.0
	if t.Duration > 0 {
		share = min(1, s.elapsed.Seconds()/t.Duration.Seconds())
	}
	row := label(fmt.Sprintf("trial %d", t.Number)) + load + rule(p, share, max(8, min(24, width/7)))
	if s.sent == 0 {
		return row + p.dim("  nothing sent yet")
	}
	ratio := float64(s.lost()) / float64(s.sent)
	row += p.dim("  loss so far ") + s.lossPaint(p, ratio)(report.Percent(ratio))
	if frames := fmt.Sprintf(" (%s of %s frames)", report.Thousands(s.lost()), report.Thousands(s.sent)); ansi.StringWidth(row)+len(frames) <= width {
		row += p.dim(frames)
	}
	return row
}

// lossPaint is green without loss, yellow for a loss that some goal allows, red for more.
func (s *progress) lossPaint(p paint, ratio float64) func(string) string {
	if ratio == 0 {
		return p.good
	}
	for _, g := range s.plan.Search.Goals {
		if ratio <= float64(g.LossRatio) {
			return p.warn
		}
	}
	return p.bad
}

func (s *progress) reasonRow(p paint) string {
	if s.trial.Reason == "" {
		return label("")
	}
	return label("") + p.dim(s.trial.Reason)
}

// cellRow is a finished cell, in columns with all others of the run.
func cellRow(p paint, cell plan.Cell, all []plan.Cell, c result.Cell, took time.Duration) string {
	title, longest := shortTitle(cell, all), 0
	for _, other := range all {
		longest = max(longest, len(shortTitle(other, all)))
	}
	title += strings.Repeat(" ", max(0, longest-len(title)))
	if c.Skipped != "" {
		return p.dim("- "+title+"  skipped: ") + p.warn(oneLine(c.Skipped))
	}
	mark := p.good("✓ ")
	if c.Verdict == result.Unstable || c.Verdict == result.Undefined {
		mark = p.bad("? ")
	}
	row := mark + title
	for _, f := range figureTexts(c) {
		row += "  " + p.bold(fmt.Sprintf("%-17s", f))
	}
	row += "  " + p.with(verdictStyle(c.Verdict), string(c.Verdict)) + p.dim("  "+spoken(took.Seconds()))
	if n := len(c.Warnings); n > 0 {
		row += p.warn("  " + counted(n, "warning"))
	}
	return row
}

// shortTitle is the title without what all cells have in common; scenario and flows always stay.
func shortTitle(cell plan.Cell, all []plan.Cell) string {
	const scenario, flows = 0, 3
	parts := strings.Split(cell.Title(), ", ")
	var kept []string
	for i, part := range parts {
		same := len(all) > 1 && !slices.ContainsFunc(all, func(o plan.Cell) bool {
			others := strings.Split(o.Title(), ", ")
			return i >= len(others) || others[i] != part
		})
		if i == scenario || i == flows || !same {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ", ")
}

// verdictStyle is green for a figure of the device, yellow for a limit of the tester, red for doubt.
func verdictStyle(v result.Verdict) lipgloss.Style {
	s := lipgloss.NewStyle()
	switch v {
	case result.DUTBound, result.LinkBound:
		return s.Foreground(lipgloss.Green)
	case result.GeneratorBound, result.ReceiverBound:
		return s.Foreground(lipgloss.Yellow)
	}
	return s.Foreground(lipgloss.Red)
}

func testbedLine(run *result.Run) string {
	t := run.Testbed
	return fmt.Sprintf("%s: DUT on CPU %s, tester on CPU %s, kernel %s", t.Kind, plan.CPUList(t.DUTCPUs), plan.CPUList(t.TesterCPUs), run.Environment.Kernel)
}

// oneLine is a text without its line breaks: a tool's own message may have some.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
