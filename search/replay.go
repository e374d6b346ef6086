package search

import (
	"fmt"
	"math"
)

// Replay feeds a stored trial log to a fresh search and checks that each stored
// trial is the one the search asks for. The error names the first trial, counted
// from 1, where they part; Search s then holds the trials before it.
func Replay(s Search, log []Trial) error {
	for i, t := range log {
		want, ok := s.Next()
		if !ok {
			return fmt.Errorf("replay search log: trial %d of %d (%g pps for %g s): the search ended before it: the log was made with another configuration or version",
				i+1, len(log), t.LoadPPS, t.DurationS)
		}
		if !same(want.PPS, t.LoadPPS) || !same(want.DurationS, t.DurationS) {
			return fmt.Errorf("replay search log: trial %d of %d is %g pps for %g s, the search asks for %g pps for %g s: the log was made with another configuration or version",
				i+1, len(log), t.LoadPPS, t.DurationS, want.PPS, want.DurationS)
		}
		s.Add(t)
	}
	return nil
}

// same allows for the last digits that a text format may drop.
func same(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b))
}
