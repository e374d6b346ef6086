package selftest

import (
	"context"
	"errors"
	"time"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/xdp"
	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/sink"
	"github.com/linerate/linerate/testbed/lab"
	"github.com/linerate/linerate/trial"
)

// Traffic of the checks that make single trials: one flow, so that the frames have
// one order, at a load that any machine carries.
const (
	rigFlows        = 1
	rigPPS          = 20_000
	rigDuration     = 500 * time.Millisecond
	rigDrain        = 100 * time.Millisecond
	attempts        = 6 // of a trial that the machine disturbed
	generatorWarmUp = 100 * time.Millisecond
)

// rig is a lab whose DUT routes, into which faults are planted.
type rig struct {
	journal   *journal.Journal
	lab       *lab.Lab
	stepBack  func() error
	generator *xdp.Generator
	sink      *sink.Sink
	bed       *trial.Bed
}

// open returns the rig, made by the first check that needs it.
func (s *session) open(ctx context.Context) (*rig, error) {
	if s.rig != nil {
		return s.rig, nil
	}
	r := &rig{}
	if err := r.open(s.options.JournalDir); err != nil {
		return nil, errors.Join(err, r.close())
	}
	s.rig = r
	_, err := r.bed.Measure(ctx, trial.Request{LoadPPS: rigPPS, Duration: generatorWarmUp})
	return r, err
}

func (s *session) closeRig() error {
	if s.rig == nil {
		return nil
	}
	err := s.rig.close()
	s.rig = nil
	return err
}

func (r *rig) open(journalDir string) (err error) {
	id := lab.NewID()
	if r.journal, err = journal.Create(journalDir, id); err != nil {
		return err
	}
	if r.lab, err = lab.Open(id, plan.Default().Lab, r.journal); err != nil {
		return err
	}
	if r.stepBack, err = r.lab.StepAside(); err != nil {
		return err
	}
	scenario := dut.Scenario{DUT: r.lab.DUT, Cell: plan.Cell{Scenario: "route", IPVersion: 4, FrameSize: plan.MinFrameSize, Flows: rigFlows, Directions: plan.Uni}}
	steps, err := scenario.Steps()
	if err != nil {
		return err
	}
	if _, err := dut.Apply(steps, r.journal); err != nil {
		return err
	}
	flows, err := scenario.Flows(1)
	if err != nil {
		return err
	}
	if err := r.openEnds(flows); err != nil {
		return err
	}
	return r.openBed()
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
	r.generator, err = xdp.New(generator.Config{Sizes: frame.Sizes{size}, CPUs: r.lab.CPUs.Generators[:1], Streams: []generator.Stream{{
		Port: from.Name, Netns: from.Netns, Interface: from.Interface, Ifindex: from.Ifindex,
		SourceMAC: from.MAC, DestinationMAC: from.NextHopMAC, Flows: flows,
	}}})
	if err != nil {
		return err
	}
	r.generator.Priority = r.lab.GeneratorPriority()
	return r.lab.Pin()
}

func (r *rig) openBed() error {
	from, to := r.lab.Ports(false)
	threads, err := r.lab.DUTThreads()
	if err != nil {
		return err
	}
	watch, err := observe.WatchThreads(threads)
	if err != nil {
		return err
	}
	r.bed = &trial.Bed{
		Generator: r.generator, DUTThreads: watch, DrainQuiet: rigDrain, DrainMax: 2 * time.Second, CPURoles: r.lab.CPUs.Roles(),
		Directions: []trial.Direction{{
			Port: from.Name, Sink: r.sink, Out: trial.Device{Netns: from.Netns, Name: from.Interface}, In: trial.Device{Netns: to.Netns, Name: to.Interface},
			DUTOut: trial.Device{Netns: r.lab.DUT.Netns, Name: r.lab.DUT.B.Interface},
		}},
	}
	return nil
}

// measure makes a trial, and again while the machine, and not what was planted,
// keeps it from being sound.
func (r *rig) measure(ctx context.Context, before func() error, sound func(result.Trial) (string, error)) (t result.Trial, err error) {
	why := ""
	for range attempts {
		if err := before(); err != nil {
			return t, err
		}
		if t, err = r.bed.Measure(ctx, trial.Request{LoadPPS: rigPPS, Duration: rigDuration}); err != nil {
			return t, err
		}
		if why, err = sound(t); err != nil || why == "" {
			return t, err
		}
	}
	return t, skip("in %d trials the machine itself was at fault, at last: %s; stop what else runs and try again", attempts, why)
}

func (r *rig) close() error {
	var errs []error
	if r.bed != nil && r.bed.DUTThreads != nil {
		errs = append(errs, r.bed.DUTThreads.Close())
	}
	if r.generator != nil {
		errs = append(errs, r.generator.Close())
	}
	if r.sink != nil {
		errs = append(errs, r.sink.Close())
	}
	if r.stepBack != nil {
		errs = append(errs, r.stepBack())
	}
	if r.journal != nil {
		errs = append(errs, r.journal.Close())
	}
	return errors.Join(errs...)
}
