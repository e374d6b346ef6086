package frame

import (
	"encoding/binary"
	"net"
)

// TTL is the time to live, or hop limit, that test frames leave with.
const TTL = 64

// Build writes the whole frame of a flow without its FCS: sizeBytes-4 bytes,
// with right IPv4 header and UDP checksums.
func Build(f Flow, source, destination net.HardwareAddr, sizeBytes int, p Payload) []byte {
	b := make([]byte, sizeBytes-FCSBytes)
	copy(b, destination)
	copy(b[6:], source)
	be := binary.BigEndian
	ip, ipLen := b[EthernetBytes:], IPv4Bytes
	if f.IPVersion() == 4 {
		be.PutUint16(b[12:], 0x0800)
		ip[0] = 0x45
		be.PutUint16(ip[2:], uint16(len(ip)))
		be.PutUint16(ip[6:], 0x4000)
		ip[8], ip[9] = TTL, 17
		copy(ip[12:], f.Source.AsSlice())
		copy(ip[16:], f.Destination.AsSlice())
		be.PutUint16(ip[10:], ^fold(sum(ip[:IPv4Bytes])))
	} else {
		ipLen = IPv6Bytes
		be.PutUint16(b[12:], 0x86dd)
		ip[0] = 0x60
		be.PutUint16(ip[4:], uint16(len(ip)-IPv6Bytes))
		ip[6], ip[7] = 17, TTL
		copy(ip[8:], f.Source.AsSlice())
		copy(ip[24:], f.Destination.AsSlice())
	}
	udp := ip[ipLen:]
	be.PutUint16(udp, f.SourcePort)
	be.PutUint16(udp[2:], f.DestinationPort)
	be.PutUint16(udp[4:], uint16(len(udp)))
	p.Put(udp[UDPBytes:])
	c := ^fold(sum(f.Source.AsSlice()) + sum(f.Destination.AsSlice()) + 17 + uint64(len(udp)) + sum(udp))
	if c == 0 {
		c = 0xffff // RFC 768: zero would mean that there is no checksum
	}
	be.PutUint16(udp[6:], c)
	return b
}

// sum adds up big-endian 16-bit words; a last odd byte counts as the high one (RFC 1071).
func sum(b []byte) uint64 {
	var s uint64
	for ; len(b) >= 2; b = b[2:] {
		s += uint64(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		s += uint64(b[0]) << 8
	}
	return s
}

func fold(s uint64) uint16 {
	for s>>16 != 0 {
		s = s&0xffff + s>>16
	}
	return uint16(s)
}

// BaseSums are the folded one's complement sums of what stays the same over all
// frames of a flow, in the byte order of memory on a little-endian machine: the
// IPv4 header without its total length, and the UDP pseudo header, ports,
// signature and flow number without lengths, epoch, sequence and time stamp.
func (f Flow) BaseSums(number uint32) (ip, udp uint16) {
	p := Payload{Flow: number}
	b := Build(f, nil, nil, MinSizeBytes(f.IPVersion()), p)
	ipLen := IPv4Bytes
	if f.IPVersion() == 6 {
		ipLen = IPv6Bytes
	} else {
		header := append([]byte(nil), b[EthernetBytes:EthernetBytes+IPv4Bytes]...)
		clear(header[2:4])
		clear(header[10:12])
		ip = swap(fold(sum(header)))
	}
	udpPart := b[EthernetBytes+ipLen:]
	clear(udpPart[4:8])
	s := sum(f.Source.AsSlice()) + sum(f.Destination.AsSlice()) + 17 + sum(udpPart)
	return ip, swap(fold(s))
}

func swap(v uint16) uint16 { return v<<8 | v>>8 }
