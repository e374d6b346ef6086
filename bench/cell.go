package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/linerate/linerate/generator/engine"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
	"github.com/linerate/linerate/trial"
)

// warmUp is one discarded trial before each search: caches, neighbours and the
// scheduler are cold.
const warmUp = 200 * time.Millisecond

// inCell makes the DUT what the cell says, measures, and unmakes it. What was
// measured is in the cell even when an error is returned.
func (r *run) inCell(ctx context.Context, c plan.Cell, measure func(context.Context, *result.Cell, tester) error) (cell result.Cell, err error) {
	cell = newCell(c, r.ceilings[shapeOf(r.options.Plan, c)])
	if cell.Skipped = r.lacking[shapeOf(r.options.Plan, c)]; cell.Skipped != "" {
		return cell, nil
	}
	made, skipped, err := r.testbed.makeDUT(c)
	cell.Skipped = skipped
	if made.setup != nil {
		cell.Setup = made.setup
	}
	if err != nil || skipped != "" {
		return cell, err
	}
	defer func() { err = errors.Join(err, made.undo()) }()
	_, _ = r.describeEnvironment() // the doubts are the same as of the run
	st, err := r.testbed.openStation(c)
	if err != nil {
		return cell, err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	if err := st.learn(ctx); err != nil {
		return cell, brokenOff(ctx, &cell, made, err)
	}
	cell.Warnings = append(cell.Warnings, made.doubts...)
	cell.Engine = st.engineName()
	if r.options.Plan.Search.Algorithm == "binary" {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "binary-search", Text: "each bound rests on one trial, so one disturbed trial misleads the bisection; search.algorithm=mlrsearch decides each load by several trials"})
	}
	return cell, brokenOff(ctx, &cell, made, measure(ctx, &cell, st))
}

// measureCell puts a cell through the tests of the plan, samples its CPUs and captures frames of it.
func (r *run) measureCell(ctx context.Context, cell *result.Cell, t tester) error {
	if err := r.testCell(ctx, cell, t); err != nil {
		return err
	}
	if err := r.costCell(ctx, cell, t); err != nil {
		return err
	}
	return r.capture(ctx, cell, t)
}

func newCell(c plan.Cell, ceiling result.Ceiling) result.Cell {
	return result.Cell{
		ID: c.ID(), Scenario: c.Scenario, Backend: c.Backend, IPVersion: c.IPVersion, FrameSize: c.FrameSize,
		Flows: c.Flows, Directions: c.Directions, Variant: c.Variant, CeilingPPS: ceiling.PPS, CeilingBound: ceiling.Bound,
		Evidence: []string{}, Warnings: []result.Warning{}, Goals: []result.Goal{}, Setup: []string{},
	}
}

// searchCell makes the trials of a cell and writes its figures, also of a search
// that was broken off.
func (r *run) searchCell(ctx context.Context, cell *result.Cell, bed trial.Measurer) error {
	if engine.Unpaced(cell.Engine) {
		return r.unpacedCell(ctx, cell, bed)
	}
	p := r.options.Plan.Search
	config := searchConfig(p, cell.CeilingPPS)
	strict := slices.ContainsFunc(p.Goals, func(g plan.Goal) bool { return g.LossRatio == 0 })
	find, err := newSearch(p.Algorithm, config)
	if err != nil {
		return err
	}
	m := &measurement{run: r, bed: bed, cell: cell.ID, purpose: result.ForWarmUp, directions: cell.Directions.Count(), strict: strict}
	if _, err := m.measure(ctx, trial.Request{LoadPPS: warmUpLoad(config), Duration: warmUp}, "warm-up, not counted"); err != nil {
		return err
	}
	m.purpose = result.ForSearch
	m.repeatLimit = time.Duration(repeatShare * float64(p.MaxTrialTime))
	if err = m.search(ctx, find); err == nil {
		err = m.account(ctx, cell, find.Bounds())
	}
	m.summarise(cell, find, config.MaxLoadPPS)
	if err != nil && ctx.Err() != nil {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "interrupted", Text: "the search was broken off: its bounds are those of the trials made until then"})
	}
	if err != nil {
		return err
	}
	return m.latencyTrials(ctx, cell, find.Bounds())
}

// searchConfig is what a plan asks of the search below a ceiling.
func searchConfig(p plan.Search, ceilingPPS float64) search.Config {
	config := search.Config{MaxLoadPPS: ceilingPPS, MaxTrialSeconds: p.MaxTrialTime.Seconds()}
	if p.MaxLoadPPS > 0 {
		config.MaxLoadPPS = min(p.MaxLoadPPS, ceilingPPS)
	}
	// A minimum above the ceiling leaves the ceiling as the only load.
	config.MinLoadPPS = min(p.MinLoadPPS, config.MaxLoadPPS/2)
	for _, g := range p.Goals {
		config.Goals = append(config.Goals, search.Goal{
			Name: g.Name, LossRatio: float64(g.LossRatio), ExceedRatio: float64(g.ExceedRatio), Width: float64(g.Width),
			TrialDurationS: g.TrialDuration.Seconds(), DurationSumS: g.DurationSum.Seconds(),
		})
	}
	return config
}

func warmUpLoad(c search.Config) float64 { return max(c.MaxLoadPPS/10, c.MinLoadPPS) }

func newSearch(algorithm string, c search.Config) (search.Search, error) {
	switch algorithm {
	case "mlrsearch":
		return search.NewMLR(c)
	case "binary":
		return search.NewBinary(c)
	}
	return nil, fmt.Errorf("search by %q: the algorithms are mlrsearch and binary", algorithm)
}
