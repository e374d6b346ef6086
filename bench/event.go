package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/trial"
)

// eventful is a tester whose DUT something can be done to in the middle of a trial.
type eventful interface {
	// event is what is to be done; nil if nothing is.
	event() *dut.Event
	// befall does it. It calls begin when all is prepared.
	befall(e *dut.Event, begin func()) error
	// recover takes it back and waits until the DUT is as it was before; doubt is why it is not.
	recover() (doubt, err error)
}

// eventCell makes a trial in which something befalls the DUT, and makes it again if it
// was disturbed.
func (r *run) eventCell(ctx context.Context, cell *result.Cell, bed trial.Measurer) error {
	t, ok := bed.(eventful)
	if !ok {
		return nil
	}
	e := t.event()
	if e == nil {
		return nil
	}
	load := e.LoadPPS
	if goal := strictest(cell); load == 0 && goal != nil {
		load = goal.LowerPPS / 2
	}
	if load == 0 {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "no-throughput", Text: e.Name + ": not measured, because no load passed, so there is none to take half of; give the event a load of its own"})
		return nil
	}
	m := r.measurementOf(cell, bed, result.ForEvent)
	request := trial.Request{LoadPPS: load, Duration: e.Duration, Event: &trial.Event{
		Name: e.Name, After: e.After, Do: func(begin func()) error { return t.befall(e, begin) },
	}}
	m.afterwards = func() error {
		doubt, err := t.recover()
		if doubt != nil {
			m.repeatLimit = 0
			cell.Warnings = append(cell.Warnings, result.Warning{Code: "not-recovered", Text: fmt.Sprintf("after %s was taken back, the DUT did not become what it was: %v", e.Name, doubt)})
		}
		return err
	}
	one, _, err := m.single(ctx, request, e.Name)
	if err != nil {
		return err
	}
	cell.Event = one.Event
	return nil
}

func (s *station) event() *dut.Event { return s.scenario.Event() }

func (s *station) befall(e *dut.Event, begin func()) error {
	for _, undo := range slices.Backward(e.Undo) {
		if err := s.journal.Record(undo); err != nil {
			return err
		}
	}
	begin()
	for _, do := range e.Do {
		if err := do.Run(); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return nil
}

// recover also places the threads of devices that have come up again, which are new.
func (s *station) recover() (doubt, err error) {
	if err := s.journal.UndoTo(s.mark); err != nil {
		return nil, err
	}
	doubt = s.scenario.Check()
	if err := s.lab.Pin(); err != nil {
		return doubt, err
	}
	if s.bed.DUTThreads == nil {
		return doubt, nil
	}
	if err = s.bed.DUTThreads.Close(); err == nil {
		s.bed.DUTThreads, err = watch(s.lab, false, s.applied)
	}
	return doubt, err
}
