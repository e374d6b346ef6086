package contract

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/sink"
	"github.com/vishvananda/netlink"
)

// New makes the generator under test.
type New func(generator.Config) (generator.Generator, error)

// setup is what one test sends: the zero value is one stream of 64-byte frames of 16 IPv4 flows.
type setup struct {
	ipVersion int
	flows     int
	sizes     frame.Sizes
	streams   int
	cpus      []int
}

// rig is a generator whose streams end at sinks. Stream 0 goes from ends[0] to
// ends[1], and stream 1 back.
type rig struct {
	t         *testing.T
	generator generator.Generator
	config    generator.Config
	ends      [2]End
	sinks     []*sink.Sink
	before    [2]netlink.LinkStatistics
}

func newRig(t *testing.T, newGenerator New, s setup) *rig {
	t.Helper()
	s.ipVersion, s.flows, s.streams = max(s.ipVersion, 4), max(s.flows, 1), max(s.streams, 1)
	if s.sizes == nil {
		s.sizes = frame.Sizes{frame.MinSizeBytes(s.ipVersion)}
	}
	r := &rig{t: t, config: generator.Config{Sizes: s.sizes, CPUs: s.cpus}}
	r.ends[0], r.ends[1] = Link(t, 1500)
	flows := Flows(t, s.ipVersion, s.flows, 1)
	for i := range 2 {
		from, to := r.ends[i], r.ends[1-i]
		// The far end of a stream that is not sent has a sink too, which shows that nothing comes.
		k, err := sink.Open(sink.Config{Port: to.Interface, Netns: to.Netns, Interface: to.Interface, Ifindex: to.Ifindex, Flows: s.flows})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = k.Close() })
		r.sinks = append(r.sinks, k)
		if i == 1 {
			flows = reversed(flows)
		}
		if err := k.ExpectFlows(flows); err != nil {
			t.Fatal(err)
		}
		if i < s.streams {
			r.config.Streams = append(r.config.Streams, generator.Stream{
				Port: from.Interface, Netns: from.Netns, Interface: from.Interface, Ifindex: from.Ifindex,
				SourceMAC: from.MAC, DestinationMAC: to.MAC, Flows: flows,
			})
		}
	}
	g, err := newGenerator(r.config)
	if err != nil {
		t.Fatal(err)
	}
	r.generator = g
	t.Cleanup(func() {
		if r.generator != nil {
			_ = r.generator.Close()
		}
	})
	return r
}

// Flows draws flows from the benchmarking blocks.
func Flows(t testing.TB, ipVersion, n int, seed int64) []frame.Flow {
	t.Helper()
	s := frame.Space{Source: netip.MustParsePrefix("198.18.1.0/24"), Destination: netip.MustParsePrefix("198.19.1.0/24"), SourceHosts: 64, DestinationHosts: 64}
	if ipVersion == 6 {
		s.Source, s.Destination = netip.MustParsePrefix("2001:2:0:1::/64"), netip.MustParsePrefix("2001:2:0:8001::/64")
	}
	flows, err := s.Draw(n, seed)
	if err != nil {
		t.Fatal(err)
	}
	return flows
}

func reversed(flows []frame.Flow) []frame.Flow {
	back := make([]frame.Flow, len(flows))
	for i, f := range flows {
		back[i] = f.Reverse()
	}
	return back
}

// arm makes both sinks count an epoch and notes the kernel's counters.
func (r *rig) arm(epoch uint16) {
	r.t.Helper()
	for i, k := range r.sinks {
		if err := k.Arm(epoch); err != nil {
			r.t.Fatal(err)
		}
		r.before[i] = r.ends[i].Counters(r.t)
	}
}

// send arms the sinks with the load's epoch, offers the load and drains.
func (r *rig) send(ctx context.Context, load generator.Load) (generator.Counts, []sink.Counts) {
	r.t.Helper()
	r.arm(load.Epoch)
	counts, err := r.generator.Send(ctx, load)
	if err != nil {
		r.t.Fatal(err)
	}
	return counts, r.drain()
}

