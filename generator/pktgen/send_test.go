package pktgen_test

import (
	"context"
	"encoding/binary"
	"math"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"golang.org/x/sys/unix"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/generator/pktgen"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/sink"
)

// sendingTests need a kernel with pktgen.
const sendingTests = "^(TestSentIsReceived|TestFrames|TestTwoStreams|TestPacing|TestLimitOfFrames|TestUnbounded|TestCancelled|TestProgress|TestVethRefusesCopies|TestCopies|TestSendExactly)$"

func needPktgen(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/net/pktgen"); err != nil {
		t.Skip("this kernel has no pktgen: TestInGuest runs this test in one that has")
	}
}

// rig is a generator on one end of a veth with a sink at the other.
type rig struct {
	t         *testing.T
	generator *pktgen.Generator
	from, to  contract.End
	flows     []frame.Flow
	sink      *sink.Sink
}

// portsFrom are flows that differ by their source ports.
func portsFrom(t *testing.T, ipVersion, n int) []frame.Flow {
	flows := slices.Repeat(contract.Flows(t, ipVersion, 1, 1), n)
	for i := range flows {
		flows[i].SourcePort = 1024 + uint16(i)
	}
	return flows
}

func newRig(t *testing.T, ipVersion, flows, sizeBytes int, o pktgen.Options) *rig {
	t.Helper()
	needPktgen(t)
	return newRigOf(t, portsFrom(t, ipVersion, flows), sizeBytes, o)
}

