package userspace

import (
	"encoding/binary"
	"math/bits"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
)

// Slot holds a frame that is written over and over: each departure rewrites what tells
// its frame from the one that the slot held before.
type Slot struct {
	// Data has room for the largest frame, without FCS.
	Data []byte
	// Size is that of the frame in it, without FCS.
	Size int
	// udpSum is the sum of the UDP checksum without the time stamp.
	udpSum uint64
}

// Prepare writes the frame that all others of a stream differ from by what write rewrites.
// It has the largest size.
func Prepare(data []byte, s generator.Stream, sizes frame.Sizes) {
	copy(data, frame.Build(s.Flows[0], s.SourceMAC, s.DestinationMAC, sizes.MaxBytes(), frame.Payload{}))
}

// sums are the checksums of a flow before they are completed (frame.Flow.BaseSums).
type sums struct{ ip, udp uint16 }

// write makes the slot the next frame of a flow, without its time stamp. size is without FCS.
func (s *Slot) write(f *frame.Flow, base sums, p frame.Payload, size int) {
	s.Size = size
	ip := s.Data[frame.EthernetBytes:]
	ipBytes := ipBytes(f)
	total := bits.ReverseBytes16(uint16(size - frame.EthernetBytes))
	udpLength := bits.ReverseBytes16(uint16(size - frame.EthernetBytes - ipBytes))
	le := binary.LittleEndian
	if ipBytes == frame.IPv4Bytes {
		le.PutUint16(ip[2:], total)
		le.PutUint16(ip[10:], ^fold(uint64(base.ip)+uint64(total)))
		source, destination := f.Source.As4(), f.Destination.As4()
		copy(ip[12:], source[:])
		copy(ip[16:], destination[:])
	} else {
		le.PutUint16(ip[4:], udpLength)
		source, destination := f.Source.As16(), f.Destination.As16()
		copy(ip[8:], source[:])
		copy(ip[24:], destination[:])
	}
	udp := ip[ipBytes:]
	binary.BigEndian.PutUint16(udp, f.SourcePort)
	binary.BigEndian.PutUint16(udp[2:], f.DestinationPort)
	le.PutUint16(udp[4:], udpLength)
	p.Put(udp[frame.UDPBytes:])
	// The length counts twice: in the pseudo header and in the header.
	s.udpSum = uint64(base.udp) + 2*uint64(udpLength) + uint64(p.Epoch) + uint64(p.Sequence&0xffff) + uint64(p.Sequence>>16)
}

// stamp writes the departure time into the frame, and its UDP checksum.
func (s *Slot) stamp(ipBytes int, sentNS uint32) {
	udp := s.Data[frame.EthernetBytes+ipBytes:]
	binary.LittleEndian.PutUint32(udp[frame.UDPBytes+frame.PayloadBytes-4:], sentNS)
	c := ^fold(s.udpSum + uint64(sentNS&0xffff) + uint64(sentNS>>16))
	if c == 0 {
		c = 0xffff // RFC 768: zero would mean that there is no checksum
	}
	binary.LittleEndian.PutUint16(udp[6:], c)
}

func ipBytes(f *frame.Flow) int {
	if f.Source.Is4() {
		return frame.IPv4Bytes
	}
	return frame.IPv6Bytes
}

func fold(s uint64) uint16 {
	for s>>16 != 0 {
		s = s&0xffff + s>>16
	}
	return uint16(s)
}
