package afpacket

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
)

// TestRingWritesFrames fills the ring several times over, with flows and sizes that
// change from frame to frame, and expects the bytes that frame.Build makes of each.
func TestRingWritesFrames(t *testing.T) {
	for _, version := range []int{4, 6} {
		t.Run(fmt.Sprintf("IPv%d", version), func(t *testing.T) {
			s := frame.Space{Source: netip.MustParsePrefix("198.18.1.0/24"), Destination: netip.MustParsePrefix("198.19.1.0/24"), SourceHosts: 9, DestinationHosts: 9}
			if version == 6 {
				s.Source, s.Destination = netip.MustParsePrefix("2001:2:0:1::/64"), netip.MustParsePrefix("2001:2:0:8001::/64")
			}
			flows, err := s.Draw(37, 1)
			if err != nil {
				t.Fatal(err)
			}
			sizes := frame.Sizes{9018, frame.MinSizeBytes(version), 571, 1518, 9017}
			stream := generator.Stream{Flows: flows, SourceMAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}, DestinationMAC: net.HardwareAddr{2, 0, 0, 0, 0, 2}}
			r := newRing(stream, sizes)
			stamp := uint32(0xfffff000)
			for n := 0; n < 500; stamp += 977 {
				var want [][]byte
				for !r.full() {
					i := n % len(flows)
					size := sizes[n%len(sizes)]
					p := frame.Payload{Epoch: uint16(n * 4099), Flow: uint32(i), Sequence: uint32(n * 1_000_003), SentNS: stamp}
					ip, udp := flows[i].BaseSums(uint32(i))
					r.add(&flows[i], sums{ip, udp}, p, size-frame.FCSBytes)
					want = append(want, frame.Build(flows[i], stream.SourceMAC, stream.DestinationMAC, size, p))
					n++
				}
				r.stamp(stamp - 5) // as if the device had had no room at first
				r.stamp(stamp)
				if len(r.waiting()) != len(want) {
					t.Fatalf("%d frames wait, want %d", len(r.waiting()), len(want))
				}
				for i := range want {
					if got := r.buffers[i][:r.vectors[i].Len]; !bytes.Equal(got, want[i]) {
						t.Fatalf("frame %d of the batch that ends at %d:\n got %x\nwant %x", i, n, got[:min(96, len(got))], want[i][:min(96, len(want[i]))])
					}
				}
				r.left(len(want))
			}
		})
	}
}

// TestRingKeepsWhatDidNotLeave takes some frames out, and expects the rest to wait and to be stamped again.
func TestRingKeepsWhatDidNotLeave(t *testing.T) {
	f := frame.Flow{Source: netip.MustParseAddr("198.18.0.1"), Destination: netip.MustParseAddr("198.19.0.1"), SourcePort: 1024, DestinationPort: 1}
	r := newRing(generator.Stream{Flows: []frame.Flow{f}}, frame.Sizes{64, 128})
	ip, udp := f.BaseSums(0)
	for i, size := range []int{60, 124, 60} {
		r.add(&f, sums{ip, udp}, frame.Payload{Sequence: uint32(i)}, size)
	}
	r.stamp(1)
	if n := r.left(2); n != 184 {
		t.Errorf("two frames of 60 and 124 bytes left as %d bytes", n)
	}
	r.stamp(2)
	for i, want := range []uint32{1, 1, 2} {
		p, ok := frame.ParsePayload(r.buffers[i][42:])
		if !ok || p.SentNS != want || p.Sequence != uint32(i) {
			t.Errorf("frame %d carries %+v, want sequence %d and time stamp %d", i, p, i, want)
		}
	}
	if len(r.waiting()) != 1 {
		t.Fatalf("%d frames wait, want 1", len(r.waiting()))
	}
	r.left(1)
	if len(r.waiting()) != 0 || r.filled != 0 {
		t.Errorf("an empty ring begins at %d and ends at %d", r.first, r.filled)
	}
}

// TestNeverUDPChecksumZero walks the time stamp through all values of its low half: one of them sums up to zero.
func TestNeverUDPChecksumZero(t *testing.T) {
	f := frame.Flow{Source: netip.MustParseAddr("198.18.0.1"), Destination: netip.MustParseAddr("198.19.0.1"), SourcePort: 1024, DestinationPort: 1}
	r := newRing(generator.Stream{Flows: []frame.Flow{f}}, frame.Sizes{64})
	ip, udp := f.BaseSums(0)
	r.add(&f, sums{ip, udp}, frame.Payload{}, 60)
	ones := 0
	for stamp := range uint32(1 << 16) {
		r.stamp(stamp)
		switch [2]byte(r.buffers[0][40:42]) {
		case [2]byte{0, 0}:
			t.Fatalf("time stamp %d: the UDP checksum is 0, which says that there is none", stamp)
		case [2]byte{0xff, 0xff}:
			ones++
		}
	}
	if ones == 0 {
		t.Error("no time stamp gave the checksum 0xffff: the rule was not reached")
	}
}
