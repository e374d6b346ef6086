package afpacket_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/afpacket"
	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/sink"
	"golang.org/x/sys/unix"
)

func open(t *testing.T, a, b contract.End, flows []frame.Flow, sizes frame.Sizes) *afpacket.Generator {
	t.Helper()
	g, err := afpacket.New(generator.Config{Sizes: sizes, Streams: []generator.Stream{{
		Port: "a", Netns: a.Netns, Interface: a.Interface, Ifindex: a.Ifindex, SourceMAC: a.MAC, DestinationMAC: b.MAC, Flows: flows,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

func openSink(t *testing.T, b contract.End, flows []frame.Flow) *sink.Sink {
	t.Helper()
	k, err := sink.Open(sink.Config{Port: "b", Netns: b.Netns, Interface: b.Interface, Ifindex: b.Ifindex, Flows: len(flows)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	if err := k.ExpectFlows(flows); err != nil {
		t.Fatal(err)
	}
	return k
}

// settled collects once all frames that the kernel delivered have been counted.
func settled(t *testing.T, k *sink.Sink) sink.Counts {
	t.Helper()
	var last sink.Counts
	for {
		c, err := k.Collect()
		if err != nil {
			t.Fatal(err)
		}
		if c.Received > 0 && c.Received == last.Received {
			return c
		}
		last = c
		time.Sleep(50 * time.Millisecond)
	}
}

// TestJumboFrames sends what live frames cannot carry.
func TestJumboFrames(t *testing.T) {
	for _, version := range []int{4, 6} {
		a, b := contract.Link(t, 9000)
		flows := contract.Flows(t, version, 20, 1)
		k := openSink(t, b, flows)
		g := open(t, a, b, flows, frame.Sizes{9018, 9017, 3201})
		if err := k.Arm(3); err != nil {
			t.Fatal(err)
		}
		counts, err := g.Send(t.Context(), generator.Load{PPS: 5000, Duration: 200 * time.Millisecond, Epoch: 3})
		if err != nil {
			t.Fatal(err)
		}
		s, r := counts.Streams[0], settled(t, k)
		if s.Sent == 0 || s.Sent+s.Unsent != 1000 || r.Received != s.Sent || r.ReceivedBytes != s.SentBytes || r.WrongSize+r.WrongTuple+r.Reordered+r.Foreign != 0 {
			t.Errorf("IPv%d: sent %+v, received %+v", version, s, r)
		}
		if rx := b.Counters(t).RxPackets; rx != s.Sent {
			t.Errorf("IPv%d: %d frames sent, the kernel counted %d", version, s.Sent, rx)
		}
	}
}

// TestFramesOnTheWire reads the frames at the other end, before any program sees
// them, and lets gopacket verify their checksums.
func TestFramesOnTheWire(t *testing.T) {
	for _, tt := range []struct {
		name    string
		version int
		sizes   frame.Sizes
	}{
		{"64 bytes", 4, frame.Sizes{64}},
		{"9018 bytes", 4, frame.Sizes{9018}},
		{"9018 bytes over IPv6", 6, frame.Sizes{9018}},
		{"a mix with odd sizes", 4, frame.Sizes{65, 1518, 9017}},
		{"a mix over IPv6", 6, frame.SimpleIMIX(6)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := contract.Link(t, 9000)
			flows := contract.Flows(t, tt.version, 7, 1)
			receiver := capture(t, b)
			g := open(t, a, b, flows, tt.sizes)
			counts, err := g.Send(t.Context(), generator.Load{Frames: 100, Duration: time.Second, Epoch: 0xabcd})
			if err != nil || counts.Streams[0].Sent != 100 {
				t.Fatalf("sent %+v: %v", counts.Streams, err)
			}
			buffer := make([]byte, 1<<16)
			for i := range 100 {
				n, err := unix.Read(receiver, buffer)
				if err != nil {
					t.Fatalf("frame %d of 100: %v", i, err)
				}
				want := frame.Payload{Epoch: 0xabcd, Flow: uint32(i % 7), Sequence: uint32(i / 7)}
				verify(t, buffer[:n], a, b, flows[i%7], tt.sizes[i%len(tt.sizes)], want)
			}
			if n, err := unix.Read(receiver, buffer); err == nil {
				t.Errorf("another frame of %d bytes came after the last", n)
			}
		})
	}
}

// capture is a socket that gets every frame that arrives at the end; a read gives up after 200 ms.
func capture(t *testing.T, e contract.End) (fd int) {
	t.Helper()
	const all = unix.ETH_P_ALL<<8&0xff00 | unix.ETH_P_ALL>>8 // in network byte order
	err := netns.Do(e.Netns, func() (err error) {
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, all); err != nil {
			return err
		}
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 16<<20); err != nil {
			return err
		}
		if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 200_000}); err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrLinklayer{Ifindex: e.Ifindex, Protocol: all})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	return fd
}

func verify(t *testing.T, b []byte, from, to contract.End, f frame.Flow, size int, want frame.Payload) {
	t.Helper()
	if len(b) != size-frame.FCSBytes {
		t.Fatalf("frame of %d bytes, want %d", len(b), size-frame.FCSBytes)
	}
	p := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.Default)
	ethernet, udp := p.LinkLayer().(*layers.Ethernet), p.TransportLayer().(*layers.UDP)
	if ethernet.SrcMAC.String() != from.MAC.String() || ethernet.DstMAC.String() != to.MAC.String() {
		t.Errorf("frame goes from %v to %v", ethernet.SrcMAC, ethernet.DstMAC)
	}
	if err := udp.SetNetworkLayerForChecksum(p.NetworkLayer()); err != nil {
		t.Fatal(err)
	}
	if err, wrong := p.VerifyChecksums(); err != nil || len(wrong) > 0 {
		t.Errorf("checksums of %+v: %v, wrong are %+v", want, err, wrong)
	}
	source, destination := p.NetworkLayer().NetworkFlow().Endpoints()
	if source.String() != f.Source.String() || destination.String() != f.Destination.String() || uint16(udp.SrcPort) != f.SourcePort || uint16(udp.DstPort) != f.DestinationPort {
		t.Errorf("frame of flow %v goes from %v:%d to %v:%d", f, source, udp.SrcPort, destination, udp.DstPort)
	}
	got, ok := frame.ParsePayload(udp.Payload)
	if got.SentNS == 0 {
		t.Error("frame has no time stamp")
	}
	got.SentNS = 0
	if !ok || got != want {
		t.Errorf("payload %+v (signature found: %v), want %+v", got, ok, want)
	}
}

// TestOverloadedPeer plants a receiver that is too slow: what its ring refuses was
// offered, and the kernel names the drop.
func TestOverloadedPeer(t *testing.T) {
	a, b := contract.Link(t, 1500)
	flows := contract.Flows(t, 4, 10, 1)
	k := openSink(t, b, flows)
	err := netns.DoWithSysfs(b.Netns, func() error { return os.WriteFile("/sys/class/net/"+b.Interface+"/threaded", []byte("1"), 0) })
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Throttle(4096); err != nil {
		t.Fatal(err)
	}
	if err := k.Arm(1); err != nil {
		t.Fatal(err)
	}
	counts, err := open(t, a, b, flows, frame.Sizes{64}).Send(t.Context(), generator.Load{Duration: 100 * time.Millisecond, Epoch: 1})
	if err != nil {
		t.Fatal(err)
	}
	sent, received, kernel := counts.Streams[0].Sent, settled(t, k).Received, a.Counters(t)
	if kernel.TxDropped == 0 {
		t.Fatalf("sent %d frames, received %d: the ring never overflowed", sent, received)
	}
	if sent != kernel.TxPackets+kernel.TxDropped || received != kernel.TxPackets {
		t.Errorf("sent %d and received %d frames; the kernel passed %d on and dropped %d", sent, received, kernel.TxPackets, kernel.TxDropped)
	}
}

func TestRefusesSizeAboveMTU(t *testing.T) {
	a, b := contract.Link(t, 1500)
	stream := generator.Stream{Port: "a", Netns: a.Netns, Interface: a.Interface, Ifindex: a.Ifindex, SourceMAC: a.MAC, DestinationMAC: b.MAC, Flows: contract.Flows(t, 4, 1, 1)}
	_, err := afpacket.New(generator.Config{Sizes: frame.Sizes{1519}, Streams: []generator.Stream{stream}})
	if err == nil || !strings.Contains(err.Error(), "MTU of 1500") || !strings.Contains(err.Error(), a.Interface) {
		t.Errorf("1519 bytes over an MTU of 1500: %v", err)
	}
	stream.Flows = append(contract.Flows(t, 4, 1, 1), contract.Flows(t, 6, 1, 1)...)
	if _, err := afpacket.New(generator.Config{Sizes: frame.Sizes{128}, Streams: []generator.Stream{stream}}); err == nil || !strings.Contains(err.Error(), "IPv6") {
		t.Errorf("flows of both IP versions in one stream: %v", err)
	}
}

// TestDeviceDown expects an error that says so, not frames that count as sent.
func TestDeviceDown(t *testing.T) {
	a, b := contract.Link(t, 1500)
	g := open(t, a, b, contract.Flows(t, 4, 1, 1), frame.Sizes{64})
	a.SetDown(t)
	counts, err := g.Send(t.Context(), generator.Load{PPS: 1000, Duration: 50 * time.Millisecond, Epoch: 1})
	if err == nil || !strings.Contains(err.Error(), "ip link set up") || counts.Streams[0].Sent != 0 {
		t.Errorf("a device that is down: sent %d, error %v", counts.Streams[0].Sent, err)
	}
}
