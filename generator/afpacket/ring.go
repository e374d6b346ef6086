package afpacket

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"golang.org/x/sys/unix"
)

// batchFrames are handed to the kernel by one system call. They carry one time
// stamp, so a larger batch would be cheaper and blur the latencies.
const batchFrames = 16

// message is struct mmsghdr of sendmmsg(2).
type message struct {
	header unix.Msghdr
	length uint32
}

// ring is a batch of frames that are written over and over: each departure
// rewrites what tells its frame from the one that the buffer held before.
type ring struct {
	ipBytes  int
	buffers  [batchFrames][]byte
	vectors  [batchFrames]unix.Iovec
	messages [batchFrames]message
	// udpSums are the sums of the UDP checksums without the time stamp.
	udpSums [batchFrames]uint64
	// first and filled bound the frames that wait to leave.
	first, filled int
}

func newRing(s generator.Stream, sizes frame.Sizes) *ring {
	r := &ring{ipBytes: frame.IPv4Bytes}
	if s.Flows[0].IPVersion() == 6 {
		r.ipBytes = frame.IPv6Bytes
	}
	for i := range r.buffers {
		b := frame.Build(s.Flows[0], s.SourceMAC, s.DestinationMAC, sizes.MaxBytes(), frame.Payload{})
		r.buffers[i] = b
		r.vectors[i].Base = unsafe.SliceData(b)
		r.messages[i].header.Iov = &r.vectors[i]
		r.messages[i].header.SetIovlen(1)
	}
	return r
}

// sums are the checksums of a flow before they are completed (frame.Flow.BaseSums).
type sums struct{ ip, udp uint16 }

func (r *ring) full() bool { return r.filled == batchFrames }

// add writes the next frame of a flow, without its time stamp. size is without FCS.
func (r *ring) add(f *frame.Flow, base sums, p frame.Payload, size int) {
	i := r.filled
	r.filled++
	r.vectors[i].SetLen(size)
	ip := r.buffers[i][frame.EthernetBytes:]
	total := bits.ReverseBytes16(uint16(size - frame.EthernetBytes))
	udpLength := bits.ReverseBytes16(uint16(size - frame.EthernetBytes - r.ipBytes))
	le := binary.LittleEndian
	if r.ipBytes == frame.IPv4Bytes {
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
	udp := ip[r.ipBytes:]
	binary.BigEndian.PutUint16(udp, f.SourcePort)
	binary.BigEndian.PutUint16(udp[2:], f.DestinationPort)
	le.PutUint16(udp[4:], udpLength)
	p.Put(udp[frame.UDPBytes:])
	// The length counts twice: in the pseudo header and in the header.
	r.udpSums[i] = uint64(base.udp) + 2*uint64(udpLength) + uint64(p.Epoch) + uint64(p.Sequence&0xffff) + uint64(p.Sequence>>16)
}

// stamp writes the departure time into the frames that wait, and their UDP checksums.
func (r *ring) stamp(sentNS uint32) {
	for i := r.first; i < r.filled; i++ {
		udp := r.buffers[i][frame.EthernetBytes+r.ipBytes:]
		binary.LittleEndian.PutUint32(udp[frame.UDPBytes+frame.PayloadBytes-4:], sentNS)
		c := ^fold(r.udpSums[i] + uint64(sentNS&0xffff) + uint64(sentNS>>16))
		if c == 0 {
			c = 0xffff // RFC 768: zero would mean that there is no checksum
		}
		binary.LittleEndian.PutUint16(udp[6:], c)
	}
}

// waiting are the messages that have not left.
func (r *ring) waiting() []message { return r.messages[r.first:r.filled] }

// left takes the first n waiting frames out and returns their bytes without FCS.
func (r *ring) left(n int) (bytes uint64) {
	for range n {
		bytes += r.vectors[r.first].Len
		r.first++
	}
	if r.first == r.filled {
		r.clear()
	}
	return bytes
}

func (r *ring) clear() { r.first, r.filled = 0, 0 }

func fold(s uint64) uint16 {
	for s>>16 != 0 {
		s = s&0xffff + s>>16
	}
	return uint16(s)
}
