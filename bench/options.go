package bench

import (
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/sink"
	"github.com/linerate/linerate/testbed"
)

// Station is the tester set up for one cell, of scenario none for a calibration.
type Station struct {
	Cell plan.Cell
	CPUs testbed.CPUs
	// Generator is what the generators of the cell will be made from.
	Generator *generator.Config
	Sinks     []*sink.Sink
}

// Options are what a run needs besides its plan.
type Options struct {
	Plan plan.Plan
	// Out is the folder of the run; it must not hold a run yet.
	Out string
	// Name names the run and the namespaces of its lab; empty for a random one.
	Name string
	// Command is how the run was started, for a reader to repeat.
	Command []string
	// Versions are recorded with the environment: linerate's own.
	Versions map[string]string
	// JournalDir is where undo actions are kept.
	JournalDir string
	// Plant, if not nil, is called with each station before its flows are learned:
	// `linerate selftest` mis-sets the tester there.
	Plant  func(Station) error
	Events Events
}
