package main

import (
	"io"

	"github.com/linerate/linerate/bench"
)

// display shows a run while it is measured.
type display interface {
	bench.Events
	// Notice shows a sentence that is not about a measurement; from any goroutine.
	Notice(text string)
	// Close ends the display. It may be called twice, from any goroutine.
	Close()
}

// newDisplay redraws a block on a terminal and prints lines elsewhere.
func newDisplay(w io.Writer, o bench.Options, quiet bool) display {
	p := newProgress(o.Name, o.Plan)
	if t := terminalOf(w); t != nil && !quiet {
		return startLive(t, p)
	}
	return &plain{w: w, progress: p, quiet: quiet}
}
