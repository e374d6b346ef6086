package sink_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/sink"
	"golang.org/x/sys/unix"
)

func init() { runtime.LockOSThread() } // internal/netns asks for it

// dated is a frame made by hand with a time stamp of its own.
type dated struct {
	flow, sequence uint32
	// lag is how long ago its time stamp says that it left.
	lag time.Duration
}

// datedLink is a sink and a socket whose frames end there.
type datedLink struct {
	t        *testing.T
	from, to contract.End
	sink     *sink.Sink
	flows    []frame.Flow
	fd       int
	epoch    uint16
}

func openDated(t *testing.T, flows int) *datedLink {
	t.Helper()
	p := &datedLink{t: t, flows: contract.Flows(t, 4, flows, 1)}
	p.from, p.to = contract.Link(t, 1500)
	var err error
	p.sink, err = sink.Open(sink.Config{Port: "b", Netns: p.to.Netns, Interface: p.to.Interface, Ifindex: p.to.Ifindex, Flows: flows, IPVersion: 4, SizeBytes: 64})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.sink.Close(); err != nil {
			t.Error(err)
		}
	})
	err = netns.Do(p.from.Netns, func() (err error) {
		p.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(p.fd) })
	return p
}

// send sends the frames one after another and returns what the sink counted of them.
func (p *datedLink) send(frames []dated) sink.Counts {
	p.t.Helper()
	p.epoch++
	if err := p.sink.Arm(p.epoch); err != nil {
		p.t.Fatal(err)
	}
	to := &unix.SockaddrLinklayer{Ifindex: p.from.Ifindex}
	for i, f := range frames {
		var now unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
			p.t.Fatal(err)
		}
		payload := frame.Payload{Epoch: p.epoch, Flow: f.flow, Sequence: f.sequence, SentNS: uint32(now.Nano() - f.lag.Nanoseconds())}
		if err := unix.Sendto(p.fd, frame.Build(p.flows[f.flow], p.from.MAC, p.to.MAC, 64, payload), 0, to); err != nil {
			p.t.Fatal(err)
		}
		if i%64 == 63 {
			p.wait(uint64(i + 1)) // the ring of a veth holds 256 frames
		}
	}
	return p.wait(uint64(len(frames)))
}

// wait returns the counts when n frames have come.
func (p *datedLink) wait(n uint64) sink.Counts {
	p.t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		c, err := p.sink.Collect()
		if err != nil {
			p.t.Fatal(err)
		}
		if c.Received+c.Duplicated+c.WrongFlow+c.Foreign == n {
			return c
		}
		if time.Now().After(end) {
			p.t.Fatalf("%d of %d frames came: %+v", c.Received+c.Duplicated, n, c)
		}
	}
}

// TestLatencyVariationOfPlantedDelays plants latencies by old time stamps, hundreds of
// milliseconds apart, so that what the link itself adds does not matter.
func TestLatencyVariationOfPlantedDelays(t *testing.T) {
	const ms = time.Millisecond
	frames := []dated{
		{0, 0, 100 * ms}, {0, 1, 400 * ms}, {1, 0, 500 * ms}, {0, 2, 200 * ms}, {0, 3, 200 * ms}, {1, 1, 100 * ms}, {0, 4, 900 * ms}, // +300 -200 0 -400 +700
		{2, 0, 100 * ms}, {2, 2, 600 * ms}, {2, 3, 700 * ms}, // 1 is missing: +100
		{3, 0, 100 * ms}, {3, 2, 300 * ms}, {3, 1, 800 * ms}, {3, 3, 400 * ms}, {3, 3, 950 * ms}, // 1 is late and 3 comes twice: +100
	}
	p := openDated(t, 4)
	if err := p.sink.WatchVariation(true); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time nothing of the first is left
		c := p.send(frames)
		if c.Received != 14 || c.Duplicated != 1 || c.Reordered != 1 {
			t.Errorf("received %d, duplicated %d, reordered %d; want 14, 1, 1", c.Received, c.Duplicated, c.Reordered)
		}
		v, err := p.sink.Variation()
		if err != nil {
			t.Fatal(err)
		}
		if v.Pairs() != 7 {
			t.Errorf("%d pairs, want 7", v.Pairs())
		}
		amounts := v.Absolute()
		for _, check := range []struct {
			name      string
			got, want int64 // ns, ms
		}{
			{"min", v.MinNS, -400}, {"median", v.QuantileNS(0.5), 100}, {"max", v.MaxNS, 700},
			{"amount P50", int64(amounts.QuantileNS(0.5)), 200}, {"amount P99", int64(amounts.QuantileNS(0.99)), 700},
			{"latency min", int64(c.LatencyMinNS), 100}, {"latency max", int64(c.LatencyMaxNS), 900},
		} {
			if off := math.Abs(float64(check.got)/1e6 - float64(check.want)); off > 60 {
				t.Errorf("%s is %.1f ms, planted %d ms", check.name, float64(check.got)/1e6, check.want)
			}
		}
	}
	if err := p.sink.WatchVariation(false); err != nil {
		t.Fatal(err)
	}
	before, err := p.sink.Variation()
	if err != nil {
		t.Fatal(err)
	}
	p.send(frames)
	if after, err := p.sink.Variation(); err != nil || after.Pairs() != before.Pairs() {
		t.Errorf("%d pairs were counted while nobody asked for them (%v)", after.Pairs()-before.Pairs(), err)
	}
}
