package selftest

import (
	"time"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
)

// silent listens to a run and tells nobody: a check's outcome is in the record.
type silent struct{}

func (silent) Opened(*result.Run, []plan.Cell)             {}
func (silent) Calibrated(result.Ceiling)                   {}
func (silent) CellStarted(int, int, plan.Cell)             {}
func (silent) TrialStarted(bench.TrialStart)               {}
func (silent) TrialProgress(uint64, uint64, time.Duration) {}
func (silent) TrialEnded(result.Trial, []search.Bounds)    {}
func (silent) CellEnded(result.Cell)                       {}
func (silent) Doubt(result.Warning)                        {}
