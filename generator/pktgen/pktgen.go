package pktgen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/netns"
	"golang.org/x/sys/unix"
)

// Generator is the engine "pktgen".
type Generator struct {
	config  generator.Config
	devices []sender
	folders []folder // one for each namespace
	mutex   sync.Mutex
	sending bool
	// last is what Progress tells while no load is sent.
	last []generator.StreamCounts
}

// sender is a share of a stream on one thread.
type sender struct {
	Device
	stream   int
	share    generator.Share
	flows    flowRange
	commands func(count uint64, pps float64) []string
}

var _ generator.Generator = (*Generator)(nil)

// MaxFrameBytes is the largest frame that linerate has it send, FCS included.
const MaxFrameBytes = 9018

const (
	pollInterval  = 5 * time.Millisecond
	startPatience = time.Second // for the first frame
)

// minPayloadBytes are pktgen's mark, sequence and time stamp (struct pktgen_hdr).
const minPayloadBytes = 16

// New checks that pktgen is there and can send the streams. The error is a
// *kernel.MissingError where the kernel has no pktgen, or has not loaded it.
func New(config generator.Config, o Options) (*Generator, error) {
	return open(config, o, controlFolder)
}

func open(config generator.Config, o Options, path string) (*Generator, error) {
	g := &Generator{config: config}
	if err := g.prepare(o, path); err != nil {
		return nil, fmt.Errorf("open generator pktgen: %w", err)
	}
	g.last = g.counts()
	return g, nil
}

func (g *Generator) prepare(o Options, path string) error {
	c := g.config
	if err := c.Check(); err != nil {
		return err
	}
	if len(c.Sizes) != 1 {
		return fmt.Errorf("it sends frames of one size in a load, not %d; use another engine for a mix", len(c.Sizes))
	}
	if err := checkSize(c.Sizes[0], c.Streams[0].Flows[0].IPVersion()); err != nil {
		return err
	}
	cpus := c.Threads()
	if cpus[0] < 0 {
		cpus = []int{0}
	}
	if o.Threads > 0 {
		if o.Threads > len(cpus) {
			return fmt.Errorf("%d threads are asked for, and the generator has the CPUs %v and %d flows; name more in lab.tester_cpus, or fewer in traffic.pktgen.threads", o.Threads, cpus, len(c.Streams[0].Flows))
		}
		cpus = cpus[:o.Threads]
	}
	for i, s := range c.Streams {
		d := folder{s.Netns, path}
		if !slices.Contains(g.folders, d) {
			if err := d.check(); err != nil {
				return err
			}
			g.folders = append(g.folders, d)
		}
		flows, err := rangeOf(s.Flows, o.FlowPackets)
		if err != nil {
			return fmt.Errorf("stream %s: %w", s.Port, err)
		}
		for n, cpu := range cpus {
			share := generator.Share{Index: n, Of: len(cpus)}
			part := flows.part(share)
			g.devices = append(g.devices, sender{
				Device: deviceOn(d, s.Interface, cpu), stream: i, share: share, flows: part,
				commands: func(count uint64, pps float64) []string { return commands(s, c.Sizes[0], part, o, count, pps) },
			})
		}
	}
	return nil
}

// checkSize holds a frame's size, FCS included, to what fits.
func checkSize(sizeBytes, ipVersion int) error {
	least := frame.EthernetBytes + frame.IPv4Bytes + frame.UDPBytes + minPayloadBytes + frame.FCSBytes
	if ipVersion == 6 {
		least += frame.IPv6Bytes - frame.IPv4Bytes
	}
	if sizeBytes < least || sizeBytes > MaxFrameBytes {
		return fmt.Errorf("it sends frames of IPv%d with %d to %d bytes, not %d", ipVersion, least, MaxFrameBytes, sizeBytes)
	}
	return nil
}

// Engine is "pktgen".
func (g *Generator) Engine() string { return "pktgen" }

// Close takes the devices off pktgen's threads.
func (g *Generator) Close() error {
	errs := g.release()
	g.devices = nil
	return errors.Join(errs...)
}

func (g *Generator) release() (errs []error) {
	done := map[threadOf]bool{}
	for _, d := range g.devices {
		at := threadOf{d.folder, d.thread}
		if !done[at] && netns.Exists(d.folder.netns) {
			errs = append(errs, d.release())
		}
		done[at] = true
	}
	return errs
}

