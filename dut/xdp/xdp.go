// Package xdp makes a device under test of XDP programs: a router that asks the kernel's
// routing table (bpf_fib_lookup, Linux 4.18), and a bridge from port to port.
package xdp

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/linerate/linerate/internal/netns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// The programs that Attach knows.
const (
	// Router forwards by the routing and neighbour tables of the namespace, where
	// forwarding has to be on. What they do not answer is left to the kernel's stack.
	Router = "router"
	// Bridge passes every frame on to the other device, as it is.
	Bridge = "bridge"
)

// Attach loads a program and attaches it natively to the two devices of a namespace. It
// stays after this process has ended, until Detach or until the devices are removed. The
// peers of the devices must take frames sent by XDP: a veth needs XDP or GRO.
func Attach(ns, program string, devices []string) (err error) {
	if len(devices) != 2 {
		return fmt.Errorf("attach XDP program %s: it joins two devices, not %d", program, len(devices))
	}
	var objects forwardObjects
	if err := loadForwardObjects(&objects, nil); err != nil {
		return fmt.Errorf("load XDP program %s: %w; it needs root (CAP_BPF, CAP_NET_ADMIN), Linux 5.18 and BTF", program, err)
	}
	defer func() { err = errors.Join(err, objects.Close()) }() // the devices keep what they run
	attached, other := objects.Route, false
	switch program {
	case Router:
	case Bridge:
		attached, other = objects.Bridge, true
	default:
		return fmt.Errorf("attach XDP program %s: there are %s and %s", program, Router, Bridge)
	}
	return netns.Do(ns, func() error {
		links, err := find(devices)
		if err != nil {
			return fmt.Errorf("attach XDP program %s: %w", program, err)
		}
		for i, l := range links {
			target := l
			if other {
				target = links[1-i]
			}
			// A device map resolves the index in the namespace of the thread that updates it.
			if err := objects.Ports.Put(uint32(l.Attrs().Index), uint32(target.Attrs().Index)); err != nil {
				return fmt.Errorf("take %s as a port of XDP program %s: %w", devices[i], program, err)
			}
		}
		for i, l := range links {
			if err := set(l, attached.FD()); err != nil {
				return fmt.Errorf("attach XDP program %s natively to %s: %w%s", program, devices[i], err, hint(err, devices[i]))
			}
		}
		return nil
	})
}

// Detach takes the program off the devices. One that has none is no error.
func Detach(ns string, devices []string) error {
	return netns.Do(ns, func() error {
		links, err := find(devices)
		if err != nil {
			return fmt.Errorf("detach XDP program: %w", err)
		}
		var errs []error
		for i, l := range links {
			if err := set(l, -1); err != nil {
				errs = append(errs, fmt.Errorf("detach XDP program from %s: %w", devices[i], err))
			}
		}
		return errors.Join(errs...)
	})
}

func find(devices []string) ([]netlink.Link, error) {
	links := make([]netlink.Link, len(devices))
	for i, name := range devices {
		var err error
		if links[i], err = netlink.LinkByName(name); err != nil {
			return nil, fmt.Errorf("find device %s: %w", name, err)
		}
	}
	return links, nil
}

// set attaches a program by netlink, so that it outlives its file descriptor; -1 detaches.
func set(l netlink.Link, fd int) error {
	flags := unix.XDP_FLAGS_DRV_MODE
	if fd >= 0 {
		flags |= unix.XDP_FLAGS_UPDATE_IF_NOEXIST
	}
	return netlink.LinkSetXdpFdWithFlags(l, fd, flags)
}

func hint(err error, device string) string {
	switch {
	case errors.Is(err, unix.EBUSY), errors.Is(err, unix.EEXIST):
		return "; another program is attached: `ip link show " + device + "` names it"
	case errors.Is(err, unix.EOPNOTSUPP):
		return "; its driver has no XDP"
	}
	return ""
}

// actionNames are the counters of the programs, in the order of enum action.
var actionNames = []string{"xdp.redirected", "xdp.passed_not_ip", "xdp.passed_ttl", "xdp.passed_no_route", "xdp.passed_other_port"}

// Actions are the frames that the program on a device has redirected, and those that it
// left to the kernel's stack by reason, since it was attached: on all its devices
// together. It returns nil for a device without one of these programs.
func Actions(ns, device string) (map[string]uint64, error) {
	var id uint32
	err := netns.Do(ns, func() error {
		l, err := netlink.LinkByName(device)
		if err != nil {
			return fmt.Errorf("find device %s: %w", device, err)
		}
		if x := l.Attrs().Xdp; x != nil && x.Attached {
			id = x.ProgId
		}
		return nil
	})
	if err != nil || id == 0 {
		return nil, err
	}
	m, err := mapOf(ebpf.ProgramID(id))
	if err != nil || m == nil {
		return nil, err
	}
	defer m.Close()
	counts := map[string]uint64{}
	for i, name := range actionNames {
		var perCPU []uint64
		if err := m.Lookup(uint32(i), &perCPU); err != nil {
			return nil, fmt.Errorf("read counter %s of the XDP program on %s: %w", name, device, err)
		}
		for _, n := range perCPU {
			counts[name] += n
		}
	}
	return counts, nil
}

// mapOf is the counters' map of a program; nil if it has none.
func mapOf(id ebpf.ProgramID) (*ebpf.Map, error) {
	p, err := ebpf.NewProgramFromID(id)
	if err != nil {
		return nil, fmt.Errorf("open XDP program %d: %w", id, err)
	}
	defer p.Close()
	info, err := p.Info()
	if err != nil {
		return nil, fmt.Errorf("describe XDP program %d: %w", id, err)
	}
	maps, _ := info.MapIDs()
	for _, mapID := range maps {
		m, err := ebpf.NewMapFromID(mapID)
		if err != nil {
			return nil, fmt.Errorf("open a map of XDP program %d: %w", id, err)
		}
		if described, err := m.Info(); err == nil && described.Name == forwardMapActions && m.MaxEntries() == uint32(len(actionNames)) {
			return m, nil
		}
		if err := m.Close(); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
