package verify

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// Lengths in bytes. The layout of the payload is that of "The test frame" in
// docs/methods.md: epoch, signature, flow, sequence, time stamp.
const (
	ethernetBytes = 14
	fcsBytes      = 4
	udpBytes      = 8
	markBytes     = 18
	leastBytes    = 60 // of an Ethernet frame without its FCS
)

var signature = []byte("LTR1")

// blocks are the addresses set aside for benchmarks (RFC 2544 appendix C.2.2, RFC 5180 section 8).
var blocks = []netip.Prefix{netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("2001:2::/48")}

// testFrame is a frame as it was decoded.
type testFrame struct {
	device              int
	ethernet            *layers.Ethernet
	ipVersion           int
	source, destination netip.Addr
	headerBytes         int // of IP
	ipBytes             int
	udp                 *layers.UDP
	mark                []byte
	packet              gopacket.Packet
}

func (f *testFrame) epoch() uint16    { return binary.LittleEndian.Uint16(f.mark) }
func (f *testFrame) flow() uint32     { return binary.LittleEndian.Uint32(f.mark[6:]) }
func (f *testFrame) sequence() uint32 { return binary.LittleEndian.Uint32(f.mark[10:]) }

// decode finds the headers; the reason says why a frame is no test frame.
func decode(info gopacket.CaptureInfo, data []byte) (f testFrame, reason string) {
	f.device = info.InterfaceIndex
	f.packet = gopacket.NewPacket(data, layers.LayerTypeEthernet, gopacket.DecodeOptions{NoCopy: true})
	f.ethernet, _ = f.packet.LinkLayer().(*layers.Ethernet)
	if f.ethernet == nil {
		return f, "it has no Ethernet header"
	}
	switch ip := f.packet.NetworkLayer().(type) {
	case *layers.IPv4:
		f.ipVersion, f.headerBytes, f.ipBytes = 4, int(ip.IHL)*4, int(ip.Length)
		f.source, f.destination = address(ip.SrcIP), address(ip.DstIP)
	case *layers.IPv6:
		f.ipVersion, f.headerBytes, f.ipBytes = 6, 40, int(ip.Length)+40
		f.source, f.destination = address(ip.SrcIP), address(ip.DstIP)
	default:
		return f, fmt.Sprintf("it is %v and not IP", f.ethernet.EthernetType)
	}
	f.udp, _ = f.packet.TransportLayer().(*layers.UDP)
	if f.udp == nil {
		if f.packet.Layer(gopacket.LayerTypeFragment) != nil {
			return f, "it is a fragment"
		}
		return f, "it is not UDP"
	}
	f.mark = f.udp.Payload
	if len(f.mark) < markBytes || !bytes.Equal(f.mark[2:6], signature) {
		return f, fmt.Sprintf("its UDP payload of %d bytes has no signature LTR1", len(f.mark))
	}
	return f, ""
}

func address(ip net.IP) netip.Addr {
	a, _ := netip.AddrFromSlice(ip)
	return a.Unmap()
}

// lengths compares what the headers and the capture say.
func (f *testFrame) lengths(captured int) string {
	switch {
	case captured < leastBytes:
		return fmt.Sprintf("the frame has %d bytes with FCS, less than 64", captured+fcsBytes)
	case captured != ethernetBytes+f.ipBytes:
		return fmt.Sprintf("the frame has %d bytes behind its Ethernet header, the IP header says %d", captured-ethernetBytes, f.ipBytes)
	case f.ipBytes != f.headerBytes+int(f.udp.Length):
		return fmt.Sprintf("the IP header says %d bytes of payload, the UDP header %d", f.ipBytes-f.headerBytes, f.udp.Length)
	}
	return ""
}

func (f *testFrame) wanted(sizes []int) string {
	if size := f.ipBytes + ethernetBytes + fcsBytes; !slices.Contains(sizes, size) {
		return fmt.Sprintf("the frame has %d bytes with FCS, wanted %v", size, sizes)
	}
	return ""
}

// header checks what a router may not leave wrong.
func (f *testFrame) header() string {
	switch ip := f.packet.NetworkLayer().(type) {
	case *layers.IPv4:
		switch {
		case ip.IHL != 5:
			return "the IPv4 header has options"
		case ip.TTL == 0:
			return "TTL 0"
		}
	case *layers.IPv6:
		if ip.HopLimit == 0 {
			return "hop limit 0"
		}
		if ip.NextHeader != layers.IPProtocolUDP {
			return "the IPv6 header is followed by an extension header"
		}
	}
	return ""
}

// checksum verifies that of one layer.
func checksum(l gopacket.LayerWithChecksum) string {
	err, result := l.VerifyChecksum()
	switch {
	case err != nil:
		return err.Error()
	case !result.Valid:
		return fmt.Sprintf("0x%04x, should be 0x%04x", result.Actual, result.Correct)
	}
	return ""
}

func (f *testFrame) addresses() string {
	for _, a := range []netip.Addr{f.source, f.destination} {
		if !slices.ContainsFunc(blocks, func(b netip.Prefix) bool { return b.Contains(a) }) {
			return fmt.Sprintf("%v is outside 198.18.0.0/15 and 2001:2::/48", a)
		}
	}
	return ""
}

func (f *testFrame) padding() string {
	for i, b := range f.mark[markBytes:] {
		if b != 0 {
			return fmt.Sprintf("byte %d of the payload is 0x%02x, should be 0", markBytes+i, b)
		}
	}
	return ""
}
