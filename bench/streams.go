package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/workload"
	"github.com/linerate/linerate/workload/registry"
)

// streams measures a plan whose workload is a program's streams: each cell for a fixed
// time, and the same streams over a direct link, which tells what the ends can do.
type streams struct {
	*run
	program workload.Program
	testbed withEnds
	// direct is the total over a direct link by what the cells have in common.
	direct map[streamShape]float64
}

// streamShape is what cells that differ in their scenario only have in common.
type streamShape struct {
	ipVersion int
	workload  string
	streams   int
}

func streamShapeOf(c plan.Cell) streamShape { return streamShape{c.IPVersion, c.Workload, c.Flows} }

func (r *run) measureStreams(ctx context.Context, cells []plan.Cell) error {
	program, err := registry.Find(r.options.Plan.Workload)
	if err != nil {
		return err
	}
	bed, ok := r.testbed.(withEnds)
	if !ok {
		return fmt.Errorf("run %s: testbed %s has no ends for programs; set testbed to lab", r.options.Plan.Workload, r.options.Plan.Testbed)
	}
	s := &streams{run: r, program: program, testbed: bed, direct: map[streamShape]float64{}}
	missing := workload.Require(program)
	// Without a DUT first: what the ends can do is part of every other cell's verdict.
	cells = slices.Clone(cells)
	slices.SortStableFunc(cells, func(a, b plan.Cell) int { return cmp.Compare(without(a), without(b)) })
	if missing == nil {
		if err := s.calibrateEnds(ctx, cells); err != nil {
			return err
		}
	}
	for i, c := range cells {
		r.events.CellStarted(i+1, len(cells), c)
		cell, err := s.cell(ctx, c, missing)
		if err != nil && !cell.HasResults() {
			return fmt.Errorf("cell %s: %w", c.ID(), err)
		}
		r.record.Cells = append(r.record.Cells, cell)
		s.relate()
		r.events.CellEnded(r.record.Cells[i])
		if err := errors.Join(err, r.save()); err != nil {
			return fmt.Errorf("cell %s: %w", c.ID(), err)
		}
	}
	return nil
}

func without(c plan.Cell) int {
	if c.Direct() {
		return 0
	}
	return 1
}

// calibrateEnds measures the streams over a direct link where no cell of the plan does.
func (s *streams) calibrateEnds(ctx context.Context, cells []plan.Cell) error {
	for _, c := range cells {
		shape := streamShapeOf(c)
		if _, done := s.direct[shape]; done || slices.ContainsFunc(cells, func(o plan.Cell) bool { return o.Direct() && streamShapeOf(o) == shape }) {
			continue
		}
		c.Scenario, c.Backend = plan.NoDUT, ""
		cell, err := s.cell(ctx, c, nil)
		if err != nil {
			return fmt.Errorf("run the streams without a DUT: %w", err)
		}
		s.direct[shape] = cell.TotalReceiverL4BPS
		if cell.Skipped != "" {
			s.warn("no-direct-streams", fmt.Sprintf("what the ends carry without a DUT is not known for %s: %s", c.ID(), cell.Skipped))
			continue
		}
		s.record.Calibration.Direct = append(s.record.Calibration.Direct, result.DirectStreams{
			IPVersion: c.IPVersion, Workload: c.Workload, Streams: c.Flows, TotalReceiverL4BPS: cell.TotalReceiverL4BPS,
		})
		if err := s.save(); err != nil {
			return err
		}
	}
	return nil
}

