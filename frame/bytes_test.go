package frame

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

var (
	testSource      = net.HardwareAddr{0x02, 0, 0x5e, 0x10, 0, 1}
	testDestination = net.HardwareAddr{0x02, 0, 0x5e, 0x10, 0, 2}
	testFlows       = []Flow{
		{netip.MustParseAddr("198.18.1.7"), netip.MustParseAddr("198.19.1.9"), 1024, 49151},
		{netip.MustParseAddr("198.18.255.254"), netip.MustParseAddr("198.19.0.1"), 65535, 1},
		{netip.MustParseAddr("2001:2:0:1::7"), netip.MustParseAddr("2001:2:0:8001::9"), 40000, 9},
		{netip.MustParseAddr("2001:2::ffff:ffff:ffff:ffff"), netip.MustParseAddr("2001:2:0:8000::"), 65535, 49151},
	}
)

// sizesOf are the smallest and the largest frame, and odd ones between.
func sizesOf(f Flow) []int {
	least := MinSizeBytes(f.IPVersion())
	return []int{least, least + 1, 129, 570, 1517, 1518, 9017, MaxSizeBytes}
}

// TestBuildDecodes lets another implementation take the frames apart and add up their checksums.
func TestBuildDecodes(t *testing.T) {
	payload := Payload{Epoch: 0xbeef, Flow: 0x00abcdef, Sequence: 0xfffffffe, SentNS: 0x89abcdef}
	for _, f := range testFlows {
		for _, size := range sizesOf(f) {
			t.Run(fmt.Sprintf("IPv%d of %d bytes", f.IPVersion(), size), func(t *testing.T) {
				decode(t, Build(f, testSource, testDestination, size, payload), f, size, payload)
			})
		}
	}
}

func decode(t *testing.T, b []byte, f Flow, size int, payload Payload) {
	t.Helper()
	if len(b) != size-FCSBytes {
		t.Fatalf("frame has %d bytes without FCS, want %d", len(b), size-FCSBytes)
	}
	p := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.Default)
	if e := p.ErrorLayer(); e != nil {
		t.Fatal(e.Error())
	}
	if n := wrongChecksums(t, p); n != 0 {
		t.Errorf("%d checksums are wrong", n)
	}
	ethernet := p.LinkLayer().(*layers.Ethernet)
	if ethernet.SrcMAC.String() != testSource.String() || ethernet.DstMAC.String() != testDestination.String() {
		t.Errorf("frame goes from %v to %v", ethernet.SrcMAC, ethernet.DstMAC)
	}
	var source, destination net.IP
	switch ip := p.NetworkLayer().(type) {
	case *layers.IPv4:
		source, destination = ip.SrcIP, ip.DstIP
		if ip.TTL != TTL || ip.Flags != layers.IPv4DontFragment || int(ip.Length) != size-FCSBytes-EthernetBytes {
			t.Errorf("IPv4 header %+v", ip)
		}
		if f.IPVersion() != 4 {
			t.Errorf("an IPv6 flow became IPv4")
		}
	case *layers.IPv6:
		source, destination = ip.SrcIP, ip.DstIP
		if ip.HopLimit != TTL || int(ip.Length) != size-FCSBytes-EthernetBytes-IPv6Bytes {
			t.Errorf("IPv6 header %+v", ip)
		}
	}
	if source.String() != f.Source.String() || destination.String() != f.Destination.String() {
		t.Errorf("packet goes from %v to %v, want %v to %v", source, destination, f.Source, f.Destination)
	}
	udp := p.TransportLayer().(*layers.UDP)
	if uint16(udp.SrcPort) != f.SourcePort || uint16(udp.DstPort) != f.DestinationPort || udp.Checksum == 0 {
		t.Errorf("UDP header %+v, want ports %d and %d", udp, f.SourcePort, f.DestinationPort)
	}
	got, ok := ParsePayload(udp.Payload)
	if !ok || got != payload {
		t.Errorf("payload %+v (signature found: %v), want %+v", got, ok, payload)
	}
}

// wrongChecksums is how many of the IPv4 and UDP checksums gopacket does not confirm.
func wrongChecksums(t *testing.T, p gopacket.Packet) int {
	t.Helper()
	if err := p.TransportLayer().(*layers.UDP).SetNetworkLayerForChecksum(p.NetworkLayer()); err != nil {
		t.Fatal(err)
	}
	err, wrong := p.VerifyChecksums()
	if err != nil {
		t.Fatal(err)
	}
	return len(wrong)
}

