package trial

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/observe/ledger"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/sink"
	"github.com/linerate/linerate/testbed"
)

// Device is a network device by namespace and name.
type Device struct{ Netns, Name string }

// Direction is where one stream of the generator goes.
type Direction struct {
	// Port names the tester port that the stream leaves by.
	Port string
	// Out is that port's device, and In the device that the stream ends at.
	Out, In Device
	// DUTOut is the DUT's device whose peer is In; empty without a DUT. What it
	// cannot hand over is lost by the tester.
	DUTOut Device
	Sink   *sink.Sink
}

// Bed is a Measurer on a real testbed.
type Bed struct {
	Generator generator.Generator
	// Directions are in the order of the generator's streams.
	Directions []Direction
	// DUTThreads measures the kernel threads that do the DUT's work, and who else has
	// the CPUs; nil if nobody is watched.
	DUTThreads *observe.Threads
	// Speeds measures how fast the testbed's CPUs are; nil if that cannot be had.
	Speeds *observe.Speeds
	// CPURoles names the CPUs whose time is listed.
	CPURoles map[int]string
	// ConntrackNetns is the namespace whose connection tracking is watched; empty for none.
	ConntrackNetns string
	// DUTQueues are the receive queues that DUTThreads work on, in the same order; empty without a DUT.
	DUTQueues []testbed.Queue
	// Paths are the ways through the DUT among which one of its routers chooses; nil if there is one only.
	Paths []testbed.Path
	// PerFlow compares the frames received of each flow.
	PerFlow bool
	// Ledger tells where the frames went that did not arrive; nil where nobody asks.
	Ledger *ledger.Watch
	// DrainQuiet and DrainMax end a trial: no test frame for so long, or so long at most.
	DrainQuiet, DrainMax time.Duration
	Settle               time.Duration
	// Progress, if not nil, is called several times a second while traffic flows.
	Progress func(sent, received uint64, elapsed time.Duration)

	epoch uint16
	// binsFromNS is when the bins of the current trial begin, on CLOCK_MONOTONIC.
	binsFromNS uint64
}

// progressInterval is how often Progress is called.
const progressInterval = 200 * time.Millisecond

// Measure makes one trial: counters before, traffic, drain, counters after.
func (b *Bed) Measure(ctx context.Context, r Request) (result.Trial, error) {
	b.epoch++
	t := result.Trial{
		Started: time.Now(), Epoch: b.epoch, IntendedLoadPPS: r.LoadPPS, IntendedDurationS: r.Duration.Seconds(),
		Directions: len(b.Directions),
	}
	if err := b.armTimelines(r); err != nil {
		return t, fmt.Errorf("make a trial: %w", err)
	}
	for _, d := range b.Directions {
		if err := errors.Join(d.Sink.WatchVariation(r.Variation), d.Sink.Arm(b.epoch)); err != nil {
			return t, fmt.Errorf("make a trial: %w", err)
		}
	}
	if err := b.beginLedger(r); err != nil {
		return t, fmt.Errorf("make a trial: %w", err)
	}
	before, err := b.read()
	if err != nil {
		return t, fmt.Errorf("make a trial: %w", err)
	}
	speeds, err := b.Speeds.Sample()
	if err != nil {
		return t, fmt.Errorf("make a trial: %w", err)
	}
	happened := b.awaitEvent(ctx, r.Event)
	counts, cpu, err := b.send(ctx, r)
	event := happened()
	if err == nil && event != nil && ctx.Err() == nil {
		err = event.err
	}
	if err != nil {
		return t, fmt.Errorf("make a trial at %.0f pps: %w", r.LoadPPS, err)
	}
	if err := ctx.Err(); err != nil {
		return t, err
	}
	arrived, err := b.drain(ctx, counts)
	if err != nil {
		return t, fmt.Errorf("make a trial: %w", err)
	}
	after, err := b.read()
	if err != nil {
		return t, fmt.Errorf("make a trial: %w", err)
	}
	b.fill(&t, counts, arrived, before, after)
	if err := b.endLedger(&t); err != nil {
		return t, fmt.Errorf("make a trial: %w", err)
	}
	t.Step = b.stepOf(r, counts, arrived)
	if t.Event, err = b.eventOf(r, t, event, arrived); err != nil {
		return t, fmt.Errorf("make a trial: %w", err)
	}
	if err := b.fillTimes(&t, counts, arrived, r.Variation); err != nil {
		return t, fmt.Errorf("make a trial: %w", err)
	}
	t.CPU = observe.CPUBetween(cpu[0], cpu[1], counts.Duration, b.CPURoles, t.Received)
	if b.DUTThreads == nil && t.CPU != nil {
		t.CPU.DUTCoresBusy, t.CPU.NSPerPacket = 0, 0
	}
	if err := b.fillSpeeds(&t, speeds); err != nil {
		return t, fmt.Errorf("make a trial: %w", err)
	}
	t.Disturbances = disturbances(t, before.clocks, after.clocks)
	t.QueueShares = queueShares(b.DUTQueues, observe.ThreadsBetween(cpu[0], cpu[1]), t.ActualDurationS, before.queues, after.queues)
	t.Warnings = doubts(t)
	return t, sleep(ctx, b.Settle)
}

