package afxdp

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ringEntries are the entries of each ring, a power of two, and the chunks of memory: no
// ring can overflow.
const ringEntries = 2048

// ring is one of the rings that the kernel shares with a socket, with one side that
// produces and one that consumes (struct xdp_ring, net/xdp/xsk_queue.h, Linux 6.18).
type ring[T any] struct {
	memory             []byte
	producer, consumer *atomic.Uint32
	flags              *atomic.Uint32
	entries            []T
}

// mapRing maps a ring of the socket at its page offset.
func mapRing[T any](fd int, page int64, at unix.XDPRingOffset) (ring[T], error) {
	var zero T
	size := int(at.Desc) + ringEntries*int(unsafe.Sizeof(zero))
	memory, err := unix.Mmap(fd, page, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return ring[T]{}, fmt.Errorf("map a ring: %w", err)
	}
	word := func(offset uint64) *atomic.Uint32 { return (*atomic.Uint32)(unsafe.Pointer(&memory[offset])) }
	return ring[T]{
		memory: memory, producer: word(at.Producer), consumer: word(at.Consumer), flags: word(at.Flags),
		entries: unsafe.Slice((*T)(unsafe.Pointer(&memory[at.Desc])), ringEntries),
	}, nil
}

// at is the entry of a running number.
func (r *ring[T]) at(number uint32) *T { return &r.entries[number%ringEntries] }

func (r *ring[T]) unmap() error {
	if r.memory == nil {
		return nil
	}
	memory := r.memory
	r.memory = nil
	return unix.Munmap(memory)
}
