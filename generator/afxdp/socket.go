package afxdp

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/linerate/linerate/internal/kernel"
	"golang.org/x/sys/unix"
)

const (
	smallChunk = 2048 // the least that the kernel takes (XDP_UMEM_MIN_CHUNK_SIZE)
	largeChunk = 4096
	// sendBufferBytes is more than all chunks, so that the device and not the socket
	// decides when there is no room.
	sendBufferBytes = 16 << 20
	// busyPatience is how long a queue may stay taken: the kernel gives the queue of a closed
	// socket back later (xp_release_deferred, net/xdp/xsk_buff_pool.c, Linux 6.18).
	busyPatience = 2 * time.Second
)

// socket is an AF_XDP socket that only sends, with the memory that it shares.
type socket struct {
	fd         int
	memory     []byte
	chunkBytes int
	transmit   ring[unix.XDPDesc]
	completion ring[uint64]
}

// openSocket makes a socket in the namespace of the calling thread, with memory for frames
// of up to so many bytes without FCS.
func openSocket(frameBytes int) (*socket, error) {
	fd, err := unix.Socket(unix.AF_XDP, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if errors.Is(err, unix.EAFNOSUPPORT) {
		return nil, missing("this kernel has no AF_XDP sockets", "boot a kernel with CONFIG_XDP_SOCKETS, or use another engine")
	}
	if err != nil {
		return nil, fmt.Errorf("make AF_XDP socket: %w; it needs root (CAP_NET_RAW)", err)
	}
	k := &socket{fd: fd, chunkBytes: smallChunk}
	if frameBytes > smallChunk {
		k.chunkBytes = largeChunk
	}
	if err := k.share(); err != nil {
		return nil, errors.Join(err, k.close())
	}
	return k, nil
}

func missing(reason, fix string) error {
	return &kernel.MissingError{Missing: []kernel.Missing{{Name: "AF_XDP", Reason: reason, Cost: "engine afxdp cannot send as asked", Fix: fix}}}
}

// share registers the memory and maps the rings. The fill ring is asked for because the
// kernel binds no memory without one.
func (k *socket) share() (err error) {
	if k.memory, err = unix.Mmap(-1, 0, ringEntries*k.chunkBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE); err != nil {
		return fmt.Errorf("make shared memory: %w", err)
	}
	register := unix.XDPUmemReg{Addr: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(k.memory)))), Len: uint64(len(k.memory)), Size: uint32(k.chunkBytes)}
	if _, _, errno := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(k.fd), unix.SOL_XDP, unix.XDP_UMEM_REG, uintptr(unsafe.Pointer(&register)), unsafe.Sizeof(register), 0); errno != 0 {
		return fmt.Errorf("register shared memory: %w", errno)
	}
	for _, option := range []int{unix.XDP_UMEM_FILL_RING, unix.XDP_UMEM_COMPLETION_RING, unix.XDP_TX_RING} {
		if err := unix.SetsockoptInt(k.fd, unix.SOL_XDP, option, ringEntries); err != nil {
			return fmt.Errorf("make ring %d: %w", option, err)
		}
	}
	if err := unix.SetsockoptInt(k.fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sendBufferBytes); err != nil {
		return fmt.Errorf("set SO_SNDBUFFORCE: %w", err)
	}
	var offsets unix.XDPMmapOffsets
	length := uint32(unsafe.Sizeof(offsets))
	if _, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(k.fd), unix.SOL_XDP, unix.XDP_MMAP_OFFSETS, uintptr(unsafe.Pointer(&offsets)), uintptr(unsafe.Pointer(&length)), 0); errno != 0 {
		return fmt.Errorf("ask for the layout of the rings: %w", errno)
	}
	if k.transmit, err = mapRing[unix.XDPDesc](k.fd, unix.XDP_PGOFF_TX_RING, offsets.Tx); err != nil {
		return err
	}
	k.completion, err = mapRing[uint64](k.fd, unix.XDP_UMEM_PGOFF_COMPLETION_RING, offsets.Cr)
	return err
}

// bind takes a transmit queue of a device and returns the mode that the kernel granted.
func (k *socket) bind(ifindex, queue int, mode Mode) (Mode, error) {
	address := &unix.SockaddrXDP{Flags: unix.XDP_USE_NEED_WAKEUP, Ifindex: uint32(ifindex), QueueID: uint32(queue)}
	switch mode {
	case Copy:
		address.Flags |= unix.XDP_COPY
	case ZeroCopy:
		address.Flags |= unix.XDP_ZEROCOPY
	case Auto:
	default:
		return "", fmt.Errorf("bind in mode %q: there are %s, %s and %s", mode, Auto, Copy, ZeroCopy)
	}
	err := unix.Bind(k.fd, address)
	for end := time.Now().Add(busyPatience); errors.Is(err, unix.EBUSY) && time.Now().Before(end); err = unix.Bind(k.fd, address) {
		time.Sleep(time.Millisecond)
	}
	switch {
	case errors.Is(err, unix.EOPNOTSUPP) && mode == ZeroCopy:
		return "", missing("the driver of the device refuses zero-copy (a veth has none)", "set traffic.afxdp_mode to copy or auto, or use a network card whose driver has it")
	case errors.Is(err, unix.EBUSY):
		return "", fmt.Errorf("bind to queue %d: %w; another AF_XDP socket has it", queue, err)
	case errors.Is(err, unix.EINVAL):
		return "", fmt.Errorf("bind to queue %d: %w; each sending thread needs a transmit queue: give the device more with `ethtool -L`, or name fewer CPUs", queue, err)
	case err != nil:
		return "", fmt.Errorf("bind to queue %d: %w", queue, err)
	}
	options, err := unix.GetsockoptInt(k.fd, unix.SOL_XDP, unix.XDP_OPTIONS)
	if err != nil {
		return "", fmt.Errorf("ask whether frames are copied: %w", err)
	}
	if options&unix.XDP_OPTIONS_ZEROCOPY != 0 {
		return ZeroCopy, nil
	}
	return Copy, nil
}

// kick lets the kernel take frames, if it waits for that.
func (k *socket) kick() error {
	if k.transmit.flags.Load()&unix.XDP_RING_NEED_WAKEUP == 0 {
		return nil
	}
	_, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(k.fd), 0, 0, unix.MSG_DONTWAIT, 0, 0)
	if errno == 0 {
		return nil
	}
	return errno
}

func (k *socket) close() error {
	err := errors.Join(k.transmit.unmap(), k.completion.unmap(), unix.Close(k.fd))
	if k.memory != nil {
		err = errors.Join(err, unix.Munmap(k.memory))
	}
	return err
}