// send offers the load and takes CPU times before and after. They are not taken
// when traffic starts: a generator, a DUT and a sink with real-time priority may
// leave this process no CPU until it ends.
func (b *Bed) send(ctx context.Context, r Request) (counts generator.Counts, cpu [2]observe.CPUSample, err error) {
	// No garbage is collected while traffic flows: it would take milliseconds from a CPU of the testbed.
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if cpu[0], err = observe.SampleCPU(b.DUTThreads); err != nil {
		return counts, cpu, err
	}
	done, reported := make(chan struct{}), make(chan struct{})
	go b.report(done, reported)
	counts, err = b.Generator.Send(ctx, generator.Load{PPS: r.LoadPPS, Duration: r.Duration, Frames: r.Frames, Step: r.Step, Epoch: b.epoch})
	close(done)
	<-reported
	if err == nil {
		cpu[1], err = observe.SampleCPU(b.DUTThreads)
	}
	return counts, cpu, err
}

// report tells Progress what has been sent and received until done.
func (b *Bed) report(done <-chan struct{}, reported chan<- struct{}) {
	defer close(reported)
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	start := time.Now()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		if b.Progress == nil {
			continue
		}
		var sent, received uint64
		for _, s := range b.Generator.Progress() {
			sent += s.Sent
		}
		for _, d := range b.Directions {
			if c, err := d.Sink.Collect(); err == nil {
				received += c.Received
			}
		}
		b.Progress(sent, received, time.Since(start))
	}
}

// drain waits until every frame that was sent has arrived, or no test frame has
// come for DrainQuiet, or DrainMax is over.
func (b *Bed) drain(ctx context.Context, counts generator.Counts) ([]sink.Counts, error) {
	const step = 5 * time.Millisecond
	end := time.Now().Add(b.DrainMax)
	quietSince := time.Now()
	var last uint64
	for {
		arrived := make([]sink.Counts, len(b.Directions))
		var total, missing uint64
		for i, d := range b.Directions {
			c, err := d.Sink.Collect()
			if err != nil {
				return nil, err
			}
			arrived[i] = c
			total += c.Received + c.Duplicated + c.Late
			if sent := counts.Streams[i].Sent; c.Received < sent {
				missing += sent - c.Received
			}
		}
		now := time.Now()
		if total != last {
			last, quietSince = total, now
		}
		if missing == 0 || now.Sub(quietSince) >= b.DrainQuiet || now.After(end) {
			return arrived, nil
		}
		if err := sleep(ctx, step); err != nil {
			return nil, err
		}
	}
}

// Learn sends one frame of every flow of a stream, so that addresses and
// connections are known before the first trial, and returns the flows as they
// arrived (RFC 2544 section 23 step b). Flows of which no frame came are zero.
func (b *Bed) Learn(ctx context.Context, stream int, pps float64) ([]frame.Flow, error) {
	b.epoch++
	d := b.Directions[stream]
	if err := errors.Join(d.Sink.Arm(b.epoch), d.Sink.Learn(true)); err != nil {
		return nil, err
	}
	flows := d.Sink.FlowCount()
	load := generator.Load{PPS: pps, Frames: uint64(flows), Epoch: b.epoch, Duration: time.Duration(float64(flows)/pps*float64(time.Second)) + 500*time.Millisecond}
	counts, err := b.Generator.Send(ctx, load)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := b.drain(ctx, counts); err != nil {
		return nil, err
	}
	learned, err := d.Sink.Learned(d.Sink.IPVersion())
	return learned, errors.Join(err, d.Sink.Learn(false))
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// ContinueAfter makes the bed go on with the epochs after those of another bed on
// the same sinks.
func (b *Bed) ContinueAfter(o *Bed) { b.epoch = max(b.epoch, o.epoch) }
