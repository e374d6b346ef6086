package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/xdp"
	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/observe/ledger"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
	"github.com/linerate/linerate/sink"
	"github.com/linerate/linerate/testbed/lab"
	"github.com/linerate/linerate/trial"
)

// rig is a lab whose DUT routes, for trials at loads that no search would ask for.
type rig struct {
	journal   *journal.Journal
	lab       *lab.Lab
	generator *xdp.Generator
	sink      *sink.Sink
	bed       *trial.Bed
	// ceilingPPS is what the generator sends into the DUT unpaced.
	ceilingPPS float64
}

// openRig opens a lab as bench does, for one direction of 64-byte frames.
func openRig() (*rig, error) {
	r := &rig{}
	if err := r.open(); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *rig) open() error {
	id := lab.NewID()
	var err error
	if r.journal, err = journal.Create(journal.DefaultDir, id); err != nil {
		return err
	}
	p := plan.Default()
	if r.lab, err = lab.Open(id, p.Lab, r.journal); err != nil {
		return err
	}
	scenario := dut.Scenario{DUT: r.lab.DUT, Cell: plan.Cell{Scenario: "route", IPVersion: 4, FrameSize: plan.MinFrameSize, Flows: flowCount, Directions: plan.Uni}}
	steps, err := scenario.Steps()
	if err != nil {
		return err
	}
	if _, err := dut.Apply(steps, r.journal); err != nil {
		return err
	}
	flows, err := scenario.Flows(p.Traffic.Seed)
	if err != nil {
		return err
	}
	if err := r.openEnds(flows); err != nil {
		return err
	}
	return r.openBed(p)
}

func (r *rig) openEnds(flows []frame.Flow) (err error) {
	from, to := r.lab.Ports(false)
	size := int(plan.MinFrameSize)
	r.sink, err = sink.Open(sink.Config{
		Port: to.Name, Netns: to.Netns, Interface: to.Interface, Ifindex: to.Ifindex, Flows: len(flows), IPVersion: 4, SizeBytes: size,
	})
	if err != nil {
		return err
	}
	if err := r.sink.ExpectFlows(flows); err != nil {
		return err
	}
	r.generator, err = xdp.New(generator.Config{Sizes: frame.Sizes{size}, CPUs: r.lab.CPUs.Generators, Streams: []generator.Stream{{
		Port: from.Name, Netns: from.Netns, Interface: from.Interface, Ifindex: from.Ifindex,
		SourceMAC: from.MAC, DestinationMAC: from.NextHopMAC, Flows: flows,
	}}})
	if err != nil {
		return err
	}
	r.generator.Priority = r.lab.GeneratorPriority()
	return r.lab.Pin()
}

func (r *rig) openBed(p plan.Plan) error {
	from, to := r.lab.Ports(false)
	r.bed = &trial.Bed{
		Generator: r.generator, DrainQuiet: time.Duration(p.Trial.DrainQuiet), DrainMax: time.Duration(p.Trial.DrainMax), CPURoles: r.lab.CPUs.Roles(),
		Directions: []trial.Direction{{
			Port: from.Name, Sink: r.sink, Out: trial.Device{Netns: from.Netns, Name: from.Interface}, In: trial.Device{Netns: to.Netns, Name: to.Interface},
			DUTOut: trial.Device{Netns: r.lab.DUT.Netns, Name: r.lab.DUT.B.Interface},
		}},
	}
	var err error
	if r.bed.Ledger, err = ledger.Open(bench.LedgerConfig(r.lab, false, false)); err != nil {
		return err
	}
	return r.watch()
}

// watch begins to measure the DUT's threads, as it is done in every run.
func (r *rig) watch() error {
	threads, err := r.lab.DUTThreads()
	if err != nil {
		return err
	}
	r.bed.DUTThreads, err = observe.WatchThreads(threads)
	return err
}

// unwatch ends that.
func (r *rig) unwatch() error {
	watched := r.bed.DUTThreads
	r.bed.DUTThreads = nil
	if watched == nil {
		return nil
	}
	return watched.Close()
}

// quickPDR is the default goal with shorter trials and a width of 2 %: near enough
// for loads that are multiples of it.
var quickPDR = search.Goal{Name: "PDR", LossRatio: 0.005, ExceedRatio: 0.5, Width: 0.02, TrialDurationS: 0.5, DurationSumS: 1.5}

// quickBudgetS bounds the trial seconds of that search.
const quickBudgetS = 12

// throughput searches the PDR, and warms the lab up by that.
func (r *rig) throughput(ctx context.Context) (pps float64, err error) {
	unpaced, err := r.bed.Measure(ctx, trial.Request{Duration: 250 * time.Millisecond})
	if err != nil {
		return 0, err
	}
	r.ceilingPPS = float64(unpaced.Sent) / unpaced.ActualDurationS
	find, err := search.NewMLR(search.Config{
		Goals: []search.Goal{quickPDR}, MinLoadPPS: min(1000, r.ceilingPPS/2), MaxLoadPPS: r.ceilingPPS, MaxTrialSeconds: quickBudgetS,
	})
	if err != nil {
		return 0, err
	}
	for {
		load, more := find.Next()
		if !more {
			break
		}
		m, err := r.measure(ctx, load.PPS, time.Duration(load.DurationS*float64(time.Second)))
		if err != nil {
			return 0, err
		}
		find.Add(search.Trial{LoadPPS: load.PPS, DurationS: load.DurationS, LossRatio: m.LossRatio()})
	}
	b := find.Bounds()[0]
	if !b.HasLower {
		return 0, fmt.Errorf("search the throughput of the router: no load down to %.0f pps passes with at most 0.5 %% loss; stop what else runs on this machine", b.UpperPPS)
	}
	return b.ConditionalPPS, nil
}

// measure makes a trial, and again, twice at most, if the machine disturbed it.
func (r *rig) measure(ctx context.Context, pps float64, d time.Duration) (m result.Trial, err error) {
	return r.measureTraced(ctx, pps, d, false)
}

// measureTraced is measure with the kernel's drops traced, or not.
func (r *rig) measureTraced(ctx context.Context, pps float64, d time.Duration, trace bool) (m result.Trial, err error) {
	for range 3 {
		if m, err = r.bed.Measure(ctx, trial.Request{LoadPPS: pps, Duration: d, Trace: trace}); err != nil || trial.Disturbed(m) == "" {
			break
		}
	}
	return m, err
}

func (r *rig) close() error {
	var errs []error
	if r.bed != nil {
		errs = append(errs, r.unwatch(), r.bed.Ledger.Close())
	}
	if r.generator != nil {
		errs = append(errs, r.generator.Close())
	}
	if r.sink != nil {
		errs = append(errs, r.sink.Close())
	}
	if r.journal != nil {
		errs = append(errs, r.journal.Close())
	}
	return errors.Join(errs...)
}
