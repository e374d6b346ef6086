// Package trial makes one trial: a load offered for a duration, and everything
// counted (RFC 2544 section 23). It joins a generator, the sinks and the observers.
package trial

import (
	"context"
	"time"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/result"
)

// Request asks for one trial.
type Request struct {
	// LoadPPS is the intended load per direction; 0 offers as much as the generator can.
	LoadPPS  float64
	Duration time.Duration
	// Variation asks for the IPDV, which costs the sink a little for each frame.
	Variation bool
	// Trace has every drop in the kernel named, which costs the DUT some of its
	// throughput; without it the ledger of the trial is made of counters.
	Trace bool
	// Frames, if not 0, bounds the frames of each direction: a burst, if LoadPPS is 0.
	Frames uint64
	// Step, if its After is not 0, changes the load once.
	Step generator.Step
	// Event, if not nil, happens to the DUT in the middle of the trial.
	Event *Event
}

// Measurer makes trials. An error means that the trial could not be made; loss is
// no error. When ctx ends, the trial is broken off and ctx's error returned.
type Measurer interface {
	Measure(ctx context.Context, r Request) (result.Trial, error)
}
