// Package bench is the one way through: a plan becomes an open testbed, each cell
// a scenario, a search and its trials, and all of it a stored run.
package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/lab"
)

// run is a run in progress.
type run struct {
	options  Options
	events   Events
	record   result.Run
	store    *result.Store
	journal  *journal.Journal
	ceilings map[shape]result.Ceiling
	trials   int
}

// Run measures the plan and returns the run as stored. When ctx ends, what was
// measured is kept, everything is undone and ctx's error is returned. An error of
// type *kernel.MissingError means that this machine cannot run the lab.
func Run(ctx context.Context, o Options) (*result.Run, error) {
	if err := kernel.Require(); err != nil {
		return nil, err
	}
	name := o.Name
	if name == "" {
		name = lab.NewID()
	}
	r := &run{options: o, events: o.Events, ceilings: map[shape]result.Ceiling{}}
	r.record = result.Run{
		Schema: result.SchemaV1, ID: name, Started: time.Now().UTC(), Outcome: result.Running, Command: o.Command, Plan: o.Plan,
		Cells: []result.Cell{}, Warnings: []result.Warning{}, Calibration: result.Calibration{Ceilings: []result.Ceiling{}},
	}
	var err error
	if r.journal, err = journal.Create(o.JournalDir, name); err != nil {
		return nil, err
	}
	if r.store, err = result.Create(o.Out, &r.record); err != nil {
		return nil, errors.Join(err, r.journal.Close())
	}
	err = r.measure(ctx)
	err = errors.Join(err, r.journal.Close())
	return &r.record, errors.Join(r.finish(ctx, err), r.store.Close())
}

// measure opens the lab and goes through the cells.
func (r *run) measure(ctx context.Context) (err error) {
	l, err := lab.Open(r.record.ID, r.options.Plan.Lab, r.journal)
	if err != nil {
		return err
	}
	if err := r.describe(l); err != nil {
		return err
	}
	undo, err := l.StepAside()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, undo()) }()
	cells := r.options.Plan.Cells()
	r.events.Opened(&r.record, cells)
	for _, w := range r.record.Warnings {
		r.events.Doubt(w)
	}
	if err := r.calibrate(ctx, l, cells); err != nil {
		return err
	}
	for i, c := range cells {
		r.events.CellStarted(i+1, len(cells), c)
		cell, err := r.measureCell(ctx, l, c)
		if err != nil && len(cell.Goals) == 0 {
			return fmt.Errorf("cell %s: %w", c.ID(), err)
		}
		r.record.Cells = append(r.record.Cells, cell)
		r.events.CellEnded(cell)
		if err := errors.Join(err, r.save()); err != nil {
			return fmt.Errorf("cell %s: %w", c.ID(), err)
		}
	}
	return nil
}

// describe records testbed and environment.
func (r *run) describe(l *lab.Lab) error {
	r.record.Testbed = result.Testbed{
		Kind: r.options.Plan.Testbed, DUTCPUs: l.CPUs.DUT, TesterCPUs: l.CPUs.Tester(), SharedCPUs: l.CPUs.Shared(),
		MTUBytes: r.options.Plan.Lab.MTUBytes, Queues: l.Queues(), Links: l.Links(),
	}
	r.describeEnvironment(l)
	if others, err := r.journal.Others(); err == nil && len(others) > 0 {
		r.warn("another-run", fmt.Sprintf("run %s is measuring on this machine at the same time: both take CPU time from each other; run them one after another", strings.Join(others, " and ")))
	}
	if l.CPUs.Shared() {
		r.warn("shared-cpus", "generator and DUT share a CPU: the figures are of both together; a machine with more CPUs is needed to tell them apart")
	} else if l.CPUs.SinksBesideDUT() {
		r.warn("sink-beside-dut", "there is no CPU left for the sink, so it runs beside the DUT and before it: the throughput is that of DUT and sink together, the CPU time of the sink is not counted as the DUT's")
	}
	return r.save()
}

// describeEnvironment records the machine as it is now: once when the lab stands,
// and again with each scenario in place, because a scenario sets sysctls.
func (r *run) describeEnvironment(l *lab.Lab) {
	environment, warnings, err := observe.Environment(l.DUT.Netns, l.Devices())
	for tool, version := range r.options.Versions {
		environment.Versions[tool] = version
	}
	if r.record.Environment.Kernel == "" {
		r.record.Warnings = append(r.record.Warnings, warnings...)
		if err != nil {
			r.warn("environment-incomplete", fmt.Sprintf("a part of the environment could not be read: %v", err))
		}
	}
	// Devices carry the run's id, by which two runs must not differ.
	environment.Offloads = withoutID(environment.Offloads, l.ID)
	environment.Sysctls = withoutID(environment.Sysctls, l.ID)
	r.record.Environment = environment
}

// withoutID names devices by their part in the lab: "da" for "da-ID".
func withoutID(values map[string]string, id string) map[string]string {
	plain := make(map[string]string, len(values))
	for key, value := range values {
		plain[strings.ReplaceAll(key, "-"+id, "")] = value
	}
	return plain
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
