package afpacket

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/netns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// sendBufferBytes holds what a device's ring may keep of jumbo frames, so that the
// device and not the socket decides when there is no room.
const sendBufferBytes = 16 << 20

// socket sends raw frames out of one device, past its queueing discipline.
type socket struct {
	fd   int
	name string
	// ringIsPeers is true of a veth: its ring belongs to the receiving end, so a
	// frame that finds the ring full was offered and is lost, as on a wire. Other
	// devices keep the frame from the wire, and it is offered again.
	ringIsPeers bool
}

// openSocket opens a socket in the stream's namespace; sizes are checked against the
// device's MTU. If seen, packet sockets on the device see the frames that are sent. What
// bypasses the queueing discipline is hidden from them, and that is how loads are offered
// else: taps cost time (__dev_direct_xmit, net/core/dev.c, Linux 6.18).
func openSocket(s generator.Stream, sizes frame.Sizes, seen bool) (*socket, error) {
	k := &socket{fd: -1, name: s.Interface}
	if s.Netns != "" {
		k.name += " in namespace " + s.Netns
	}
	err := netns.Do(s.Netns, func() error {
		link, err := netlink.LinkByIndex(s.Ifindex)
		if err != nil {
			return fmt.Errorf("find device %s: %w", s.Interface, err)
		}
		if err := sizes.Check(s.Flows[0].IPVersion(), link.Attrs().MTU); err != nil {
			return fmt.Errorf("%w; raise the MTU of %s or choose smaller frames", err, s.Interface)
		}
		k.ringIsPeers = link.Type() == "veth"
		k.fd, err = rawSocket(s.Ifindex, seen)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open socket on %s: %w", k.name, err)
	}
	return k, nil
}

func rawSocket(ifindex int, seen bool) (int, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0) // protocol 0 receives nothing
	if err != nil {
		return -1, fmt.Errorf("make AF_PACKET socket: %w; it needs root (CAP_NET_RAW)", err)
	}
	bypass := 1
	if seen {
		bypass = 0
	}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"set PACKET_QDISC_BYPASS", func() error { return unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_QDISC_BYPASS, bypass) }},
		{"set SO_SNDBUFFORCE", func() error {
			return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sendBufferBytes)
		}},
		{"bind", func() error { return unix.Bind(fd, &unix.SockaddrLinklayer{Ifindex: ifindex}) }},
	} {
		if err := step.do(); err != nil {
			return -1, errors.Join(fmt.Errorf("%s: %w", step.what, err), unix.Close(fd))
		}
	}
	return fd, nil
}

// send hands frames to the device and returns how many of them were offered. It
// may be fewer than all: the device had no room for the next one.
func (k *socket) send(messages []message) (int, error) {
	n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(k.fd), uintptr(unsafe.Pointer(unsafe.SliceData(messages))),
		uintptr(len(messages)), unix.MSG_DONTWAIT, 0, 0)
	switch errno {
	case 0:
		if k.ringIsPeers && int(n) < len(messages) {
			n++
		}
		return int(n), nil
	case unix.ENOBUFS:
		if k.ringIsPeers {
			return 1, nil
		}
		return 0, nil
	case unix.EAGAIN, unix.EINTR:
		return 0, nil
	case unix.ENETDOWN:
		return 0, fmt.Errorf("send on %s: %w; set it up with `ip link set up` and keep it up", k.name, errno)
	case unix.ENXIO, unix.ENODEV:
		return 0, fmt.Errorf("send on %s: %w; the device has been removed", k.name, errno)
	}
	return 0, fmt.Errorf("send on %s: %w", k.name, errno)
}

func (k *socket) close() error { return unix.Close(k.fd) }
