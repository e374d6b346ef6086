package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
)

// run measures a plan as `linerate bench` does. The run's folder goes with the line's.
func (s *session) run(ctx context.Context, p plan.Plan) (*result.Run, error) {
	folder, err := os.MkdirTemp(s.folder, "run-")
	if err != nil {
		return nil, err
	}
	return bench.Run(ctx, bench.Options{
		Plan: p, Out: filepath.Join(folder, "run"), Command: append([]string{"perf"}, os.Args[1:]...),
		Versions: map[string]string{"go": runtime.Version()}, JournalDir: journal.DefaultDir, Events: quiet{},
	})
}

// loadPlan is a shipped plan with some fields set.
func loadPlan(name string, assignments ...string) (plan.Plan, error) {
	p, err := plan.Load(name)
	if err != nil {
		return p, err
	}
	return p, p.Set(assignments)
}

// goalNamed is the outcome of a cell's search for one goal; false if it found no lower bound.
func goalNamed(c result.Cell, name string) (result.Goal, bool) {
	for _, g := range c.Goals {
		if g.Name == name {
			return g, g.LowerPPS > 0
		}
	}
	return result.Goal{}, false
}

// warned is what linerate itself doubts about a cell.
func warned(c result.Cell) string {
	codes := make([]string, len(c.Warnings))
	for i, w := range c.Warnings {
		codes[i] = w.Code
	}
	return strings.Join(codes, " ")
}

// noFigure says why a cell has no figure for a goal.
func noFigure(c result.Cell, goal string) error {
	if c.Skipped != "" {
		return fmt.Errorf("cell %s was skipped: %s", c.ID, c.Skipped)
	}
	return fmt.Errorf("cell %s has no %s: verdict %s, %s", c.ID, goal, c.Verdict, strings.Join(c.Evidence, "; "))
}

// quiet listens to a run and says nothing.
type quiet struct{}

var _ bench.Events = quiet{}

func (quiet) Opened(*result.Run, []plan.Cell)             {}
func (quiet) Calibrated(result.Ceiling)                   {}
func (quiet) CellStarted(int, int, plan.Cell)             {}
func (quiet) TrialStarted(bench.TrialStart)               {}
func (quiet) TrialProgress(uint64, uint64, time.Duration) {}
func (quiet) TrialEnded(result.Trial, []search.Bounds)    {}
func (quiet) CellEnded(result.Cell)                       {}
func (quiet) Doubt(result.Warning)                        {}
