package bench

import (
	"context"
	"fmt"

	"github.com/linerate/linerate/capture"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/trial"
)

// testbedUnderTest is where a run is made, as the loop needs it: the lab, or a
// simulated device.
type testbedUnderTest interface {
	// open builds the testbed. After an error close removes what there is of it.
	open() error
	// simulation is the model of a simulated device and its truth; nil for a real one.
	simulation() *result.Sim
	// describe tells what was built, and the doubts that hold for the whole run.
	describe() (result.Testbed, []result.Warning)
	// environment is the machine of the DUT as it is now. What could not be read is
	// an error, and the rest is returned with it.
	environment() (result.Environment, []result.Warning, error)
	// clear keeps linerate's own work out of the way of the trials from here on. It
	// comes after describe, which looks at the machine as others find it.
	clear() error
	// follow makes the cells to come those of another plan on the same testbed.
	follow(p plan.Plan) error
	// makeDUT makes the DUT what the cell says. Skipped is why this testbed cannot;
	// then, and after an error, there is nothing to undo.
	makeDUT(c plan.Cell) (made madeDUT, skipped string, err error)
	// openStation sets up the tester for a cell.
	openStation(c plan.Cell) (tester, error)
	// close undoes whatever open and clear made.
	close() error
}

// madeDUT is a scenario in place.
type madeDUT struct {
	// setup are the commands and settings that made it.
	setup []string
	undo  func() error
	// alive is nil while all processes of the DUT run; the field is nil if it has none.
	alive func() error
	// doubts hold for the cell, whatever is measured.
	doubts []result.Warning
}

// tester is the tester set up for one cell. Measure is valid after learn.
type tester interface {
	trial.Measurer
	// learn makes the flows known to the DUT before the first trial.
	learn(ctx context.Context) error
	// engineName is the generator's.
	engineName() string
	// hasten shortens what a trial waits for to what a link without a DUT needs.
	hasten()
	// tap copies the first frames, so many, of every port from here on; no port where there are no frames.
	tap(frames int) ([]*capture.Port, error)
	// mostPPS is the rate that the DUT is known to carry at most; infinite if unknown.
	mostPPS() float64
	// silent says why no frame was sent or none came in trials without a DUT.
	silent(t result.Trial) error
	close() error
}

// newTestbed prepares the testbed that the plan names and builds nothing yet. An
// error of type *kernel.MissingError means that this machine cannot have it.
func newTestbed(id string, o Options) (testbedUnderTest, error) {
	switch o.Plan.Testbed {
	case "lab":
		return newLabTestbed(id, o)
	case "sim":
		return newSimTestbed(o.Plan)
	}
	return nil, fmt.Errorf("open testbed %q: plans of testbed vm are measured by `linerate kernels --plan PLAN`; others have testbed lab or sim", o.Plan.Testbed)
}
