package afxdp

import (
	"errors"
	"fmt"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/userspace"
	"github.com/linerate/linerate/internal/netns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

const (
	// batchFrames get one time stamp and are handed over at once. In copy mode the kernel
	// takes 32 by one system call (TX_BATCH_SIZE, net/xdp/xsk.c, Linux 6.18).
	batchFrames = 32
	// finishPatience is how long a device may take for the last frames of a load.
	finishPatience = 500 * time.Millisecond
)

// output sends one thread's share of a stream. Chunks go from free to the batch, from
// there to the transmit ring, and come back by the completion ring.
type output struct {
	socket *socket
	name   string
	free   []uint64 // addresses of chunks
	slots  [batchFrames]userspace.Slot
	chunks [batchFrames]uint64 // of the slots
	fresh  int                 // slots written and not submitted
	// submitted and taken count descriptors, and wrap around.
	submitted, taken uint32
}

var _ userspace.Output = (*output)(nil)

func openOutput(s generator.Stream, sizes frame.Sizes, queue int, mode Mode) (*output, Mode, error) {
	o := &output{name: s.Interface}
	if s.Netns != "" {
		o.name += " in namespace " + s.Netns
	}
	var granted Mode
	err := netns.Do(s.Netns, func() error {
		link, err := netlink.LinkByIndex(s.Ifindex)
		if err != nil {
			return fmt.Errorf("find device %s: %w", s.Interface, err)
		}
		if err := sizes.Check(s.Flows[0].IPVersion(), link.Attrs().MTU); err != nil {
			return fmt.Errorf("%w; raise the MTU of %s or choose smaller frames", err, s.Interface)
		}
		if o.socket, err = openSocket(sizes.MaxBytes() - frame.FCSBytes); err != nil {
			return err
		}
		granted, err = o.socket.bind(s.Ifindex, queue, mode)
		return err
	})
	if err != nil {
		if o.socket != nil {
			err = errors.Join(err, o.socket.close())
		}
		return nil, "", fmt.Errorf("open AF_XDP socket on %s: %w", o.name, err)
	}
	for i := range ringEntries {
		at := i * o.socket.chunkBytes
		userspace.Prepare(o.socket.memory[at:at+o.socket.chunkBytes], s, sizes)
		o.free = append(o.free, uint64(at))
	}
	return o, granted, nil
}

// Slot is a free chunk.
func (o *output) Slot() *userspace.Slot {
	if o.fresh == batchFrames {
		return nil
	}
	if len(o.free) == 0 {
		o.reap()
	}
	last := len(o.free) - 1
	if last < 0 {
		return nil // the device holds all of them
	}
	at := o.free[last]
	o.free = o.free[:last]
	slot := &o.slots[o.fresh]
	o.chunks[o.fresh] = at
	slot.Data = o.socket.memory[at : at+uint64(o.socket.chunkBytes)]
	o.fresh++
	return slot
}

// reap takes back the chunks whose frames have left the device.
func (o *output) reap() {
	r := &o.socket.completion
	from, to := r.consumer.Load(), r.producer.Load()
	for ; from != to; from++ {
		at := *r.at(from)
		o.free = append(o.free, at-at%uint64(o.socket.chunkBytes))
	}
	r.consumer.Store(from)
}

// Fresh are the slots that the kernel does not know yet.
func (o *output) Fresh() []userspace.Slot { return o.slots[:o.fresh] }

// Waiting tells whether the kernel has still to take a frame.
func (o *output) Waiting() bool { return o.fresh > 0 || o.submitted != o.taken }

// Flush puts the fresh frames on the transmit ring and returns what the kernel has taken of it.
func (o *output) Flush() (int, uint64, error) {
	r := &o.socket.transmit
	for i := range o.fresh {
		*r.at(o.submitted) = unix.XDPDesc{Addr: o.chunks[i], Len: uint32(o.slots[i].Size)}
		o.submitted++
	}
	o.fresh = 0
	r.producer.Store(o.submitted)
	err := o.push()
	n, bytes := o.count()
	if len(o.free) < batchFrames {
		o.reap()
	}
	return n, bytes, err
}

// push makes the kernel take frames. A veth whose peer's ring is full drops the frame,
// which was offered and is lost as on a wire, and the kernel stops there with EBUSY; a
// device without room keeps the frame on the ring (EAGAIN), to be offered again.
func (o *output) push() error {
	for range batchFrames {
		err := o.socket.kick()
		switch {
		case err == nil, errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENOBUFS), errors.Is(err, unix.EINTR):
			return nil
		case errors.Is(err, unix.EBUSY):
			continue
		case errors.Is(err, unix.ENETDOWN):
			return fmt.Errorf("send on %s: %w; set it up with `ip link set up` and keep it up", o.name, err)
		case errors.Is(err, unix.ENXIO), errors.Is(err, unix.ENODEV):
			return fmt.Errorf("send on %s: %w; the device has been removed", o.name, err)
		}
		return fmt.Errorf("send on %s: %w", o.name, err)
	}
	return nil
}

// count returns the frames that the kernel has taken since the last call, and their bytes.
func (o *output) count() (n int, bytes uint64) {
	r := &o.socket.transmit
	for to := r.consumer.Load(); o.taken != to; o.taken++ {
		bytes += uint64(r.at(o.taken).Len)
		n++
	}
	return n, bytes
}

// Finish takes back what the kernel has not seen, and waits until it has taken the rest:
// a frame that is on the ring cannot be called back.
func (o *output) Finish() (n int, bytes uint64, err error) {
	o.free = append(o.free, o.chunks[:o.fresh]...)
	o.fresh = 0
	for end := time.Now().Add(finishPatience); ; {
		more, moreBytes := o.count()
		n, bytes = n+more, bytes+moreBytes
		if o.submitted == o.taken || err != nil {
			return n, bytes, err
		}
		if time.Now().After(end) {
			return n, bytes, fmt.Errorf("send on %s: the device has not taken the last %d frames for %v; is the link up?", o.name, o.submitted-o.taken, finishPatience)
		}
		err = o.push()
	}
}

// Close closes the socket and frees the memory.
func (o *output) Close() error { return o.socket.close() }