// drain collects from both sinks once nothing has arrived for 30 ms.
func (r *rig) drain() []sink.Counts {
	r.t.Helper()
	total := func() (n uint64, all []sink.Counts) {
		for _, k := range r.sinks {
			c, err := k.Collect()
			if err != nil {
				r.t.Fatal(err)
			}
			n += c.Received + c.Late + c.Duplicated + c.WrongFlow
			all = append(all, c)
		}
		return n, all
	}
	last, all := total()
	quietSince := time.Now()
	waitFor(r.t, "the sinks to fall quiet", func() bool {
		var n uint64
		if n, all = total(); n != last {
			last, quietSince = n, time.Now()
		}
		return time.Since(quietSince) > 30*time.Millisecond
	})
	return all
}

// checkSum requires that each stream accounts for its whole load.
func (r *rig) checkSum(load generator.Load, c generator.Counts) {
	r.t.Helper()
	if len(c.Streams) != len(r.config.Streams) {
		r.t.Fatalf("counts of %d streams, want %d", len(c.Streams), len(r.config.Streams))
	}
	for i, s := range c.Streams {
		if s.Port != r.config.Streams[i].Port {
			r.t.Errorf("stream %d is called %q, want %q", i, s.Port, r.config.Streams[i].Port)
		}
		if s.Intended != load.Intended() {
			r.t.Errorf("stream %s: intended %d frames, want %d", s.Port, s.Intended, load.Intended())
		}
		if s.Sent+s.Unsent != s.Intended {
			r.t.Errorf("stream %s: sent %d + unsent %d are not the intended %d", s.Port, s.Sent, s.Unsent, s.Intended)
		}
	}
}

// checkDelivered requires that every frame sent was received once, in order and
// as sent, and that the kernel counted the same on both devices.
func (r *rig) checkDelivered(c generator.Counts, received []sink.Counts) {
	r.t.Helper()
	for i, s := range c.Streams {
		got := received[i]
		if s.Sent == 0 {
			r.t.Errorf("stream %s: nothing was sent", s.Port)
		}
		if got.Received != s.Sent || got.ReceivedBytes != s.SentBytes {
			r.t.Errorf("stream %s: %d frames with %d bytes sent, %d with %d received", s.Port, s.Sent, s.SentBytes, got.Received, got.ReceivedBytes)
		}
		if got.Duplicated+got.Reordered+got.Late+got.Foreign+got.WrongFlow+got.WrongSize+got.WrongTuple != 0 {
			r.t.Errorf("stream %s: %d duplicated, %d reordered, %d late, %d foreign, %d of a wrong flow, %d of wrong size, %d with wrong addresses",
				s.Port, got.Duplicated, got.Reordered, got.Late, got.Foreign, got.WrongFlow, got.WrongSize, got.WrongTuple)
		}
		from, to := r.ends[i].Counters(r.t), r.ends[1-i].Counters(r.t)
		if n := from.TxPackets - r.before[i].TxPackets; n != s.Sent {
			r.t.Errorf("stream %s: %d frames sent, the kernel counted %d at %s", s.Port, s.Sent, n, r.ends[i].Interface)
		}
		// Of frames from a socket, veth counts the bytes behind the Ethernet header (Linux 6.18).
		if n := from.TxBytes - r.before[i].TxBytes; n != s.SentBytes && n != s.SentBytes-frame.EthernetBytes*s.Sent {
			r.t.Errorf("stream %s: %d bytes sent, the kernel counted %d at %s", s.Port, s.SentBytes, n, r.ends[i].Interface)
		}
		if n := to.RxPackets - r.before[1-i].RxPackets; n != s.Sent {
			r.t.Errorf("stream %s: %d frames sent, the kernel counted %d at %s", s.Port, s.Sent, n, r.ends[1-i].Interface)
		}
	}
}

// checkShares requires that the flows of one worker differ by one frame at most.
func (r *rig) checkShares(stream int, epoch uint16, workers int) {
	r.t.Helper()
	perFlow, err := r.sinks[stream].PerFlow(epoch)
	if err != nil {
		r.t.Fatal(err)
	}
	for w := range workers {
		least, most := perFlow[w], perFlow[w]
		for i := w; i < len(perFlow); i += workers {
			least, most = min(least, perFlow[i]), max(most, perFlow[i])
		}
		if most == 0 || most-least > 1 {
			r.t.Errorf("worker %d: flows got between %d and %d frames, want equal shares", w, least, most)
		}
	}
}
