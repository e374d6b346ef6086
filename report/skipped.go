package report

import (
	"fmt"
	"slices"
	"strings"
)

// skippedNotes say why cells were not measured, each reason once.
func skippedNotes(cells []cell) []string {
	type group struct {
		reason string
		labels []string
	}
	var groups []group
	for _, c := range cells {
		if c.measured() {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.reason == c.Skipped })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{reason: c.Skipped})
		}
		groups[i].labels = append(groups[i].labels, c.Label)
	}
	var notes []string
	for _, g := range groups {
		who := g.labels[0] + " was skipped: "
		if n := len(g.labels) - 1; n > 0 {
			who = fmt.Sprintf("%s and %s more were skipped: ", g.labels[0], counted(n, "cell"))
		}
		notes = append(notes, sentence(who+g.reason))
	}
	return notes
}

// shortReasonLength is what of a reason fits into a line of a chart.
const shortReasonLength = 100

// ShortReason is why a cell was skipped, without what a command printed and in a line; all
// of it is with the cell.
func (c cell) ShortReason() string {
	short, _, _ := strings.Cut(c.Skipped, " (run `")
	if r := []rune(short); len(r) > shortReasonLength {
		short = strings.TrimRight(string(r[:shortReasonLength]), " ,;:") + "…"
	}
	return short
}
