package selftest

import (
	"context"
	"errors"
	"fmt"

	"github.com/linerate/linerate/result"
)

// everyNth frame is faulty.
const everyNth = 100

func frames(name string, truth, found uint64) Quantity {
	return Quantity{Name: name, Unit: "frames", Truth: float64(truth), Found: float64(found)}
}

// counted are all counts of a trial, with what each of them must be.
func counted(t result.Trial, lost, duplicated, reordered uint64) []Quantity {
	return []Quantity{
		frames("lost", lost, t.Lost), frames("duplicated", duplicated, t.Duplicated), frames("reordered", reordered, t.Reordered),
		frames("late", 0, t.Late), frames("foreign", 0, t.Foreign), frames("of a wrong size", 0, t.WrongSize),
		frames("rewritten", 0, t.WrongRewrite), frames("of a wrong flow", 0, t.WrongFlow),
	}
}

// machine says what the machine, and not the DUT, did to a trial.
func machine(t result.Trial) string {
	switch {
	case t.Unsent > 0:
		return fmt.Sprintf("the generator left %d frames unsent", t.Unsent)
	case t.DUTInputDrops > 0:
		return fmt.Sprintf("the DUT's input ring refused %d frames", t.DUTInputDrops)
	case t.TesterDrops > 0:
		return fmt.Sprintf("the sink's ring refused %d frames", t.TesterDrops)
	}
	return ""
}

// clean is the control: without a fault nothing may be found, and the kernel's own
// counters must say the same as linerate's.
func clean(ctx context.Context, s *session) (r Result, err error) {
	rig, err := s.open(ctx)
	if err != nil {
		return r, err
	}
	if s.options.amiss {
		p, err := rig.plantFault(dropFault, everyNth)
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, p.remove()) }()
	}
	t, err := rig.measure(ctx, func() error { return nil }, func(t result.Trial) (string, error) { return machine(t), nil })
	if err != nil {
		return r, err
	}
	r.Quantities = append(counted(t, 0, 0, 0), frames("received", t.Intended, t.Received))
	for _, p := range t.Ports {
		if p.Sent > 0 {
			r.Quantities = append(r.Quantities, frames("sent, by the kernel's counter", p.Sent, p.InterfaceTx))
		} else {
			r.Quantities = append(r.Quantities, frames("arrived, by the kernel's counter", p.Received+t.Duplicated+p.Foreign, p.InterfaceRx))
		}
	}
	return r, nil
}

func loss(ctx context.Context, s *session) (Result, error) {
	return s.faulty(ctx, dropFault, func(t result.Trial, n uint64) []Quantity { return counted(t, n, 0, 0) })
}

func duplication(ctx context.Context, s *session) (Result, error) {
	return s.faulty(ctx, duplicateFault, func(t result.Trial, n uint64) []Quantity { return counted(t, 0, n, 0) })
}

func reordering(ctx context.Context, s *session) (Result, error) {
	return s.faulty(ctx, exchangeFault, func(t result.Trial, n uint64) []Quantity { return counted(t, 0, 0, n) })
}

// faulty plants one kind of fault in every Nth frame. The truth is a share of the
// frames sent; the program's own count has to be the same.
func (s *session) faulty(ctx context.Context, f fault, truth func(result.Trial, uint64) []Quantity) (r Result, err error) {
	rig, err := s.open(ctx)
	if err != nil {
		return r, err
	}
	p, err := rig.plantFault(f, uint32(s.options.amount(everyNth, everyNth-1)))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	var c counts
	t, err := rig.measure(ctx, p.rewind, func(t result.Trial) (string, error) {
		var err error
		c, err = p.counts()
		if why := machine(t); why != "" {
			return why, err
		}
		if c.failed > 0 {
			return fmt.Sprintf("%d faults could not be planted", c.failed), err
		}
		return "", err
	})
	if err != nil {
		return r, err
	}
	n := t.Sent / everyNth
	r.Quantities = append(truth(t, n), frames("seen by the DUT", t.Sent, c.seen), frames("planted by the DUT", n, c.planted))
	return r, nil
}

// A shaper that is offered twice its rate keeps its queue full: whatever it accepts
// waits for as long as it takes to send one queue.
const (
	shapedPPS         = rigPPS / 2
	shapedQueueFrames = 200
	// latencyTolerance: percentiles are upper edges of buckets of 3.1 %, and one frame
	// of the queue is 0.5 %.
	latencyTolerance = 0.04
)

func delay(ctx context.Context, s *session) (r Result, err error) {
	rig, err := s.open(ctx)
	if err != nil {
		return r, err
	}
	undo, err := rig.shape(shapedPPS, s.options.amount(shapedQueueFrames, 2*shapedQueueFrames))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, undo()) }()
	t, err := rig.measure(ctx, func() error { return nil }, func(t result.Trial) (string, error) {
		if why := machine(t); why != "" {
			return why, nil
		}
		if t.Latency == nil {
			return "no frame arrived", nil
		}
		return "", nil
	})
	if err != nil {
		return r, err
	}
	const truthNS = shapedQueueFrames * 1e9 / shapedPPS
	r.Quantities = []Quantity{{Name: "P50 latency", Unit: "ns", Truth: truthNS, Found: float64(t.Latency.P50NS), ToleranceRatio: latencyTolerance}}
	return r, nil
}
