package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// maxWidthColumns is the widest a text is laid out: longer lines are hard to read.
const maxWidthColumns = 110

// terminal is a file that somebody looks at. It is only written to: its modes
// stay as they are, so Ctrl-C works and a killed run leaves nothing to repair.
type terminal struct{ file *os.File }

// terminalOf is nil if w is not a terminal, or one without cursor movement.
func terminalOf(w io.Writer) *terminal {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return nil
	}
	if _, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS); err != nil {
		return nil
	}
	return &terminal{f}
}

// size is that of now: asked each time, because a handler of SIGWINCH would be one
// more signal that interrupts a generator.
func (t *terminal) size() (columns, rows int) {
	ws, err := unix.IoctlGetWinsize(int(t.file.Fd()), unix.TIOCGWINSZ)
	if err != nil || ws.Col == 0 || ws.Row == 0 {
		return 80, 24
	}
	return int(ws.Col), int(ws.Row)
}

// colour is false if the user asks for none (https://no-color.org).
func (t *terminal) colour() bool { return t != nil && os.Getenv("NO_COLOR") == "" }
