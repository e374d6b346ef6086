package main

import (
	"fmt"
	"math"
)

// worstCase is the largest of some figures, and the device that it is of.
type worstCase struct {
	figure  float64
	name    string
	compare int
}

func (w *worstCase) add(name string, figure float64) {
	if w.compare == 0 || figure > w.figure {
		w.figure, w.name = figure, name
	}
	w.compare++
}

// wantSearches compares the searches of linerate with those of MLRsearch on the same
// devices, and the median errors with the width.
func (t *table) wantSearches(list []searched) {
	var seconds, median, worst, wide worstCase
	for _, r := range list {
		if r.Search != ourSearch {
			continue
		}
		five, csit := find(list, r, reference5), find(list, r, reference21)
		if five.Seconds != nil {
			seconds.add(r.DUT, *r.Seconds / *five.Seconds)
		}
		for _, e := range []struct {
			name                                string
			ours, theirs, oursWorst, theirWorst *float64
		}{{"NDR", r.NDR, csit.NDR, r.WorstNDR, csit.WorstNDR}, {"PDR", r.PDR, csit.PDR, r.WorstPDR, csit.WorstPDR}} {
			name := e.name + " of " + r.DUT
			if e.ours != nil {
				wide.add(name, math.Abs(*e.ours))
			}
			if e.ours != nil && e.theirs != nil {
				median.add(name, math.Abs(*e.ours)-math.Abs(*e.theirs))
				worst.add(name, math.Abs(*e.oursWorst)-math.Abs(*e.theirWorst))
			}
		}
	}
	against := func(w worstCase, what string, bound float64, unit string) {
		if w.compare == 0 {
			t.want(unmeasured(what, "MLRsearch was not run"))
			return
		}
		t.want(atMost(fmt.Sprintf("%s, largest of %d (%s)", what, w.compare, w.name), w.figure, bound, unit))
	}
	against(seconds, "trial seconds / those of MLRsearch with S=5 s", 1, "")
	against(median, "|median error| beyond that of MLRsearch with S=21 s", 0, " %")
	against(worst, "|worst error| beyond that of MLRsearch with S=21 s", 0, " %")
	t.want(atMost(fmt.Sprintf("|median error|, largest of %d (%s)", wide.compare, wide.name), wide.figure, searchTolerance, " %"))
}