// cell makes the DUT what the cell says, runs the program through it, and unmakes it. A
// program that fails leaves the cell skipped with its reason: the others can be measured.
func (s *streams) cell(ctx context.Context, c plan.Cell, missing error) (cell result.Cell, err error) {
	cell = newCell(c, result.Ceiling{})
	cell.Workload, cell.Engine = c.Workload, s.options.Plan.Workload
	if missing != nil {
		cell.Skipped = missing.Error()
		return cell, nil
	}
	made, skipped, err := s.run.testbed.makeDUT(c)
	cell.Skipped = skipped
	if made.setup != nil {
		cell.Setup = made.setup
	}
	if err != nil || skipped != "" {
		return cell, err
	}
	defer func() { err = errors.Join(err, made.undo()) }()
	e, err := s.testbed.openEnds(c)
	if err != nil {
		return cell, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	_, _ = s.describeEnvironment() // with the ends' offloads as they are now
	cell.Warnings = append(cell.Warnings, made.doubts...)
	failed := s.takes(ctx, &cell, e)
	if err := ctx.Err(); err != nil {
		return cell, err
	}
	_ = brokenOff(ctx, &cell, made, nil)
	cell.Workload, cell.Engine = c.Workload, s.options.Plan.Workload
	if failed != nil && cell.Skipped == "" {
		cell.Skipped = failed.Error()
	}
	if cell.Skipped != "" {
		cell.Streams = nil
	}
	return cell, nil
}

// take is one measurement with who had the CPUs meanwhile.
type take struct {
	workload.Take
	cpu       *result.CPU
	disturbed string
	total     float64
}

// takes measures a cell as often as the plan says, and again what was disturbed. The
// sound one with the median total counts; if none is sound, that of all.
func (s *streams) takes(ctx context.Context, cell *result.Cell, e *ends) error {
	repeats, seconds := s.options.Plan.StreamsBudget()
	var all []take
	disturbed := 0
	for sound := 0; sound < repeats; {
		s.trials++
		s.events.TrialStarted(TrialStart{Number: s.trials, Purpose: result.ForStreams, Directions: cell.Directions.Count(),
			Duration: time.Duration(seconds * float64(time.Second)), Reason: fmt.Sprintf("take %d of %d", sound+1, repeats)})
		t, err := s.take(ctx, cell, e)
		name := fmt.Sprintf("streams/%s-%d", strings.ReplaceAll(cell.ID, "/", "_"), len(all)+1)
		files, kept := s.keepOutputs(name, t)
		if err := errors.Join(err, kept); err != nil {
			return err
		}
		if t.disturbed != "" && disturbed < repeatsPerTrial {
			disturbed++
		} else {
			sound++
		}
		all = append(all, t)
		cell.Takes = append(cell.Takes, result.StreamTake{TotalReceiverL4BPS: t.total, Disturbed: t.disturbed, Files: files})
	}
	counted := slices.DeleteFunc(slices.Clone(all), func(t take) bool { return t.disturbed != "" })
	if len(counted) == 0 {
		counted = all
		cell.Warnings = append(cell.Warnings, result.Warning{Code: result.StayedDisturbed, Text: "every take was disturbed, also when made again, the last: " + all[len(all)-1].disturbed})
	}
	slices.SortStableFunc(counted, func(a, b take) int { return cmp.Compare(a.total, b.total) })
	s.write(cell, counted[(len(counted)-1)/2], e)
	return nil
}

// keepOutputs stores what the programs printed, also of a take that failed.
func (s *streams) keepOutputs(name string, t take) (files []string, err error) {
	for _, side := range []struct {
		name string
		data []byte
	}{{"client", t.Client.Stdout}, {"server", t.Server.Stdout}} {
		if len(side.data) > 0 {
			file := name + "-" + side.name + ".out"
			files = append(files, file)
			err = errors.Join(err, s.store.WriteFile(file, side.data))
		}
	}
	return files, err
}

// take runs the program once.
func (s *streams) take(ctx context.Context, cell *result.Cell, e *ends) (t take, err error) {
	before, err := observe.SampleCPU(e.threads)
	if err != nil {
		return t, err
	}
	t.Take, err = s.program.Measure(ctx, workload.Request{Ends: e.Ends, Plan: s.options.Plan, Streams: cell.Flows})
	if err != nil {
		return t, err
	}
	after, err := observe.SampleCPU(e.threads)
	if err != nil {
		return t, err
	}
	t.cpu = observe.CPUBetween(before, after, t.Client.Lived, e.roles, 0)
	if t.cpu == nil {
		return t, fmt.Errorf("run %s: the client took no time at all", s.options.Plan.Workload)
	}
	for i := range t.cpu.PerCore {
		core := &t.cpu.PerCore[i]
		observe.SetForeign(&core.Foreign, &core.ForeignName, core.CPU, before, after, t.Client.PID, t.Server.PID)
	}
	t.cpu.DUTCoresBusy = dutCores(cell.Scenario, t.cpu)
	for _, stream := range t.Streams {
		t.total += stream.ReceiverL4BPS
	}
	t.disturbed = streamsDisturbed(t.cpu, t.Client.Lived)
	return t, nil
}

// write makes a take the cell's figures.
func (s *streams) write(cell *result.Cell, t take, e *ends) {
	cell.Streams, cell.CPU = t.Streams, t.cpu
	cell.AddUp()
	cell.TotalReceiverPPS = t.ReceiverPPS
	cell.Warnings = append(cell.Warnings, t.Warnings...)
	cell.Ends = &result.EndHosts{
		ClientCPUs: e.ClientCPUs, ServerCPUs: e.ServerCPUs, ClientCoresBusy: t.Client.CoresBusy, ServerCoresBusy: t.Server.CoresBusy,
		Threads: t.Threads, Offloads: s.options.Plan.EndOffloads(), Congestion: t.Congestion, Program: t.Program,
	}
}
