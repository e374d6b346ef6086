package testpmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/netns"
	"github.com/vishvananda/netlink"
	vnetns "github.com/vishvananda/netns"
)

// Generator is the engine "testpmd".
type Generator struct {
	config  generator.Config
	driver  Driver
	sources []*source
}

// source is the testpmd of one stream, and the counters of its device.
type source struct {
	stream  generator.Stream
	process *process
	threads int
	counter *netlink.Handle
	// base is how many frames had left the device before the load.
	base atomic.Uint64
}

var (
	_ generator.Generator      = (*Generator)(nil)
	_ generator.OtherProcesses = (*Generator)(nil)
)

// ErrNotPaced says that a load has a rate or a number of frames.
var ErrNotPaced = errors.New("testpmd sends as fast as it goes until it is stopped: its mode txonly knows neither a rate nor a number of frames; ask for an unpaced load (0 or max), or use another engine")

// startPatience is for the first frame of a load.
const startPatience = 2 * time.Second

// New starts testpmd for each stream, which then waits. Its threads get no real-time
// priority: one that polls would keep the thread that takes the commands from its CPU. The
// error is a *kernel.MissingError where DPDK is not installed.
func New(config generator.Config, driver Driver) (*Generator, error) {
	g := &Generator{config: config, driver: driver}
	if err := g.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("open generator testpmd: %w", err), g.Close())
	}
	return g, nil
}

func (g *Generator) prepare() error {
	if err := check(g.config, g.driver); err != nil {
		return err
	}
	if err := require(g.driver); err != nil {
		return err
	}
	cpus := slices.Clone(g.config.CPUs)
	if len(cpus) == 0 {
		cpus = []int{0}
	}
	for i, s := range g.config.Streams {
		if err := g.open(i, s, shareOf(cpus, i, len(g.config.Streams))); err != nil {
			return fmt.Errorf("stream %s: %w", s.Port, err)
		}
	}
	return nil
}

// shareOf deals the CPUs out to the streams; all streams share one.
func shareOf(cpus []int, stream, streams int) []int {
	if len(cpus) < streams {
		return cpus
	}
	var list []int
	for i := stream; i < len(cpus); i += streams {
		list = append(list, cpus[i])
	}
	return list
}

func (g *Generator) open(number int, s generator.Stream, cpus []int) error {
	src := &source{stream: s, threads: len(cpus)}
	g.sources = append(g.sources, src)
	var err error
	if src.counter, err = handle(s.Netns); err != nil {
		return fmt.Errorf("read the counters of %s: %w", s.Interface, err)
	}
	base, err := src.left()
	if err != nil {
		return err
	}
	src.base.Store(base)
	src.process, err = start(s.Netns, cpus, arguments(os.Getpid()*2+number, s, cpus, g.config.Sizes[0], g.driver))
	return err
}

func handle(ns string) (*netlink.Handle, error) {
	if ns == "" {
		return netlink.NewHandle()
	}
	at, err := vnetns.GetFromPath(netns.Path(ns))
	if err != nil {
		return nil, err
	}
	defer at.Close()
	return netlink.NewHandleAt(at)
}

// left is how many frames have left the device, as the kernel counts them.
func (s *source) left() (uint64, error) {
	link, err := s.counter.LinkByIndex(s.stream.Ifindex)
	if err != nil {
		return 0, fmt.Errorf("read the counters of %s: %w", s.stream.Interface, err)
	}
	return link.Attrs().Statistics.TxPackets, nil
}

// Engine is "testpmd" with the driver of its devices.
func (g *Generator) Engine() string { return "testpmd (" + drivers[g.driver].name + ")" }

// Threads are the thread ids of the processes that send.
func (g *Generator) Threads() ([]int, error) {
	var all []int
	for _, s := range g.sources {
		workers, others, err := s.process.threads()
		if err != nil {
			return nil, err
		}
		all = append(append(all, workers...), others...)
	}
	return all, nil
}

// Close ends the processes.
func (g *Generator) Close() error {
	var errs []error
	for _, s := range g.sources {
		if s.process != nil {
			errs = append(errs, s.process.quit())
		}
		if s.counter != nil {
			s.counter.Close()
		}
	}
	g.sources = nil
	return errors.Join(errs...)
}

// Send offers the load, which must not be paced, until its duration is over or ctx ends.
func (g *Generator) Send(ctx context.Context, load generator.Load) (generator.Counts, error) {
	if load.PPS > 0 || load.Frames > 0 || load.Step.After > 0 {
		return generator.Counts{}, fmt.Errorf("send with generator testpmd at %.0f pps: %w", load.PPS, ErrNotPaced)
	}
	counts := generator.Counts{}
	for _, s := range g.sources {
		counts.Threads = s.threads
		base, err := s.left()
		if err != nil {
			return counts, err
		}
		s.base.Store(base)
	}
	var err error
	if ctx.Err() == nil {
		counts.Duration, err = g.run(ctx, load.Duration)
	}
	counts.Streams = g.counts()
	if err != nil {
		err = fmt.Errorf("send with generator testpmd: %w", err)
	}
	return counts, err
}

// run starts all sources, waits and stops them. The time counts from the first frame that
// is seen to have left to the last.
func (g *Generator) run(ctx context.Context, duration time.Duration) (took time.Duration, err error) {
	stopped := false
	stop := func() {
		if !stopped {
			stopped = true
			err = errors.Join(err, g.tell("stop"))
		}
	}
	defer stop()
	if err := g.tell("start"); err != nil {
		return 0, err
	}
	for end := time.Now().Add(startPatience); g.sent() == 0; time.Sleep(pollInterval) {
		if err := g.alive(); err != nil {
			return 0, err
		}
		if time.Now().After(end) {
			return 0, fmt.Errorf("no frame left in %v; is %s up?", startPatience, g.sources[0].stream.Interface)
		}
		if ctx.Err() != nil {
			return 0, nil
		}
	}
	begin := time.Now()
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	stop()
	took = time.Since(begin)
	g.settle()
	return took, errors.Join(err, g.alive())
}

// settle waits until the counters stand still.
func (g *Generator) settle() {
	for last, tries := g.sent(), 0; tries < 100; tries++ {
		time.Sleep(time.Millisecond)
		now := g.sent()
		if now == last {
			return
		}
		last = now
	}
}

// tell gives all sources a command at once.
func (g *Generator) tell(command string) error {
	done := make(chan error, len(g.sources))
	for _, s := range g.sources {
		go func() { done <- s.process.tell(command) }()
	}
	var errs []error
	for range g.sources {
		errs = append(errs, <-done)
	}
	return errors.Join(errs...)
}

func (g *Generator) alive() error {
	var errs []error
	for _, s := range g.sources {
		errs = append(errs, s.process.alive())
	}
	return errors.Join(errs...)
}

func (g *Generator) sent() (n uint64) {
	for _, s := range g.counts() {
		n += s.Sent
	}
	return n
}

// Progress is what has been sent of the current load.
func (g *Generator) Progress() []generator.StreamCounts { return g.counts() }

// counts are the frames by stream: what the device's counter grew by. Whoever else sends
// on the device is in it.
func (g *Generator) counts() []generator.StreamCounts {
	list := make([]generator.StreamCounts, len(g.config.Streams))
	for i, s := range g.config.Streams {
		list[i].Port = s.Port
	}
	for i, s := range g.sources {
		now, err := s.left()
		if err != nil {
			continue // the device is gone
		}
		list[i].Sent = now - s.base.Load()
		list[i].SentBytes = list[i].Sent * uint64(g.config.Sizes[0]-frame.FCSBytes)
	}
	return list
}
