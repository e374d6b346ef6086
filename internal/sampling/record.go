package sampling

import (
	"encoding/binary"
	"fmt"
)

// Kinds of records and the least of the markers in a call chain (include/uapi/linux/perf_event.h).
const (
	recordLost     = 2
	recordThrottle = 5
	recordSample   = 9
	firstContext   = ^uint64(4095) + 1
)

// Sample is what a CPU did at a moment.
type Sample struct {
	// TimeNS is on CLOCK_MONOTONIC.
	TimeNS   uint64
	PID, TID uint32
	// Chain are the kernel's functions, the innermost first, as eight bytes each in the
	// machine's order with marks between contexts; it is overwritten by the next sample. Samples
	// with the same Chain were at the same place.
	Chain []byte
}

// Addresses are those of a call chain in the kernel, the innermost first; none of a
// sample in user mode.
func Addresses(chain []byte) []uint64 {
	var list []uint64
	for ; len(chain) >= 8; chain = chain[8:] {
		if ip := binary.NativeEndian.Uint64(chain); ip < firstContext {
			list = append(list, ip)
		}
	}
	return list
}

// Missing is what a sampler did not get.
type Missing struct {
	// Lost samples had no room in the ring.
	Lost int
	// ThrottledTimes is how often the kernel left samples out until its next tick, because it
	// took them for too many (PERF_RECORD_THROTTLE); it does not say how many.
	ThrottledTimes int
}

// Read hands over the samples that were taken since the last call, in order, and returns
// what is missing among them.
func (s *Sampler) Read(take func(Sample)) (missing Missing, err error) {
	tail, head := s.page.Data_tail, s.head()
	defer func() { s.release(head) }()
	size := uint64(len(s.ring))
	var record []byte
	for tail < head {
		at := tail % size
		kind := binary.NativeEndian.Uint32(s.ring[at:]) // records are whole numbers of eight bytes
		length := uint64(binary.NativeEndian.Uint16(s.ring[at+6:]))
		if length < 8 || tail+length > head {
			return missing, fmt.Errorf("read the samples: a record of %d bytes with %d to read", length, head-tail)
		}
		first := min(length, size-at)
		record = append(append(record[:0], s.ring[at:at+first]...), s.ring[:length-first]...)
		tail += length
		switch body := record[8:]; {
		case kind == recordLost && len(body) >= 16:
			missing.Lost += int(binary.NativeEndian.Uint64(body[8:]))
		case kind == recordThrottle:
			missing.ThrottledTimes++
		case kind == recordSample && len(body) >= 24:
			sample := Sample{PID: binary.NativeEndian.Uint32(body), TID: binary.NativeEndian.Uint32(body[4:]), TimeNS: binary.NativeEndian.Uint64(body[8:])}
			n := binary.NativeEndian.Uint64(body[16:])
			if n > uint64(len(body)-24)/8 {
				return missing, fmt.Errorf("read the samples: a call chain of %d functions in %d bytes", n, len(body)-24)
			}
			sample.Chain = body[24 : 24+8*n]
			take(sample)
		}
	}
	return missing, nil
}
