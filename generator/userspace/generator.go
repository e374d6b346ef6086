// Package userspace holds what generators have in common that write each frame in user
// space and hand it to a socket: the threads, the schedule, the bytes, the counts. What
// differs is the Output.
package userspace

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/sched"
)

// Output is the way out of one device for one thread. It holds the frames that were
// written and have not left, the oldest first. All calls but Close come from that thread.
type Output interface {
	// Slot is where the next frame is written; nil while there is no room. It has the
	// bytes of some frame of the same stream, of the largest size.
	Slot() *Slot
	// Fresh are the slots whose frames may still be stamped.
	Fresh() []Slot
	// Flush hands frames over and returns how many left since the last call, and their
	// bytes without FCS. It may be fewer than were written: the device had no room.
	Flush() (frames int, bytes uint64, err error)
	// Waiting tells whether any frame has not left.
	Waiting() bool
	// Finish ends a load: what has not left either leaves now, and is returned as by
	// Flush, or never does.
	Finish() (frames int, bytes uint64, err error)
	Close() error
}

// Open makes the output of a stream for the thread of a number.
type Open func(s generator.Stream, sizes frame.Sizes, thread int) (Output, error)

// Generator sends through outputs.
type Generator struct {
	engine  string
	config  generator.Config
	workers []*worker
	// Priority is the SCHED_FIFO priority of the sending threads, or their nice
	// value if it is negative; 0 leaves them as they are.
	Priority int
	// sending is held while a load is offered.
	sending sync.Mutex
}

var _ generator.Generator = (*Generator)(nil)

// New opens one output per stream and CPU. The devices must be up.
func New(engine string, config generator.Config, open Open) (*Generator, error) {
	if err := config.Check(); err != nil {
		return nil, fmt.Errorf("open generator %s: %w", engine, err)
	}
	g := &Generator{engine: engine, config: config}
	cpus := config.Threads()
	for i, cpu := range cpus {
		w, err := newWorker(config, generator.Share{Index: i, Of: len(cpus)}, cpu, open)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open generator %s: %w", engine, err), g.Close())
		}
		g.workers = append(g.workers, w)
	}
	return g, nil
}

// Engine is the name that the generator was opened with.
func (g *Generator) Engine() string { return g.engine }

// Close closes the outputs.
func (g *Generator) Close() error {
	var errs []error
	for _, w := range g.workers {
		errs = append(errs, w.close())
	}
	g.workers = nil
	return errors.Join(errs...)
}

// Send offers the load. When ctx ends it stops within some 20 ms and returns what was sent.
func (g *Generator) Send(ctx context.Context, load generator.Load) (generator.Counts, error) {
	if !g.sending.TryLock() {
		return generator.Counts{}, fmt.Errorf("send with generator %s: a load is being sent; wait until Send returns", g.engine)
	}
	defer g.sending.Unlock()
	if err := load.Check(); err != nil {
		return generator.Counts{}, err
	}
	clock := newClock()
	var ready, over sync.WaitGroup
	begin := make(chan uint64)
	errs := make([]error, len(g.workers))
	for i, w := range g.workers {
		w.arm(load)
		ready.Add(1)
		over.Go(func() {
			errs[i] = sched.OnOwnThread(func() error {
				return w.run(ctx, clock, g.Priority, uint64(load.Duration+generator.LastDue), &ready, begin)
			})
		})
	}
	ready.Wait()
	start := clock.now()
	for range g.workers {
		begin <- start
	}
	over.Wait()
	counts := g.counts(load)
	if load.Step.After > 0 {
		counts.StepNS = start + uint64(load.Step.After)
	}
	return counts, errors.Join(errs...)
}

// Progress is what has been sent of the current load.
func (g *Generator) Progress() []generator.StreamCounts {
	list := make([]generator.StreamCounts, len(g.config.Streams))
	for i, s := range g.config.Streams {
		list[i].Port = s.Port
		for _, w := range g.workers {
			list[i].Sent += w.streams[i].sent.Load()
			list[i].SentBytes += w.streams[i].sentBytes.Load()
		}
	}
	return list
}

func (g *Generator) counts(load generator.Load) generator.Counts {
	c := generator.Counts{Streams: g.Progress()}
	var first, last uint64
	for i := range c.Streams {
		s := &c.Streams[i]
		s.Intended = load.Intended()
		if s.Intended > s.Sent {
			s.Unsent = s.Intended - s.Sent
		}
		for _, w := range g.workers {
			v := w.streams[i]
			c.Gaps.Add(&v.gaps)
			if v.sent.Load() == 0 {
				continue
			}
			if first == 0 || v.firstNS < first {
				first = v.firstNS
			}
			last = max(last, v.lastNS)
		}
	}
	c.Duration, c.Threads = time.Duration(last-first), len(g.workers)
	return c
}
