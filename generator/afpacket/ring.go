package afpacket

import (
	"unsafe"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/userspace"
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

// ring is a batch of frames that are written over and over, and the socket they leave by.
type ring struct {
	socket   *socket
	slots    [batchFrames]userspace.Slot
	vectors  [batchFrames]unix.Iovec
	messages [batchFrames]message
	// first and filled bound the frames that wait to leave.
	first, filled int
}

var _ userspace.Output = (*ring)(nil)

func newRing(s generator.Stream, sizes frame.Sizes) *ring {
	r := &ring{}
	for i := range r.slots {
		b := make([]byte, sizes.MaxBytes()-frame.FCSBytes)
		userspace.Prepare(b, s, sizes)
		r.slots[i].Data = b
		r.vectors[i].Base = unsafe.SliceData(b)
		r.messages[i].header.Iov = &r.vectors[i]
		r.messages[i].header.SetIovlen(1)
	}
	return r
}

// Slot is where the next frame is written; nil if the batch is full.
func (r *ring) Slot() *userspace.Slot {
	if r.filled == batchFrames {
		return nil
	}
	r.filled++
	return &r.slots[r.filled-1]
}

// Fresh are all slots that wait: what the device had no room for is stamped again.
func (r *ring) Fresh() []userspace.Slot { return r.slots[r.first:r.filled] }

// Waiting tells whether a frame has not left.
func (r *ring) Waiting() bool { return r.first < r.filled }

// Flush sends what waits. Frames that the device has no room for stay.
func (r *ring) Flush() (int, uint64, error) {
	for i := r.first; i < r.filled; i++ {
		r.vectors[i].SetLen(r.slots[i].Size)
	}
	n, err := r.socket.send(r.messages[r.first:r.filled])
	if err != nil || n == 0 {
		return 0, 0, err
	}
	return n, r.left(n), nil
}

// left takes the first n waiting frames out and returns their bytes without FCS.
func (r *ring) left(n int) (bytes uint64) {
	for range n {
		bytes += uint64(r.slots[r.first].Size)
		r.first++
	}
	if r.first == r.filled {
		r.first, r.filled = 0, 0
	}
	return bytes
}

// Finish gives up what waits: none of it has been seen by the kernel.
func (r *ring) Finish() (int, uint64, error) {
	r.first, r.filled = 0, 0
	return 0, 0, nil
}

// Close closes the socket.
func (r *ring) Close() error { return r.socket.close() }
