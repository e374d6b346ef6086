package bench

import "github.com/linerate/linerate/plan"

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
	Events     Events
}
