package kernels

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/linerate/linerate/kernels/guest"
	"github.com/linerate/linerate/testbed/vm"
)

// live is a guest that waits to be told what to measure.
type live struct {
	request request
	seed    int64
	machine *vm.Machine
	ended   <-chan struct{}
	reports chan heard
	// began is the real time of the start, took what the boot took, and first is the first mark,
	// with the guest's clock then.
	began   time.Time
	took    time.Duration
	first   heard
	booted  guest.Booted
	command []string
}

// heard is a report with the time of its arrival.
type heard struct {
	guest.Report
	at     time.Time
	unread []byte
}

// start boots a guest for rates; ready waits for it.
func (q request) start(ctx context.Context, seed int64) (*live, error) {
	asked := guest.Request{Seed: seed, Cells: q.cells, Rate: q.rate}
	machine, err := q.guest(asked)
	if err != nil {
		return nil, err
	}
	machine.Accelerator = q.accelerator
	g := &live{request: q, seed: seed, reports: make(chan heard, 256), began: time.Now(), command: machine.LiveCommand("INITRAMFS")}
	g.machine, err = machine.Start(ctx, func(line []byte) {
		h := heard{at: time.Now()}
		if json.Unmarshal(line, &h.Report) != nil {
			h.unread = bytes.TrimSpace(line)
		}
		select {
		case g.reports <- h:
		default: // a guest that says more than it is asked would keep its end from being seen
		}
	})
	if err == nil {
		g.ended = g.machine.Ended()
	}
	return g, err
}

// await waits for the next report, at most as long as a boot may take.
func (g *live) await(ctx context.Context) (heard, error) {
	limit := time.NewTimer(g.request.limit)
	defer limit.Stop()
	select {
	case h := <-g.reports:
		return g.checked(h)
	case <-g.ended:
		// What it said last, such as why it ends, came before.
		select {
		case h := <-g.reports:
			return g.checked(h)
		default:
		}
		console, err := g.machine.Wait()
		if err == nil {
			err = &vm.Error{Kernel: g.request.kernel.Name, Reason: "the guest ended before it was told to", Console: console}
		}
		return heard{}, errors.Join(ctx.Err(), err)
	case <-limit.C:
		return heard{}, &vm.Error{Kernel: g.request.kernel.Name, Reason: fmt.Sprintf("it said nothing for %s", g.request.limit), Console: g.machine.Console()}
	case <-ctx.Done():
		return heard{}, ctx.Err()
	}
}

// checked is a report, with an error if the guest cannot go on behind it.
func (g *live) checked(h heard) (heard, error) {
	switch {
	case h.unread != nil:
		return h, fmt.Errorf("kernel %s: the guest reported what is not understood: %.100q", g.request.kernel.Name, h.unread)
	case h.Error != "":
		return h, fmt.Errorf("kernel %s: in the guest: %s", g.request.kernel.Name, h.Error)
	case h.Done:
		return h, fmt.Errorf("kernel %s: the guest ended before it was told to", g.request.kernel.Name)
	}
	return h, nil
}

// ready waits until the guest has booted.
func (g *live) ready(ctx context.Context) error {
	h, err := g.await(ctx)
	if err != nil {
		return err
	}
	if h.Booted == nil {
		return fmt.Errorf("kernel %s: the guest reported something else than that it booted", g.request.kernel.Name)
	}
	g.booted, g.took = *h.Booted, time.Since(g.began)
	return nil
}

// trial is one measurement with what the machine knows of it.
type trial struct {
	guest.Measured
	// cpu is what the emulator got between the marks, and clockRatio this machine's time by the guest's.
	cpu        time.Duration
	clockRatio float64
}

// measure lets the guest measure its n-th cell.
func (g *live) measure(ctx context.Context, n int) (trial, error) {
	if err := g.machine.Say(strconv.Itoa(n)); err != nil {
		return trial{}, err
	}
	var m trial
	var cpu time.Duration
	for {
		h, err := g.await(ctx)
		if err != nil {
			return m, err
		}
		switch {
		case h.Mark == guest.MarkBegin:
			if g.first.ClockNS == 0 {
				g.first = h
			}
			if cpu, err = g.machine.CPUTime(); err != nil {
				return m, err
			}
		case h.Mark == guest.MarkEnd:
			now, err := g.machine.CPUTime()
			if err != nil {
				return m, err
			}
			m.cpu = now - cpu
			m.clockRatio = float64(h.at.Sub(g.first.at)) / float64(max(h.ClockNS-g.first.ClockNS, 1))
		case h.Cell != nil:
			m.Measured = *h.Cell
			return m, nil
		}
	}
}

// end lets the guest end, and kills it if it does not. The error is of an emulator that stays.
func (g *live) end() error {
	if g.machine == nil {
		return nil
	}
	if g.machine.Say(guest.End) == nil {
		select {
		case <-g.machine.Ended():
		case <-time.After(endLimit):
		}
	}
	g.machine.Stop()
	if _, err := g.machine.Wait(); errors.Is(err, vm.ErrLeft) {
		return err
	}
	return nil
}

// endLimit is how long a guest may take to power off.
const endLimit = 2 * time.Second
