package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/report"
)

const (
	// lookInterval is how often counts are read, lineInterval how often they are shown.
	lookInterval = 50 * time.Millisecond
	lineInterval = time.Second
	// catchUp is the lag that an engine still makes good, and that counts as nothing yet.
	catchUp = time.Millisecond
)

// liveLine shows one line at a time: redrawn on a terminal, else line after line.
type liveLine struct {
	w        io.Writer
	terminal *terminal
	drawn    bool
}

func newLiveLine(w io.Writer) *liveLine { return &liveLine{w: w, terminal: terminalOf(w)} }

func (l *liveLine) show(text string) {
	if l.terminal == nil {
		fmt.Fprintln(l.w, text)
		return
	}
	columns, _ := l.terminal.size()
	if len(text) >= columns { // a line that wraps could not be drawn over
		text = text[:max(0, columns-1)]
	}
	fmt.Fprintf(l.w, "\r%s\x1b[K", text)
	l.drawn = true
}

// end leaves the last line standing.
func (l *liveLine) end() {
	if l.drawn {
		fmt.Fprintln(l.w)
	}
	l.drawn = false
}

// sendRate makes the live line of a sender from looks at its count.
type sendRate struct {
	pps   float64 // asked for; 0 for as fast as it goes
	sizes frame.Sizes

	shown     time.Duration
	shownSent uint64
	leastLag  time.Duration
	begun     bool
}

// look takes a count, and returns a line if it is time for one.
func (r *sendRate) look(elapsed time.Duration, sent uint64) string {
	unsent := r.unsent(elapsed, sent)
	took := elapsed - r.shown
	if took < lineInterval {
		return ""
	}
	pps := float64(sent-r.shownSent) / took.Seconds()
	r.shown, r.shownSent = elapsed, sent
	text := fmt.Sprintf("%4.0f s  sent %s  %s pps  %s Gbit/s L1", elapsed.Seconds(), report.Thousands(sent), report.Thousands(uint64(pps+0.5)), gigabits(frame.L1BPS(pps, r.sizes.MeanBytes())))
	if r.pps > 0 {
		text += "  unsent " + report.Thousands(unsent)
	}
	return text
}

// unsent estimates how many frames have been given up so far. The schedule began
// at an unknown time; the least lag ever seen tells it, and more lag than that was given up.
func (r *sendRate) unsent(elapsed time.Duration, sent uint64) uint64 {
	if r.pps == 0 || sent == 0 {
		return 0
	}
	lag := elapsed - time.Duration(float64(sent)/r.pps*1e9)
	if !r.begun || lag < r.leastLag {
		r.begun, r.leastLag = true, lag
	}
	if more := lag - r.leastLag; more > catchUp {
		return uint64(math.Round(more.Seconds() * r.pps))
	}
	return 0
}

// gigabits prints a rate of bits with three significant digits: "0.0672", "9.87".
func gigabits(bps float64) string {
	text := fmt.Sprintf("%.3g", bps/1e9)
	if strings.Contains(text, "e") {
		text = fmt.Sprintf("%.6f", bps/1e9)
	}
	return text
}
