package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/linerate/linerate/selftest"
)

// selftestScreen prints a row for each check when it has been made. On a terminal
// the check in progress is a last line that is written over.
type selftestScreen struct {
	out, err io.Writer
	paint
	json bool
	// line is a terminal for the check in progress; nil if nobody looks.
	line  *terminal
	width int
	fault error
}

func newSelftestScreen(out, err io.Writer, json bool) *selftestScreen {
	t := terminalOf(out)
	s := &selftestScreen{out: out, err: err, json: json, paint: paint{t.colour()}, line: terminalOf(err), width: maxWidthColumns}
	if t != nil {
		columns, _ := t.size()
		s.width = min(columns, maxWidthColumns)
	}
	return s
}

// Widths of the columns, with the blanks behind them.
const (
	selftestStatus  = 9
	selftestName    = 16
	selftestPlanted = 26
	selftestFound   = 26
	selftestVerdict = 17
)

func (s *selftestScreen) print(format string, args ...any) {
	_, err := fmt.Fprintln(s.out, strings.TrimRight(fmt.Sprintf(format, args...), " "))
	if s.fault == nil {
		s.fault = err
	}
}

func (s *selftestScreen) begin() {
	if !s.json {
		s.print("%s", s.bold(padded("", selftestStatus)+padded("Check", selftestName)+padded("Planted", selftestPlanted)+padded("Found", selftestFound)+padded("Verdict", selftestVerdict)+"Time"))
	}
}

func (s *selftestScreen) began(number, of int, c selftest.Check) {
	if s.line != nil {
		fmt.Fprintf(s.err, "\r\x1b[K%s", s.dim(fmt.Sprintf("%d of %d: %s: %s", number, of, c.Name, c.Plants)))
	}
}

func (s *selftestScreen) clear() {
	if s.line != nil {
		fmt.Fprint(s.err, "\r\x1b[K")
	}
}

func (s *selftestScreen) ended(r selftest.Result) {
	s.clear()
	if s.json {
		return
	}
	colour := map[selftest.Status]func(string) string{selftest.OK: s.good, selftest.Off: s.bad, selftest.Skipped: s.warn}[r.Status]
	verdict := string(r.Verdict)
	if r.Status == selftest.Skipped {
		verdict = ""
	}
	s.print("%s%s%s%s%s%3.0f s", colour(padded(string(r.Status), selftestStatus)), padded(r.Name, selftestName),
		padded(r.PlantedText(), selftestPlanted), padded(r.FoundText(), selftestFound), padded(verdict, selftestVerdict), r.DurationS)
	if r.Reason != "" {
		s.note(r.Reason)
	}
}

// note is a text below a row.
func (s *selftestScreen) note(text string) {
	for _, line := range wrapped(text, max(40, s.width-selftestStatus)) {
		s.print("%*s%s", selftestStatus, "", line)
	}
}

// end prints what it comes to, or everything as JSON.
func (s *selftestScreen) end(r selftest.Report) error {
	s.clear()
	if s.json {
		return writeJSON(s.out, r)
	}
	off, skipped := r.Count(selftest.Off), r.Count(selftest.Skipped)
	verdict := s.good("The instrument found what was planted.")
	switch {
	case off > 0:
		verdict = s.bad("The instrument is off.")
	case r.Count(selftest.OK) == 0:
		verdict = s.warn("Nothing could be checked.")
	}
	s.print("\n%s %s: %d ok, %d off, %d skipped, in %.0f s.", verdict, counted(len(r.Checks), "check"), r.Count(selftest.OK), off, skipped, r.DurationS)
	return s.fault
}

// list prints the names of the checks and what they plant.
func (s *selftestScreen) list(checks []selftest.Check) error {
	if s.json {
		type entry struct {
			Name   string `json:"name"`
			Plants string `json:"plants"`
		}
		entries := []entry{}
		for _, c := range checks {
			entries = append(entries, entry{c.Name, c.Plants})
		}
		return writeJSON(s.out, entries)
	}
	for _, c := range checks {
		s.print("%s%s", padded(c.Name, selftestName), c.Plants)
	}
	return s.fault
}

// padded is text with blanks behind it, one at least.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(1, width-len([]rune(text))))
}
