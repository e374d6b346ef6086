package userspace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/sched"
	"golang.org/x/sys/unix"
)

// A thread that has longer to wait than longWait sleeps, and wakes early by
// wakeEarly; for shorter times it polls the clock, as a sleep may last too long.
const (
	longWait  = 2 * time.Millisecond
	wakeEarly = time.Millisecond
	longSleep = 10 * time.Millisecond // after which ctx is looked at again
)

// worker is one thread on one CPU. It sends every stream, each with its share of the flows.
type worker struct {
	cpu     int
	streams []*stream
}

func newWorker(config generator.Config, part generator.Share, cpu int, open Open) (*worker, error) {
	w := &worker{cpu: cpu}
	for _, s := range config.Streams {
		v, err := newStream(s, config.Sizes, part, open)
		if err != nil {
			return nil, errors.Join(err, w.close())
		}
		w.streams = append(w.streams, v)
	}
	return w, nil
}

func (w *worker) close() error {
	var errs []error
	for _, v := range w.streams {
		errs = append(errs, v.output.Close())
	}
	return errors.Join(errs...)
}

func (w *worker) arm(load generator.Load) {
	for _, v := range w.streams {
		v.arm(load)
	}
}

// run sends on the calling thread, which is its own, until all has left, or the time is over, or ctx
// ends. It takes its start from begin once it has told ready.
func (w *worker) run(ctx context.Context, c clock, priority int, timeNS uint64, ready *sync.WaitGroup, begin <-chan uint64) error {
	err := sched.Place(w.cpu, priority)
	ready.Done()
	start := <-begin
	if err != nil {
		return fmt.Errorf("place the sending thread: %w", err)
	}
	err = w.send(ctx, c, start, timeNS)
	for _, v := range w.streams {
		err = errors.Join(err, v.finish(c.now()))
	}
	return err
}

func (w *worker) send(ctx context.Context, c clock, start, timeNS uint64) error {
	for {
		elapsed := c.now() - start
		if elapsed >= timeNS || ctx.Err() != nil {
			return nil
		}
		idle, err := w.turn(c, elapsed)
		if err != nil {
			return err
		}
		if w.over() {
			return nil
		}
		if idle {
			w.pause(elapsed)
		}
	}
}

// turn gives each stream one batch; idle means that nothing was due.
func (w *worker) turn(c clock, elapsedNS uint64) (idle bool, err error) {
	idle = true
	for _, v := range w.streams {
		v.fill(elapsedNS)
		if !v.output.Waiting() {
			continue
		}
		idle = false
		if err := v.flush(c.now()); err != nil {
			return false, err
		}
	}
	return idle, nil
}

func (w *worker) over() bool {
	for _, v := range w.streams {
		if !v.over() {
			return false
		}
	}
	return true
}

// pause sleeps through a long wait.
func (w *worker) pause(elapsedNS uint64) {
	wait := uint64(math.MaxUint64)
	for _, v := range w.streams {
		wait = min(wait, v.schedule.waitNS(elapsedNS))
	}
	if wait < uint64(longWait) {
		return
	}
	t := unix.NsecToTimespec(int64(min(wait-uint64(wakeEarly), uint64(longSleep))))
	_ = unix.Nanosleep(&t, nil) // a signal that ends it early does no harm
}
