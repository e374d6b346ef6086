// Package xdp is the generator that runs an XDP program on live frames
// (BPF_F_TEST_XDP_LIVE_FRAMES) and redirects them to a device. Frames are paced,
// numbered and stamped inside the program.
package xdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/cilium/ebpf"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/netns"
	"golang.org/x/sys/unix"
)

// MaxFrameBytes is the largest frame, FCS included, that the kernel accepts as a
// live frame: it has to lie in one 4096-byte page with its headroom and
// bookkeeping (net/bpf/test_run.c, Linux 5.18 to 6.18).
const MaxFrameBytes = 3200

const (
	// pacedBatch frames are handed to the device at once: larger batches leave as
	// bursts, smaller ones cost more each.
	pacedBatch = 8
	fullBatch  = 64
	startUp    = 60 * time.Millisecond // the kernel needs about 30 ms to set a call up
)

// Generator is the engine "xdp".
type Generator struct {
	config  generator.Config
	workers []*worker
	// Priority is the SCHED_FIFO priority of the sending threads, or their nice
	// value if it is negative; 0 leaves them as they are.
	Priority int
	// Batch is the number of frames that are handed to the device at once when the load
	// is paced; 0 stands for 8. Larger batches cost less and leave as bursts.
	Batch int
}

var _ generator.Generator = (*Generator)(nil)

// New loads one program for each CPU. The devices must be up, and their peers, if
// they are veths, must have an XDP program or GRO on: otherwise frames count as
// sent and none arrives.
func New(config generator.Config) (*Generator, error) {
	if err := config.Check(); err != nil {
		return nil, fmt.Errorf("open generator xdp: %w", err)
	}
	if m := config.Sizes.MaxBytes(); m > MaxFrameBytes {
		return nil, fmt.Errorf("open generator xdp: a frame of %d bytes is larger than the %d bytes of a live frame; use engine afpacket", m, MaxFrameBytes)
	}
	g := &Generator{config: config}
	cpus := config.Threads()
	for i, cpu := range cpus {
		w, err := newWorker(config, generator.Share{Index: i, Of: len(cpus)}, cpu)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open generator xdp: %w", err), g.Close())
		}
		g.workers = append(g.workers, w)
	}
	return g, nil
}

// Engine is "xdp".
func (g *Generator) Engine() string { return "xdp" }

// Close unloads the programs.
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
	if err := load.Check(); err != nil {
		return generator.Counts{}, err
	}
	for _, w := range g.workers {
		if err := w.rewind(); err != nil {
			return generator.Counts{}, err
		}
	}
	start := monotonicNS() + uint64(startUp)
	batch := fullBatch
	if load.PPS > 0 {
		batch = cmp.Or(g.Batch, pacedBatch)
	}
	for _, w := range g.workers {
		if err := w.arm(load, start); err != nil {
			return generator.Counts{}, err
		}
	}
	threads := make([]*thread, len(g.workers))
	for i, w := range g.workers {
		threads[i] = startThread(w.objects.Generate.FD(), w.template, batch, w.cpu, g.Priority)
	}
	sleepUntil(ctx, start)
	errs, interruptions := g.wait(ctx, threads, start+uint64(load.Duration+generator.LastDue), batch)
	counts := g.counts(load)
	counts.Interruptions, counts.Threads = interruptions, len(g.workers)
	if load.Step.After > 0 {
		counts.StepNS = start + uint64(load.Step.After)
	}
	for _, s := range g.config.Streams {
		errs = append(errs, checkDevice(s))
	}
	return counts, errors.Join(errs...)
}

// checkDevice tells whether the device of a stream is there and up. The kernel drops
// frames that are redirected to one that is not, without a word to the program.
func checkDevice(s generator.Stream) error {
	return netns.Do(s.Netns, func() error {
		device, err := net.InterfaceByIndex(s.Ifindex)
		if err != nil {
			return fmt.Errorf("send on %s of namespace %q: %w; the device has been removed, and frames counted as sent may not have left", s.Interface, s.Netns, err)
		}
		if device.Flags&net.FlagUp == 0 {
			return fmt.Errorf("send on %s of namespace %q: the device is down; set it up with `ip link set up`", s.Interface, s.Netns)
		}
		return nil
	})
}

// wait lets the threads run until the end, or until every stream has sent its
// limit, and takes them up again if the system ended their call early.
func (g *Generator) wait(ctx context.Context, threads []*thread, end uint64, batch int) (errs []error, interruptions int) {
	tids := make([]int, len(threads))
	for i, t := range threads {
		tids[i] = <-t.tid
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	running := len(threads)
	stopping := false
	for running > 0 {
		select {
		case <-ctx.Done():
			stopping = true
			<-tick.C
		case <-tick.C:
		}
		stopping = stopping || monotonicNS() >= end || g.finished()
		for i, t := range threads {
			if t == nil {
				continue
			}
			select {
			case err := <-t.done:
				if err == nil && !stopping {
					interruptions++
					w := g.workers[i]
					threads[i] = startThread(w.objects.Generate.FD(), w.template, batch, w.cpu, g.Priority)
					tids[i] = <-threads[i].tid
					continue
				}
				threads[i] = nil
				running--
				if err != nil {
					errs = append(errs, err)
					stopping = true
				}
			default:
				if stopping {
					interrupt(tids[i])
				}
			}
		}
	}
	return errs, interruptions
}

func (g *Generator) finished() bool {
	for _, w := range g.workers {
		if !w.finished() {
			return false
		}
	}
	return true
}

// Progress is what has been sent of the current load.
func (g *Generator) Progress() []generator.StreamCounts {
	list := make([]generator.StreamCounts, len(g.config.Streams))
	for i, s := range g.config.Streams {
		list[i].Port = s.Port
		for _, w := range g.workers {
			c := w.stream(i)
			list[i].Sent += c.Sent
			list[i].SentBytes += c.SentBytes
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
			if v := w.stream(i); v.Sent > 0 {
				if first == 0 || v.FirstNs < first {
					first = v.FirstNs
				}
				last = max(last, v.LastNs)
			}
		}
	}
	c.Duration = time.Duration(last - first)
	for _, w := range g.workers {
		w.addGaps(&c.Gaps)
	}
	return c
}

func sleepUntil(ctx context.Context, at uint64) {
	now := monotonicNS()
	if now >= at {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(at - now)):
	}
}

func monotonicNS() uint64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return uint64(t.Nano())
}

// Copies are the perf event arrays, one for each CPU, that take the copies of frames (frame/copyframe.h).
func (g *Generator) Copies() []*ebpf.Map {
	maps := make([]*ebpf.Map, len(g.workers))
	for i, w := range g.workers {
		maps[i] = w.objects.Copies
	}
	return maps
}
