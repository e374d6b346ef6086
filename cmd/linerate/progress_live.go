package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
)

// redrawInterval bounds what the display costs: it runs on the machine that is measured.
const redrawInterval = 200 * time.Millisecond

// live redraws a block of lines at the end of a terminal; finished cells scroll up
// above it. It neither changes the modes of the terminal nor hides the cursor.
type live struct {
	mu sync.Mutex
	t  *terminal
	paint
	*progress
	// pending lines go above the block with the next drawing.
	pending []string
	notice  string
	// shown are the lines of the block on the terminal, which had shownColumns then.
	shown        []string
	shownColumns int
	stop         chan struct{}
	closed       bool
}

func startLive(t *terminal, p *progress) *live {
	d := &live{t: t, paint: paint{t.colour()}, progress: p, stop: make(chan struct{})}
	go func() {
		tick := time.NewTicker(redrawInterval)
		defer tick.Stop()
		for {
			d.update(func() {})
			select {
			case <-tick.C:
			case <-d.stop:
				return
			}
		}
	}()
	return d
}

// change applies an event; the next tick draws it.
func (d *live) change(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

// update applies an event and draws at once.
func (d *live) update(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	f()
	columns, rows := d.t.size()
	d.draw(d.view(d.now(), d.paint, d.notice, columns, rows), columns)
}

// draw replaces the block. One write, so that no half of it is ever seen.
func (d *live) draw(block []string, columns int) {
	if len(d.pending) == 0 && columns == d.shownColumns && strings.Join(block, "\n") == strings.Join(d.shown, "\n") {
		return
	}
	var b bytes.Buffer
	b.WriteString("\x1b[?2026h") // begin a synchronised update, where the terminal knows it
	if up := d.rowsShown(columns); up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	b.WriteByte('\r')
	for _, line := range append(d.pending, block...) {
		b.WriteString(line + "\x1b[K\r\n")
	}
	b.WriteString("\x1b[J\x1b[?2026l")
	_, _ = d.t.file.Write(b.Bytes()) // a terminal that is gone is no reason to end a run
	d.pending, d.shown, d.shownColumns = nil, block, columns
}

// rowsShown is the height of the block as it is on the terminal now: one that was
// made narrower has wrapped its lines.
func (d *live) rowsShown(columns int) int {
	rows := 0
	for _, line := range d.shown {
		rows += max(1, (ansi.StringWidth(line)+columns-1)/columns)
	}
	return rows
}

// above adds a line that stays.
func (d *live) above(line string) { d.pending = append(d.pending, line) }

func (d *live) Opened(run *result.Run, cells []plan.Cell) {
	d.change(func() {
		d.opened(run, cells)
		d.above(d.dim(testbedLine(run)))
	})
}

func (d *live) Calibrated(c result.Ceiling) {
	d.change(func() {
		d.calibratedAt(c)
		d.above(d.dim(ceilingLine(c)))
	})
}

func (d *live) CellStarted(number, of int, c plan.Cell) {
	d.change(func() { d.cellStarted(number, of, c) })
}

func (d *live) TrialStarted(t bench.TrialStart) { d.change(func() { d.trialStarted(t) }) }

func (d *live) TrialProgress(sent, received uint64, elapsed time.Duration) {
	d.change(func() { d.trialProgress(sent, received, elapsed) })
}

func (d *live) TrialEnded(t result.Trial, bounds []search.Bounds) {
	d.change(func() { d.trialEnded(t, bounds) })
}

func (d *live) CellEnded(c result.Cell) {
	d.change(func() {
		d.above(cellRow(d.paint, d.cell, d.plan.Measurements(), c, d.cellEnds(d.now(), c.Skipped != "")))
	})
}

// Doubt shows the first line of a warning; the report has all of it.
func (d *live) Doubt(w result.Warning) {
	d.change(func() {
		columns, _ := d.t.size()
		d.above(d.warn("! ") + d.dim(ansi.Truncate(w.Text, max(20, min(columns, maxWidthColumns)-3), "…")))
	})
}

// Notice is drawn at once: the next tick may never come.
func (d *live) Notice(text string) { d.update(func() { d.notice = text }) }

// Close erases the block; what is pending, and the notice, stay.
func (d *live) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	d.closed = true
	close(d.stop)
	if d.notice != "" {
		d.above(d.warn(d.notice))
	}
	columns, _ := d.t.size()
	d.draw(nil, columns)
}