// threadOf is a thread of a namespace.
type threadOf struct {
	folder folder
	thread string
}

// Send offers the load. When ctx ends pktgen is told to stop, and what was sent is returned.
func (g *Generator) Send(ctx context.Context, load generator.Load) (generator.Counts, error) {
	if err := load.Check(); err != nil {
		return generator.Counts{}, err
	}
	if load.Step.After > 0 {
		return generator.Counts{}, errors.New("send with generator pktgen: it cannot change its rate in mid-load; use another engine for a load with a step")
	}
	if err := g.arm(load); err != nil {
		return generator.Counts{}, fmt.Errorf("send with generator pktgen: %w", err)
	}
	g.mutex.Lock()
	g.sending = true
	g.mutex.Unlock()
	begin := time.Now()
	err := g.run(ctx, load)
	took := time.Since(begin)
	counts := generator.Counts{Streams: g.counts(), Threads: len(g.devices) / len(g.config.Streams)}
	g.mutex.Lock()
	g.sending, g.last = false, counts.Streams
	g.mutex.Unlock()
	for i := range counts.Streams {
		s := &counts.Streams[i]
		s.Intended = load.Intended()
		s.Unsent = s.Intended - min(s.Intended, s.Sent)
	}
	counts.Duration = min(took, load.Duration)
	if longest := g.longest(); longest > 0 {
		counts.Duration = longest
	}
	return counts, errors.Join(err, errors.Join(g.release()...))
}

// arm puts the devices on their threads with the load's settings.
func (g *Generator) arm(load generator.Load) error {
	if err := errors.Join(g.release()...); err != nil {
		return err
	}
	for _, d := range g.devices {
		if err := d.bind(); err != nil {
			return err
		}
		count := uint64(0) // without an end
		all := g.config.Streams[d.stream].Flows
		if n := load.Intended(); n > 0 {
			count = n*uint64(d.share.Index+1)/uint64(d.share.Of) - n*uint64(d.share.Index)/uint64(d.share.Of)
		}
		if err := d.tell(d.commands(count, load.PPS*float64(d.flows.flows)/float64(len(all)))); err != nil {
			return err
		}
	}
	return nil
}

// run starts pktgen in each namespace; the write returns when all devices there are
// done. The threads begin up to 0.1 s later (pktgen_thread_worker, Linux 6.18), so the
// time of a load counts from the first frame that is seen to have left.
func (g *Generator) run(ctx context.Context, load generator.Load) error {
	done := make(chan error, len(g.folders))
	for _, d := range g.folders {
		go func() { done <- d.write("pgctrl", "start") }()
	}
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	var errs []error
	end := time.Now().Add(load.Duration + startPatience)
	seen := false
	for left := len(g.folders); left > 0; {
		select {
		case err := <-done:
			left--
			if err != nil && !errors.Is(err, unix.EINTR) {
				errs = append(errs, err)
			}
			continue
		case <-tick.C:
		}
		if !seen && g.sent() > 0 {
			seen, end = true, time.Now().Add(load.Duration+generator.LastDue)
		}
		if ctx.Err() == nil && time.Now().Before(end) {
			continue
		}
		for _, d := range g.folders { // again at each tick: a stop that comes before the start is forgotten
			errs = append(errs, d.write("pgctrl", "stop"))
		}
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
func (g *Generator) Progress() []generator.StreamCounts {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if !g.sending {
		return slices.Clone(g.last)
	}
	return g.counts()
}

// counts are the frames by stream. One that the driver refused was offered all the
// same: on a veth the peer's ring was full, as it may be on a wire.
func (g *Generator) counts() []generator.StreamCounts {
	list := make([]generator.StreamCounts, len(g.config.Streams))
	for i, s := range g.config.Streams {
		list[i].Port = s.Port
	}
	for _, d := range g.devices {
		r, err := d.Report()
		if err != nil {
			continue // no load was sent yet
		}
		s := &list[d.stream]
		s.Sent += r.Packets + r.Errors
		s.SentBytes += (r.Packets + r.Errors) * uint64(g.config.Sizes[0]-frame.FCSBytes)
	}
	return list
}

// longest is the time that pktgen itself says it sent.
func (g *Generator) longest() (most time.Duration) {
	for _, d := range g.devices {
		if r, err := d.Report(); err == nil {
			most = max(most, time.Duration(r.DurationUS)*time.Microsecond)
		}
	}
	return most
}
