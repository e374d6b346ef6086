// Package search finds the throughput of a device under test: trials go in, the
// next load comes out.
//
// MLR is a multiple loss ratio search as RFC 9971 specifies it: the RFC fixes
// how trials classify a load and what the result is, and leaves the choice of
// loads free. Binary is the plain bisection of RFC 2544 section 26.1.
//
// The package is pure. It has no clock and does no I/O: what Next asks for is a
// function of the configuration and of the trials added so far, so that a stored
// trial log replays exactly (see Replay).
//
// How loads are chosen: a short trial at the maximum load gives the rate forwarded
// under overload, a hint only. Short trials then close in by the loss curve
// (approach). Near the crossing, an estimate by Bayes' rule gives the likely devices, and
// of all pairs of loads that could become the two bounds the search pursues the cheapest:
// trial seconds until the RFC's classification makes them what is wanted, and a price on
// the distance of the lower one from the crossing (pair). The verdict stays with the classification.
// Loss that does not fall with the load is checked at low loads (probe). Of a bounded
// trial time each goal has a share; when what is left is good for two decisions at
// most and a bound is missing, loads well off the crossing are taken, because a wide
// interval says more than none (settle).
//
// Loads are intended loads per direction in packets per second, durations are
// intended durations in seconds, ratios are dimensionless.
package search

// Search asks for trials until its goals are decided.
type Search interface {
	// Next returns the trial to make next; false when the search has ended.
	// Until the next Add it returns the same load again.
	Next() (Load, bool)
	// Add takes in the outcome of a trial, also of one that Next did not ask for.
	Add(Trial)
	// Bounds returns what the trials so far say, one entry per goal in the order of the configuration.
	Bounds() []Bounds
}

// Config is what a search is made from.
type Config struct {
	Goals []Goal
	// MinLoadPPS and MaxLoadPPS bound every load that the search asks for.
	MinLoadPPS, MaxLoadPPS float64
	// MaxTrialSeconds bounds the sum of the trial durations; 0 is no bound.
	MaxTrialSeconds float64
}
