package report

import (
	"fmt"
	"slices"
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
