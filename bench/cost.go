package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/linerate/linerate/attribution"
	"github.com/linerate/linerate/observe/cost"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/trial"
)

// sampled is a tester whose DUT's CPUs can be sampled.
type sampled interface {
	sampling(frequencyHz int) (*cost.Watch, error)
}

// costCell samples the DUT's CPUs in a trial of its own: samples take time from the DUT.
func (r *run) costCell(ctx context.Context, cell *result.Cell, bed trial.Measurer) error {
	p := r.options.Plan.Cost
	if !p.Enabled || cell.Direct() {
		return nil
	}
	left := func(code, why string) error {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: code, Text: "where the CPU time goes was not measured: " + why})
		return nil
	}
	t, ok := bed.(sampled)
	if !ok {
		return left("nothing-to-sample", "a simulated device has no CPU")
	}
	c := result.Cost{LoadPPS: p.LoadPPS, DurationS: p.TrialDuration.Seconds()}
	if c.LoadPPS == 0 {
		for _, g := range cell.Goals {
			if g.LowerPPS > 0 {
				c.LoadPPS, c.Goal = g.LowerPPS, g.Name
			}
		}
	}
	if c.LoadPPS == 0 {
		return left("no-throughput", "no load passed the search; give cost.load_pps")
	}
	symbols, err := cost.Symbols()
	if err != nil {
		return left("no-symbols", err.Error())
	}
	probe, err := t.sampling(p.FrequencyHz)
	if err != nil {
		return left("no-samples", err.Error()+"; `linerate doctor` tells what is missing")
	}
	if err := probe.Close(); err != nil {
		return err
	}
	watched := &watchedBed{Measurer: bed, open: func() (*cost.Watch, error) { return t.sampling(p.FrequencyHz) }}
	m := r.measurementOf(cell, watched, result.ForCost)
	m.repeatLimit = time.Duration(p.TrialDuration) // once: a loss does not matter here
	one, why, err := m.single(ctx, trial.Request{LoadPPS: c.LoadPPS, Duration: time.Duration(p.TrialDuration)}, "where the CPU time of a packet goes")
	if err != nil {
		return err
	}
	return r.keepCost(cell, c, one, watched.taken, symbols, why)
}

// watchedBed samples during each trial; what was taken in the last one stays.
type watchedBed struct {
	trial.Measurer
	open  func() (*cost.Watch, error)
	taken *cost.Taken
}

// Measure makes a trial.
func (b *watchedBed) Measure(ctx context.Context, r trial.Request) (t result.Trial, err error) {
	w, err := b.open()
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := w.Begin(); err != nil {
		return t, err
	}
	t, err = b.Measurer.Measure(ctx, r)
	taken, ended := w.End()
	b.taken = taken
	return t, errors.Join(err, ended)
}

// keepCost writes the cost of a packet into the cell, and its profile into the run's folder.
func (r *run) keepCost(cell *result.Cell, c result.Cost, t result.Trial, taken *cost.Taken, symbols *attribution.Symbols, why string) error {
	found, stacks, err := taken.Cost(t.Received, symbols)
	if nothing, ok := errors.AsType[*cost.NoSampleError](err); ok {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "no-samples", Text: "where the CPU time goes was not measured: " + nothing.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	found.LoadPPS, found.Goal, found.DurationS, found.Disturbed = c.LoadPPS, c.Goal, c.DurationS, why
	if t.CPU != nil && t.CPU.NSPerPacket > 0 {
		found.BusyNSPerPacket = t.CPU.NSPerPacket
		found.DifferenceRatio = found.SampledNSPerPacket/found.BusyNSPerPacket - 1
	}
	if math.Abs(found.DifferenceRatio) > result.CostToleranceRatio {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "cost-sum", Text: fmt.Sprintf("the samples add up to %.0f ns per packet, and the CPU time of the DUT's threads is %.0f: %d of %d samples were taken, %d were lost, and %d times the kernel left some out",
			found.SampledNSPerPacket, found.BusyNSPerPacket, found.Samples, found.ExpectedSamples, found.LostSamples, found.ThrottledTimes)})
	}
	if cell.CPU != nil && c.Goal != "" {
		found.SearchNSPerPacket = cell.CPU.NSPerPacket
	}
	perSample := 1e9 / found.FrequencyHz
	profile, err := stacks.Pprof(attribution.Value{Type: "cpu", Unit: "nanoseconds", PerCount: perSample},
		fmt.Sprintf("linerate run %s, cell %s: CPU time of the DUT for %d packets, %d samples at %.0f Hz", r.record.ID, cell.ID, found.Packets, found.DUTSamples, found.FrequencyHz))
	if err != nil {
		return fmt.Errorf("%s: %w", cell.ID, err)
	}
	found.File = result.ProfileFile(cell.ID)
	cell.Cost = found
	return r.store.WriteFile(found.File, profile)
}

// sampling prepares to sample the DUT's CPUs.
func (s *station) sampling(frequencyHz int) (*cost.Watch, error) {
	threads, err := s.lab.DUTThreads()
	if err != nil {
		return nil, err
	}
	processes, err := s.applied.Threads()
	if err != nil {
		return nil, err
	}
	sinks, err := s.lab.SinkThreads()
	if err != nil {
		return nil, err
	}
	return cost.Open(cost.Config{CPUs: s.lab.CPUs.DUT, FrequencyHz: frequencyHz, DUT: append(threads, processes...), Sinks: sinks})
}
