package dut

import (
	"time"

	"github.com/linerate/linerate/dut/journal"
)

// Event is something that befalls the DUT in the middle of a trial: how much is lost, and
// for how long, is what the trial is for.
type Event struct {
	// Name says what happens.
	Name string
	// After is when, counted from the start of the trial, which lasts for Duration.
	After, Duration time.Duration
	// LoadPPS is the trial's load per direction; 0 for half of the throughput.
	LoadPPS float64
	// Do makes it happen and Undo takes it back; both are in order.
	Do, Undo []journal.Action
}

// Convergence is what daemons of the DUT take until they have found each other; 0 if there are none.
func (s Scenario) Convergence() time.Duration {
	if convergence := s.kind().convergence; convergence != nil {
		return convergence(s)
	}
	return 0
}

// Event is what befalls the DUT after the search; nil if nothing does.
func (s Scenario) Event() *Event {
	if event := s.kind().event; event != nil {
		return event(s)
	}
	return nil
}
