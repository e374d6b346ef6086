package userspace

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
)

// TestSlotWritesFrames writes one slot over and over, with flows and sizes that
// change from frame to frame, and expects the bytes that frame.Build makes of each.
func TestSlotWritesFrames(t *testing.T) {
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
			slot := &Slot{Data: make([]byte, sizes.MaxBytes()-frame.FCSBytes)}
			Prepare(slot.Data, stream, sizes)
			stamp := uint32(0xfffff000)
			for n := range 500 {
				stamp += 977
				i, size := n%len(flows), sizes[n%len(sizes)]
				p := frame.Payload{Epoch: uint16(n * 4099), Flow: uint32(i), Sequence: uint32(n * 1_000_003), SentNS: stamp}
				ip, udp := flows[i].BaseSums(uint32(i))
				slot.write(&flows[i], sums{ip, udp}, p, size-frame.FCSBytes)
				slot.stamp(ipBytes(&flows[i]), stamp-5) // as if the device had had no room at first
				slot.stamp(ipBytes(&flows[i]), stamp)
				want := frame.Build(flows[i], stream.SourceMAC, stream.DestinationMAC, size, p)
				if got := slot.Data[:slot.Size]; !bytes.Equal(got, want) {
					t.Fatalf("frame %d:\n got %x\nwant %x", n, got[:min(96, len(got))], want[:min(96, len(want))])
				}
			}
		})
	}
}

// TestNeverUDPChecksumZero walks the time stamp through all values of its low half: one of them sums up to zero.
func TestNeverUDPChecksumZero(t *testing.T) {
	f := frame.Flow{Source: netip.MustParseAddr("198.18.0.1"), Destination: netip.MustParseAddr("198.19.0.1"), SourcePort: 1024, DestinationPort: 1}
	slot := &Slot{Data: make([]byte, 60)}
	Prepare(slot.Data, generator.Stream{Flows: []frame.Flow{f}}, frame.Sizes{64})
	ip, udp := f.BaseSums(0)
	slot.write(&f, sums{ip, udp}, frame.Payload{}, 60)
	ones := 0
	for stamp := range uint32(1 << 16) {
		slot.stamp(frame.IPv4Bytes, stamp)
		switch [2]byte(slot.Data[40:42]) {
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
