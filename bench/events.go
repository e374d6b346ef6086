package bench

import (
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
)

// Events are told what a run does while it does it. They are called from the
// goroutine of Run, one at a time, except TrialProgress, which is called from
// another while a trial runs. Measuring code never prints; whoever listens may.
type Events interface {
	// Opened tells that the testbed stands and how many cells are to come.
	Opened(run *result.Run, cells []plan.Cell)
	// Calibrated tells a ceiling of generator and sink without a DUT.
	Calibrated(result.Ceiling)
	// CellStarted comes before the scenario is applied; number counts from 1.
	CellStarted(number, of int, cell plan.Cell)
	// TrialStarted comes before each trial, with the reason for its load.
	TrialStarted(TrialStart)
	// TrialProgress comes several times a second during a trial.
	TrialProgress(sent, received uint64, elapsed time.Duration)
	// TrialEnded comes with the stored trial and the bounds as they stand.
	TrialEnded(trial result.Trial, bounds []search.Bounds)
	// CellEnded comes with the cell as it is stored, measured or skipped.
	CellEnded(result.Cell)
	// Doubt comes with each warning of the run or of a cell, when it is raised.
	Doubt(result.Warning)
}

// TrialStart is what a trial is about to do.
type TrialStart struct {
	Number     int
	Purpose    result.Purpose
	LoadPPS    float64
	Duration   time.Duration
	Directions int
	// Reason says why the search asks for this load, in a few words.
	Reason string
}