func newRigOf(t *testing.T, flows []frame.Flow, sizeBytes int, o pktgen.Options) *rig {
	t.Helper()
	r := &rig{t: t, flows: flows}
	r.from, r.to = contract.Link(t, 9000)
	var err error
	r.generator, err = pktgen.New(generator.Config{Sizes: frame.Sizes{sizeBytes}, CPUs: []int{0}, Streams: []generator.Stream{r.stream()}}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.generator.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *rig) stream() generator.Stream {
	return generator.Stream{
		Port: "a", Netns: r.from.Netns, Interface: r.from.Interface, Ifindex: r.from.Ifindex,
		SourceMAC: r.from.MAC, DestinationMAC: r.to.MAC, Flows: r.flows,
	}
}

// listen counts at the far end what carries pktgen's mark.
func (r *rig) listen() {
	r.t.Helper()
	var err error
	r.sink, err = sink.Open(sink.Config{
		Port: "b", Netns: r.to.Netns, Interface: r.to.Interface, Ifindex: r.to.Ifindex, Flows: len(r.flows),
		IPVersion: r.flows[0].IPVersion(), Pktgen: sink.PktgenOrder,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = r.sink.Close() })
	if err := r.sink.Arm(1); err != nil {
		r.t.Fatal(err)
	}
}

// send offers a load and holds pktgen's account to the counters of both devices.
func (r *rig) send(ctx context.Context, load generator.Load) generator.Counts {
	r.t.Helper()
	sentBefore, receivedBefore := r.from.Counters(r.t), r.to.Counters(r.t)
	counts, err := r.generator.Send(ctx, load)
	if err != nil {
		r.t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	s := counts.Streams[0]
	if s.Intended != load.Intended() || s.Intended > 0 && s.Sent+s.Unsent != s.Intended {
		r.t.Errorf("sent %d and unsent %d of %d, the load intends %d", s.Sent, s.Unsent, s.Intended, load.Intended())
	}
	if n := r.from.Counters(r.t).TxPackets - sentBefore.TxPackets; n != s.Sent {
		r.t.Errorf("pktgen's result has %d frames, and the device counted %d", s.Sent, n)
	}
	if n := r.to.Counters(r.t).RxPackets - receivedBefore.RxPackets; n != s.Sent {
		r.t.Errorf("pktgen's result has %d frames, and the peer counted %d", s.Sent, n)
	}
	return counts
}

// TestSentIsReceived compares three accounts: pktgen's Result, the devices' counters, and
// the sink that looks at pktgen's mark, sequence and time stamp.
func TestSentIsReceived(t *testing.T) {
	for _, tt := range []struct {
		name                     string
		ipVersion, flows, sizeOf int
	}{
		{"64 bytes", 4, 1, 64}, {"16 flows", 4, 16, 64}, {"1000 flows", 4, 1000, 128}, {"1518 bytes", 4, 10, 1518},
		{"9018 bytes", 4, 3, 9018}, {"IPv6", 6, 20, 84},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.ipVersion, tt.flows, tt.sizeOf, pktgen.Options{})
			r.listen()
			for load := range uint16(2) {
				counts := r.send(t.Context(), generator.Load{PPS: 10_000, Duration: 200 * time.Millisecond})
				s := counts.Streams[0]
				if s.Sent != 2000 || s.SentBytes != 2000*uint64(tt.sizeOf-frame.FCSBytes) || counts.Threads != 1 {
					t.Errorf("a load of 2,000 frames: %+v", counts)
				}
				c, err := r.sink.Collect()
				if err != nil {
					t.Fatal(err)
				}
				if c.Received != s.Sent || c.ReceivedBytes != s.SentBytes || c.Duplicated+c.Reordered+c.Late+c.Foreign+c.WrongSize+c.GapFrames != 0 {
					t.Errorf("%d frames with %d bytes sent, at the sink %+v", s.Sent, s.SentBytes, c)
				}
				if mean := c.LatencySumNS / max(1, c.Received); mean > uint64(time.Millisecond) {
					t.Errorf("by pktgen's time stamp a frame took %v", time.Duration(mean))
				}
				if err := r.sink.Arm(2 + load); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestFrames decodes what arrives: addresses, ports in sequence, pktgen's mark, sequence and time.
func TestFrames(t *testing.T) {
	const flows, frames = 7, 70
	for _, run := range []int{1, 5} { // frames in a row of one flow
		needPktgen(t)
		list := portsFrom(t, 4, flows)
		if run > 1 { // flows that differ by their destination
			for i := range list {
				list[i].SourcePort, list[i].Destination = 1024, netip.AddrFrom4([4]byte{198, 19, 1, byte(1 + i)})
			}
		}
		r := newRigOf(t, list, 200, pktgen.Options{FlowPackets: run})
		seen := r.capture(frames, func() { r.send(t.Context(), generator.Load{PPS: 10_000, Duration: time.Second, Frames: frames}) })
		got := map[frame.Flow]int{}
		inARow := 0
		var last frame.Flow
		for i, b := range seen {
			f := decode(t, i, b)
			got[f]++
			if f == last {
				inARow++
			}
			last = f
		}
		if len(seen) != frames || len(got) != flows {
			t.Errorf("%d frames of %d flows", len(seen), len(got))
		}
		for _, f := range list {
			if got[f] != frames/flows {
				t.Errorf("flow %v has %d frames of %d", f, got[f], frames)
			}
		}
		if want := frames - frames/run; inARow != want {
			t.Errorf("flows of %d frames in a row: %d frames have the flow of the frame before, want %d", run, inARow, want)
		}
	}
}

// decode reads the flow of the n-th frame of 200 bytes and holds its mark to what pktgen promises.
func decode(t *testing.T, n int, b []byte) frame.Flow {
	t.Helper()
	p := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.Default)
	ip, _ := p.Layer(layers.LayerTypeIPv4).(*layers.IPv4)
	udp, _ := p.Layer(layers.LayerTypeUDP).(*layers.UDP)
	if ip == nil || udp == nil || len(b) != 200-frame.FCSBytes {
		t.Fatalf("frame %d of %d bytes: %v", n, len(b), p)
	}
	if mark, sequence := binary.BigEndian.Uint32(udp.Payload), binary.BigEndian.Uint32(udp.Payload[4:]); mark != 0xbe9be955 || sequence != uint32(n+1) {
		t.Errorf("frame %d has mark %#x and sequence %d", n, mark, sequence)
	}
	at := time.Unix(int64(binary.BigEndian.Uint32(udp.Payload[8:])), 1000*int64(binary.BigEndian.Uint32(udp.Payload[12:])))
	if age := time.Since(at); age < 0 || age > time.Second {
		t.Errorf("frame %d left %v ago", n, age)
	}
	source, _ := netip.AddrFromSlice(ip.SrcIP)
	destination, _ := netip.AddrFromSlice(ip.DstIP)
	return frame.Flow{Source: source, Destination: destination, SourcePort: uint16(udp.SrcPort), DestinationPort: uint16(udp.DstPort)}
}

// capture returns the first frames that arrive at the far end while f runs.
func (r *rig) capture(n int, f func()) (frames [][]byte) {
	r.t.Helper()
	fd := -1
	if err := netns.Do(r.to.Netns, func() (err error) {
		const all = unix.ETH_P_ALL>>8 | unix.ETH_P_ALL&0xff<<8
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK, all); err == nil {
			err = unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: r.to.Ifindex})
		}
		return err
	}); err != nil {
		r.t.Fatal(err)
	}
	defer unix.Close(fd)
	f()
	for b := make([]byte, 10_000); len(frames) < n; {
		got, err := unix.Read(fd, b)
		if err != nil {
			break
		}
		frames = append(frames, slices.Clone(b[:got]))
	}
	return frames
}