// TestDecoderSeesWrongChecksums guards the guard: a changed address is wrong in
// both sums of IPv4, and in the one that IPv6 has.
func TestDecoderSeesWrongChecksums(t *testing.T) {
	for _, f := range testFlows {
		b := Build(f, testSource, testDestination, 128, Payload{})
		at, want := EthernetBytes+12, 2
		if f.IPVersion() == 6 {
			at, want = EthernetBytes+8, 1
		}
		b[at] ^= 1
		if n := wrongChecksums(t, gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.Default)); n != want {
			t.Errorf("IPv%d frame with a changed address: %d wrong checksums, want %d", f.IPVersion(), n, want)
		}
	}
}

// TestBuildNeverSendsUDPChecksumZero looks for the one time stamp in 65536 whose
// sum comes out as zero: RFC 768 sends all ones then.
func TestBuildNeverSendsUDPChecksumZero(t *testing.T) {
	f := testFlows[0]
	seen := false
	for stamp := range uint32(1 << 16) {
		b := Build(f, nil, nil, 64, Payload{SentNS: stamp})
		switch binary.BigEndian.Uint16(b[EthernetBytes+IPv4Bytes+6:]) {
		case 0:
			t.Fatalf("time stamp %d: the UDP checksum is 0, which says that there is none", stamp)
		case 0xffff:
			seen = true
		}
	}
	if !seen {
		t.Error("no time stamp gave the checksum 0xffff: the rule was not reached")
	}
}

// TestBaseSums completes the sums with what differs between frames, as the engines
// do, and expects the checksums that Build computes from all bytes.
func TestBaseSums(t *testing.T) {
	payload := Payload{Epoch: 0x1234, Sequence: 0x00010203, SentNS: 0xf0e0d0c0}
	for i, f := range testFlows {
		for _, size := range sizesOf(f) {
			payload.Flow = uint32(0x00010000 + i)
			b := Build(f, testSource, testDestination, size, payload)
			ipLen := IPv4Bytes
			if f.IPVersion() == 6 {
				ipLen = IPv6Bytes
			}
			baseIP, baseUDP := f.BaseSums(payload.Flow)
			udpLen := swap(uint16(size - FCSBytes - EthernetBytes - ipLen))
			sum := uint64(baseUDP) + 2*uint64(udpLen) + uint64(payload.Epoch) +
				uint64(payload.Sequence&0xffff) + uint64(payload.Sequence>>16) + uint64(payload.SentNS&0xffff) + uint64(payload.SentNS>>16)
			if got, want := ^fold(sum), binary.LittleEndian.Uint16(b[EthernetBytes+ipLen+6:]); got != want {
				t.Errorf("flow %v of %d bytes: UDP checksum %#04x from the sums, %#04x from the frame", f, size, got, want)
			}
			if f.IPVersion() == 6 {
				continue
			}
			total := swap(uint16(size - FCSBytes - EthernetBytes))
			if got, want := ^fold(uint64(baseIP)+uint64(total)), binary.LittleEndian.Uint16(b[EthernetBytes+10:]); got != want {
				t.Errorf("flow %v of %d bytes: IPv4 checksum %#04x from the sums, %#04x from the frame", f, size, got, want)
			}
		}
	}
}

func TestPayloadRoundTrip(t *testing.T) {
	for _, want := range []Payload{{}, {1, 2, 3, 4}, {0xffff, 0xffffffff, 0xffffffff, 0xffffffff}} {
		b := make([]byte, PayloadBytes)
		want.Put(b)
		if got, ok := ParsePayload(b); !ok || got != want {
			t.Errorf("payload %+v came back as %+v (signature found: %v)", want, got, ok)
		}
		if string(b[2:6]) != "LTR1" {
			t.Errorf("signature is %q, want LTR1", b[2:6])
		}
		if _, ok := ParsePayload(b[:PayloadBytes-1]); ok {
			t.Error("a payload that is too short was accepted")
		}
		b[3]++
		if _, ok := ParsePayload(b); ok {
			t.Error("a payload with another signature was accepted")
		}
	}
}
