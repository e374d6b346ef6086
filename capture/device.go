package capture

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/linerate/linerate/internal/netns"
	"golang.org/x/sys/unix"
)

const (
	// bufferBytes holds the frames that come while this process waits for a CPU; the
	// socket of pcapgo has the system's default, which is 12 jumbo frames.
	bufferBytes = 32 << 20
	// largestBytes is what the kernel may hand over at once: a merged frame of 64 kB.
	largestBytes = 1 << 17
)

// deviceTap is a packet socket on a device. It sees what the kernel's stack
// receives from the device and what it sends to it, but no frame that XDP took.
type deviceTap struct {
	socket *os.File
	name   string
	limit  int
	frames []Frame
	// stopping tells the reader that an error is that of the closed socket.
	stopping atomic.Bool
	done     chan error
}

// OnDevice keeps the first limit frames of a device in a named namespace.
func OnDevice(ns, device string, limit int) (Tap, error) {
	t := &deviceTap{name: device, limit: limit, done: make(chan error, 1)}
	err := netns.Do(ns, func() (err error) {
		t.socket, err = openSocket(device)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("capture on %s of namespace %q: %w; it needs root (CAP_NET_RAW)", device, ns, err)
	}
	go func() { t.done <- t.read() }()
	return t, nil
}

func openSocket(device string) (*os.File, error) {
	link, err := net.InterfaceByName(device)
	if err != nil {
		return nil, err
	}
	// Protocol 0 receives nothing until the socket is bound to the device.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("make AF_PACKET socket: %w", err)
	}
	all := uint16(unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8)
	for _, err := range []error{
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, bufferBytes),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1),
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: link.Index}),
	} {
		if err != nil {
			return nil, errors.Join(fmt.Errorf("set up AF_PACKET socket: %w", err), unix.Close(fd))
		}
	}
	return os.NewFile(uintptr(fd), "packet socket on "+device), nil
}

// read takes frames until the socket is closed. Those beyond the limit are thrown away.
func (t *deviceTap) read() error {
	raw, err := t.socket.SyscallConn()
	if err != nil {
		return err
	}
	data, control := make([]byte, largestBytes), make([]byte, 128)
	for {
		var n, controlBytes, flags int
		var from unix.Sockaddr
		var failed error
		err := raw.Read(func(fd uintptr) bool {
			n, controlBytes, flags, from, failed = unix.Recvmsg(int(fd), data, control, 0)
			return failed != unix.EAGAIN
		})
		switch {
		case err != nil && t.stopping.Load():
			return nil
		case err != nil:
			return err
		case failed == unix.EINTR:
			continue
		case failed != nil:
			return failed
		case flags&unix.MSG_TRUNC != 0:
			return fmt.Errorf("a frame is longer than %d bytes", largestBytes)
		}
		if len(t.frames) < t.limit {
			link, _ := from.(*unix.SockaddrLinklayer)
			leaving := link != nil && link.Pkttype == unix.PACKET_OUTGOING
			t.frames = append(t.frames, Frame{Time: stamp(control[:controlBytes]), Data: slices.Clone(data[:n]), Leaving: leaving})
		}
	}
}

// stamp is the kernel's time stamp of a frame, in nanoseconds; now, if it has none.
func stamp(control []byte) time.Time {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return time.Now()
	}
	for _, m := range messages {
		var at unix.Timespec
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(at)) {
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&at)), unsafe.Sizeof(at)), m.Data)
			return time.Unix(at.Unix())
		}
	}
	return time.Now()
}

func (t *deviceTap) Where() string { return "packet socket on the device" }

// Stop closes the socket and returns what it has seen.
func (t *deviceTap) Stop() ([]Frame, error) {
	dropped, err := t.dropped()
	t.stopping.Store(true)
	err = errors.Join(err, t.socket.Close(), <-t.done)
	if err == nil && dropped > 0 && len(t.frames) < t.limit {
		err = fmt.Errorf("%d frames did not fit into the socket's buffer", dropped)
	}
	if err != nil {
		return nil, fmt.Errorf("capture on %s: %w", t.name, err)
	}
	return t.frames, nil
}

// dropped is how many frames the socket had no room for.
func (t *deviceTap) dropped() (uint32, error) {
	raw, err := t.socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	var stats *unix.TpacketStats
	var failed error
	err = raw.Control(func(fd uintptr) {
		stats, failed = unix.GetsockoptTpacketStats(int(fd), unix.SOL_PACKET, unix.PACKET_STATISTICS)
	})
	if err = errors.Join(err, failed); err != nil {
		return 0, err
	}
	return stats.Drops, nil
}
