package search

import "math"

// Trial is the outcome of one trial, as far as a search needs it.
type Trial struct {
	// LoadPPS and DurationS are as intended.
	LoadPPS, DurationS float64
	// LossRatio is (sent - received + unsent) / intended over all directions.
	LossRatio float64
}

// ForwardedPPS is the trial forwarding rate per direction (RFC 9971): the share
// of the intended load that was received.
func (t Trial) ForwardedPPS() float64 { return t.LoadPPS * (1 - t.LossRatio) }

// lost and intended are frame counts of one direction.
func (t Trial) intended() float64 { return t.LoadPPS * t.DurationS }
func (t Trial) lost() float64     { return math.Round(t.LossRatio * t.intended()) }

// high says whether the trial is a high-loss trial for the goal.
func (t Trial) high(g Goal) bool { return t.LossRatio > g.LossRatio }

// full says whether the trial is a full-length trial for the goal.
func (t Trial) full(g Goal) bool { return t.DurationS >= g.TrialDurationS }

// cleaned makes a trial safe to reckon with: a loss ratio that is not a number
// counts as total loss, one outside 0 to 1 (duplicates make it negative) as the nearer end.
func (t Trial) cleaned() Trial {
	switch {
	case math.IsNaN(t.LossRatio), t.LossRatio > 1:
		t.LossRatio = 1
	case t.LossRatio < 0:
		t.LossRatio = 0
	}
	return t
}

// Load is a trial that a search asks for.
type Load struct {
	// PPS is the intended load per direction.
	PPS float64
	// DurationS is the intended duration of the traffic.
	DurationS float64
	// Reason says in a few words why, for people who watch.
	Reason string
}
