// Package bench is the one way through: a plan becomes an open testbed, each cell
// a scenario, a search and its trials, and all of it a stored run.
package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/lab"
)

// run is a run in progress.
type run struct {
	options  Options
	events   Events
	record   result.Run
	store    *result.Store
	testbed  testbedUnderTest
	ceilings map[shape]result.Ceiling
	// lacking is why this machine cannot send a shape of traffic; its cells are skipped.
	lacking map[shape]string
	trials  int
}

// Run measures the plan and returns the run as stored. When ctx ends, what was
// measured is kept, everything is undone and ctx's error is returned. An error of
// type *kernel.MissingError means that this machine cannot have the testbed.
func Run(ctx context.Context, o Options) (*result.Run, error) {
	name := o.Name
	if name == "" {
		name = lab.NewID()
	}
	r := &run{options: o, events: o.Events, ceilings: map[shape]result.Ceiling{}, lacking: map[shape]string{}}
	r.record = result.Run{
		Schema: result.SchemaV1, ID: name, Started: time.Now().UTC(), Outcome: result.Running, Command: o.Command, Plan: o.Plan,
		Cells: []result.Cell{}, Warnings: []result.Warning{}, Calibration: result.Calibration{Ceilings: []result.Ceiling{}},
	}
	var err error
	if r.testbed, err = newTestbed(name, o); err != nil {
		return nil, err
	}
	if r.store, err = result.Create(o.Out, &r.record); err != nil {
		return nil, errors.Join(err, r.testbed.close())
	}
	err = r.measure(ctx)
	err = errors.Join(err, r.testbed.close())
	return &r.record, errors.Join(r.finish(ctx, err), r.store.Close())
}

// measure opens the testbed and goes through the cells.
func (r *run) measure(ctx context.Context) error {
	if err := r.testbed.open(); err != nil {
		return err
	}
	if err := r.describe(); err != nil {
		return err
	}
	if err := r.testbed.clear(); err != nil {
		return err
	}
	cells := r.options.Plan.Cells()
	r.events.Opened(&r.record, r.options.Plan.Measurements())
	for _, w := range r.record.Warnings {
		r.events.Doubt(w)
	}
	if variants := r.options.Plan.Variants(); len(variants) > 0 {
		return r.vary(ctx, variants)
	}
	if r.options.Plan.OfStreams() {
		return r.measureStreams(ctx, cells)
	}
	if err := r.calibrate(ctx, cells); err != nil {
		return err
	}
	for i, c := range cells {
		r.events.CellStarted(i+1, len(cells), c)
		cell, err := r.inCell(ctx, c, r.measureCell)
		if err != nil && !cell.HasResults() {
			return fmt.Errorf("cell %s: %w", c.ID(), err)
		}
		r.record.Cells = append(r.record.Cells, cell)
		r.events.CellEnded(cell)
		if err := errors.Join(err, r.save()); err != nil {
			return fmt.Errorf("cell %s: %w", c.ID(), err)
		}
	}
	return r.measureFloors(ctx)
}

// describe records testbed and environment.
func (r *run) describe() error {
	described, doubts := r.testbed.describe()
	r.record.Testbed, r.record.Sim = described, r.testbed.simulation()
	warnings, err := r.describeEnvironment()
	r.record.Warnings = append(r.record.Warnings, warnings...)
	if err != nil {
		r.warn("environment-incomplete", fmt.Sprintf("a part of the environment could not be read: %v", err))
	}
	r.record.Warnings = append(r.record.Warnings, doubts...)
	return r.save()
}

// describeEnvironment records the machine as it is now: once when the testbed
// stands, and again with each scenario in place, because a scenario sets sysctls.
func (r *run) describeEnvironment() ([]result.Warning, error) {
	environment, warnings, err := r.testbed.environment()
	for tool, version := range r.options.Versions {
		environment.Versions[tool] = version
	}
	r.record.Environment = environment
	return warnings, err
}

func (r *run) warn(code, text string) {
	r.record.Warnings = append(r.record.Warnings, result.Warning{Code: code, Text: text})
}

func (r *run) save() error { return r.store.SaveRun(&r.record) }

// finish writes how the run ended.
func (r *run) finish(ctx context.Context, err error) error {
	r.record.Finished = time.Now().UTC()
	switch {
	case err == nil:
		r.record.Outcome = result.Measured
	case ctx.Err() != nil:
		r.record.Outcome = result.Interrupted
	default:
		r.record.Outcome = result.Failed
		r.record.Error = err.Error()
	}
	return errors.Join(err, r.save())
}