// TestTwoStreams sends in both directions at once.
func TestTwoStreams(t *testing.T) {
	needPktgen(t)
	a, b := contract.Link(t, 1500)
	flows := portsFrom(t, 4, 10)
	back := slices.Clone(flows)
	for i, f := range flows {
		back[i] = f.Reverse()
	}
	g, err := pktgen.New(generator.Config{Sizes: frame.Sizes{64}, CPUs: []int{0}, Streams: []generator.Stream{
		{Port: "a", Netns: a.Netns, Interface: a.Interface, Ifindex: a.Ifindex, SourceMAC: a.MAC, DestinationMAC: b.MAC, Flows: flows},
		{Port: "b", Netns: b.Netns, Interface: b.Interface, Ifindex: b.Ifindex, SourceMAC: b.MAC, DestinationMAC: a.MAC, Flows: back},
	}}, pktgen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	counts, err := g.Send(t.Context(), generator.Load{PPS: 5000, Duration: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for i, end := range []contract.End{b, a} {
		if s, got := counts.Streams[i], end.Counters(t).RxPackets; s.Sent != 1000 || got != 1000 {
			t.Errorf("stream %s: %d frames sent and %d received, want 1,000", s.Port, s.Sent, got)
		}
	}
}

// TestPacing holds the delay to the load: the whole takes as long as it should, and so does its half.
func TestPacing(t *testing.T) {
	for _, pps := range []float64{1000, 20_000} {
		r := newRig(t, 4, 4, 64, pktgen.Options{})
		r.listen()
		load := generator.Load{PPS: pps, Duration: 300 * time.Millisecond}
		counts := r.send(t.Context(), load)
		c, err := r.sink.Collect()
		if err != nil {
			t.Fatal(err)
		}
		span := time.Duration(c.LastNS - c.FirstNS)
		for what, d := range map[string]time.Duration{"by pktgen's account": counts.Duration, "at the sink": span} {
			if ratio := d.Seconds() / load.Duration.Seconds(); math.Abs(ratio-1) > 0.03 {
				t.Errorf("%.0f frames per second for %v took %v %s", pps, load.Duration, d, what)
			}
		}
	}
}

// TestLimitOfFrames sends a number of frames, paced and not.
func TestLimitOfFrames(t *testing.T) {
	r := newRig(t, 4, 7, 64, pktgen.Options{})
	for _, load := range []generator.Load{{PPS: 20_000, Duration: 5 * time.Second, Frames: 1000}, {Duration: 5 * time.Second, Frames: 1001}} {
		began := time.Now()
		if s := r.send(t.Context(), load).Streams[0]; s.Sent != load.Frames {
			t.Errorf("a limit of %d frames: %+v", load.Frames, s)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%d frames took %v", load.Frames, took)
		}
	}
}

// TestUnbounded sends until the time is over.
func TestUnbounded(t *testing.T) {
	r := newRig(t, 4, 7, 64, pktgen.Options{})
	counts := r.send(t.Context(), generator.Load{Duration: 100 * time.Millisecond})
	if s := counts.Streams[0]; s.Intended != 0 || s.Unsent != 0 || s.Sent < 1000 {
		t.Errorf("an unbounded load: %+v", s)
	}
	if counts.Duration < 90*time.Millisecond || counts.Duration > 200*time.Millisecond {
		t.Errorf("a load of 100 ms lasted %v", counts.Duration)
	}
}

// TestCancelled ends a load in its middle, and one before its beginning.
func TestCancelled(t *testing.T) {
	r := newRig(t, 4, 7, 64, pktgen.Options{})
	load := generator.Load{PPS: 10_000, Duration: 20 * time.Second}
	for _, after := range []time.Duration{0, 300 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		defer cancel()
		began := time.Now()
		counts := r.send(ctx, load)
		if took := time.Since(began); took > after+500*time.Millisecond {
			t.Errorf("Send took %v of a context that ended after %v", took, after)
		}
		if n := counts.Streams[0].Sent; n > 6000 || after > 0 && n == 0 {
			t.Errorf("%d frames in %v of 10,000 a second", n, after)
		}
	}
}

// TestProgress expects counts that grow to what Send returns.
func TestProgress(t *testing.T) {
	r := newRig(t, 4, 7, 64, pktgen.Options{})
	done := make(chan generator.Counts, 1)
	go func() { done <- r.send(t.Context(), generator.Load{PPS: 5000, Duration: 300 * time.Millisecond}) }()
	seen := map[uint64]bool{}
	var last uint64
	for {
		now := r.generator.Progress()[0].Sent
		if now < last {
			t.Errorf("progress fell from %d to %d", last, now)
		}
		last = now
		seen[now] = true
		select {
		case counts := <-done:
			if now := r.generator.Progress()[0].Sent; now != counts.Streams[0].Sent || len(seen) < 3 {
				t.Errorf("progress showed %d values and then %d; Send returned %d", len(seen), now, counts.Streams[0].Sent)
			}
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestVethRefusesCopies expects the driver's refusal, with what to do.
func TestVethRefusesCopies(t *testing.T) {
	for _, o := range []pktgen.Options{{CloneSKB: 10}, {Burst: 8}} {
		r := newRig(t, 4, 1, 64, o)
		_, err := r.generator.Send(t.Context(), generator.Load{PPS: 1000, Duration: 100 * time.Millisecond})
		if err == nil || !strings.Contains(err.Error(), "clone_skb") || !strings.Contains(err.Error(), "veth") {
			t.Errorf("%+v on a veth: %v", o, err)
		}
	}
}
