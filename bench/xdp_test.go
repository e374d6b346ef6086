package bench

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/afpacket"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
	"golang.org/x/sys/unix"
)

// TestXDPCountsEveryFrame compares what the programs say they redirected with what was
// sent, to the frame.
func TestXDPCountsEveryFrame(t *testing.T) {
	for _, scenario := range []plan.Scenario{"xdp", "xdp-bridge"} {
		for _, version := range []int{4, 6} {
			cell := cellOf(scenario, version, 100, plan.Bi)
			t.Run(cell.ID(), func(t *testing.T) {
				b := openBed(t, testPlan(), cell)
				for _, pps := range []float64{20_000, 0} { // and as fast as it goes
					before := xdpCounters(t, b)
					r := b.measure(t, pps, 200*time.Millisecond)
					after := xdpCounters(t, b)
					if got := after["xdp.redirected"] - before["xdp.redirected"]; r.Sent == 0 || got+r.DUTInputDrops != r.Sent {
						t.Errorf("the program redirected %d frames of %d sent, and the input rings refused %d", got, r.Sent, r.DUTInputDrops)
					}
					for name, n := range after {
						if n != before[name] && name != "xdp.redirected" {
							t.Errorf("%s grew by %d: the stack was given frames that the program should have forwarded", name, n-before[name])
						}
					}
					if l := r.Ledger; l != nil && !l.Balanced() {
						t.Errorf("%d of %d frames are unexplained: %s", l.Unexplained, l.Sent, show(r))
					}
				}
			})
		}
	}
}

func xdpCounters(t *testing.T, b bed) map[string]uint64 {
	t.Helper()
	counts, err := b.station.scenario.Counters()
	if err != nil || len(counts) == 0 {
		t.Fatalf("counters of the program: %v, %v", counts, err)
	}
	return counts
}

// TestXDPOnTheWire reads frames behind the DUT: the router has taken one from the TTL and
// mended the checksum, the bridge has changed nothing.
func TestXDPOnTheWire(t *testing.T) {
	for _, tt := range []struct {
		scenario plan.Scenario
		version  int
		hops     uint8 // that the DUT takes
		size     int
	}{
		{"xdp", 4, 1, 64}, {"xdp", 6, 1, 84}, {"xdp-bridge", 4, 0, 64}, {"xdp-bridge", 6, 0, 84}, {"xdp", 4, 1, 1518}, {"route", 4, 1, 64},
	} {
		cell := cellOf(tt.scenario, tt.version, 10, plan.Uni)
		t.Run(cell.ID(), func(t *testing.T) {
			b := openBare(t, testPlan(), cell)
			from, to := b.lab.Ports(false)
			receiver := rawSocket(t, to)
			destination := from.NextHopMAC
			if tt.hops == 0 {
				destination = to.MAC
			}
			s := b.scenario(cell)
			flows, err := s.Flows(1)
			if err != nil {
				t.Fatal(err)
			}
			g, err := afpacket.New(generator.Config{Sizes: frame.Sizes{tt.size}, Streams: []generator.Stream{{
				Port: "a", Netns: from.Netns, Interface: from.Interface, Ifindex: from.Ifindex,
				SourceMAC: from.MAC, DestinationMAC: destination, Flows: flows,
			}}})
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			sent := frame.Build(flows[0], from.MAC, destination, tt.size, frame.Payload{})
			if counts, err := g.Send(t.Context(), generator.Load{PPS: 10_000, Frames: 100, Duration: time.Second, Epoch: 1}); err != nil || counts.Streams[0].Sent != 100 {
				t.Fatalf("sent %+v: %v", counts, err)
			}
			for i := range 100 {
				checkForwarded(t, receive(t, receiver, i), sent, from, to, tt.hops)
			}
		})
	}
}

func checkForwarded(t *testing.T, got, sent []byte, from, to testbed.Port, hops uint8) {
	t.Helper()
	p := gopacket.NewPacket(got, layers.LayerTypeEthernet, gopacket.Default)
	udp, ok := p.TransportLayer().(*layers.UDP)
	if !ok || len(got) != len(sent) {
		t.Fatalf("%d bytes arrived, %d were sent: %v", len(got), len(sent), p)
	}
	if err := udp.SetNetworkLayerForChecksum(p.NetworkLayer()); err != nil {
		t.Fatal(err)
	}
	if err, wrong := p.VerifyChecksums(); err != nil || len(wrong) > 0 {
		t.Errorf("checksums: %v, wrong are %+v", err, wrong)
	}
	ttlAt := 22 // of IPv4, after 14 bytes of Ethernet
	if binary.BigEndian.Uint16(sent[12:]) == unix.ETH_P_IPV6 {
		ttlAt = 21
	}
	if got[ttlAt] != sent[ttlAt]-hops {
		t.Errorf("TTL %d, sent with %d: want %d less", got[ttlAt], sent[ttlAt], hops)
	}
	ethernet := p.LinkLayer().(*layers.Ethernet)
	source := from.MAC
	if hops > 0 {
		source = to.NextHopMAC
	}
	if ethernet.DstMAC.String() != to.MAC.String() || ethernet.SrcMAC.String() != source.String() {
		t.Errorf("the frame goes from %v to %v, want from %v to %v", ethernet.SrcMAC, ethernet.DstMAC, source, to.MAC)
	}
}

// rawSocket gets every frame that arrives at a port; a read gives up after 500 ms.
func rawSocket(t *testing.T, p testbed.Port) (fd int) {
	t.Helper()
	const all = unix.ETH_P_ALL<<8&0xff00 | unix.ETH_P_ALL>>8 // in network byte order
	err := netns.Do(p.Netns, func() (err error) {
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, all); err != nil {
			return err
		}
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 16<<20); err != nil {
			return err
		}
		if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 500_000}); err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrLinklayer{Ifindex: p.Ifindex, Protocol: all})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	return fd
}

func receive(t *testing.T, fd, i int) []byte {
	t.Helper()
	b := make([]byte, 1<<16)
	for {
		n, from, err := unix.Recvfrom(fd, b, 0)
		if err != nil {
			t.Fatalf("frame %d of 100: %v", i, err)
		}
		if l, ok := from.(*unix.SockaddrLinklayer); ok && l.Pkttype != unix.PACKET_OUTGOING && b[0]&1 == 0 { // no report of a multicast group
			return b[:n]
		}
	}
}
