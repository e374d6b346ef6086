package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/report"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
)

// plain prints a line for each trial, or with quiet for each cell, for a log or a pipe.
type plain struct {
	mu sync.Mutex
	w  io.Writer
	*progress
	quiet bool
}

// line prints a line with the time since the start. It is not an error if nobody reads it.
func (d *plain) line(format string, args ...any) {
	fmt.Fprintf(d.w, "%7s  %s\n", clock(d.now().Sub(d.started)), fmt.Sprintf(format, args...))
}

func (d *plain) Opened(run *result.Run, cells []plan.Cell) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened(run, cells)
	d.line("run %s: plan %s, %s, about %s", d.name, planTitle(d.plan), counted(len(cells), "cell"), spoken(d.left(d.now()).Seconds()))
}

func (d *plain) Calibrated(c result.Ceiling) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calibratedAt(c)
	d.line("%s", ceilingLine(c))
}

func (d *plain) CellStarted(number, of int, c plan.Cell) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cellStarted(number, of, c)
	if !d.quiet {
		d.line("cell %d of %d: %s; about %s left", number, of, c.Title(), spoken(d.left(d.now()).Seconds()))
	}
}

func (d *plain) TrialStarted(t bench.TrialStart) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trialStarted(t)
}

func (d *plain) TrialProgress(uint64, uint64, time.Duration) {}

func (d *plain) TrialEnded(t result.Trial, bounds []search.Bounds) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trialEnded(t, bounds)
	if d.quiet {
		return
	}
	what := "trial"
	switch t.Purpose {
	case result.ForCalibration:
		what = "calibration trial"
	case result.ForLatency:
		what = "latency trial"
	}
	text := fmt.Sprintf("%s %d: %s for %s, loss %s", what, t.Number, loadText(t.IntendedLoadPPS), spoken(t.IntendedDurationS), report.Percent(t.LossRatio()))
	if t.Unsent > 0 {
		text += fmt.Sprintf(" (unsent %s)", report.Percent(t.UnsentRatio()))
	}
	var parts []string
	for _, b := range bounds {
		parts = append(parts, b.Goal.Name+" "+boundsText(b))
	}
	if l := t.Latency; t.Purpose == result.ForLatency && l != nil {
		parts = append(parts, fmt.Sprintf("P50 %s, P99 %s", report.Time(l.P50NS), report.Time(l.P99NS)))
	}
	if len(parts) > 0 {
		text += " | " + strings.Join(parts, ", ")
	}
	d.line("%s", text)
}

func (d *plain) CellEnded(c result.Cell) {
	d.mu.Lock()
	defer d.mu.Unlock()
	took := d.cellEnds(d.now(), c.Skipped != "")
	d.line("cell %d of %d done: %s", d.number, d.of, cellLine(d.cell, c, took))
}

func (d *plain) Doubt(w result.Warning) { d.Notice("warning: " + w.Text) }

func (d *plain) Notice(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.line("%s", text)
}

// Close does nothing: every line is out.
func (d *plain) Close() {}

func ceilingLine(c result.Ceiling) string {
	shape := plan.Cell{Scenario: "none", IPVersion: c.IPVersion, FrameSize: c.FrameSize, Flows: c.Flows, Directions: c.Directions}
	return fmt.Sprintf("ceiling without a DUT: %s (%s)", mpps(c.PPS), strings.TrimPrefix(shape.Title(), "none, "))
}

// cellLine is a finished cell: its figures, or why it has none.
func cellLine(cell plan.Cell, c result.Cell, took time.Duration) string {
	if c.Skipped != "" {
		return cell.Title() + ": skipped: " + oneLine(c.Skipped)
	}
	text := cell.Title() + ": " + strings.Join(figureTexts(c), ", ")
	if c.Verdict != "" {
		text += ", " + string(c.Verdict)
	}
	if n := len(c.Warnings); n > 0 {
		text += ", " + counted(n, "warning")
	}
	return text + " (" + spoken(took.Seconds()) + ")"
}

// figureTexts are the figures with their goals: "NDR 0.612 Mpps".
func figureTexts(c result.Cell) []string {
	if len(c.Streams) > 0 {
		return []string{report.StreamsLine(c)}
	}
	if c.Unpaced != nil {
		return []string{report.UnpacedLine(c)}
	}
	var texts []string
	for _, f := range report.Figures(c) {
		texts = append(texts, f.Goal.Name+" "+f.String())
	}
	return texts
}

// loadText is a load; 0 is that of a generator without a pace.
func loadText(pps float64) string {
	if pps == 0 {
		return "as fast as it goes"
	}
	return mpps(pps)
}

// boundsText is what is known of a goal: "0.602 to 0.688 Mpps".
func boundsText(b search.Bounds) string {
	switch {
	case b.HasLower && b.HasUpper:
		return report.Mpps(b.LowerPPS) + " to " + mpps(b.UpperPPS)
	case b.HasLower:
		return "from " + mpps(b.LowerPPS)
	case b.HasUpper:
		return "below " + mpps(b.UpperPPS)
	}
	return "open"
}
