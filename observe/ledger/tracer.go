package ledger

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/result"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// kind is enum kind of drops.bpf.c.
type kind uint32

const (
	testFrame kind = 1 + iota
	lateFrame
	foreignFrame
	xdpException
	redirectFailed
	xmitFailed
)

// maxNamespaces is MAX_NAMESPACES of drops.bpf.c.
const maxNamespaces = 4

// tracer counts in the kernel.
type tracer struct {
	objects dropsObjects
	links   []link.Link
}

// sinkSymbol is where the veth driver drops the frames that an XDP program does not
// want: on the tester's side those that the sink has counted.
const sinkSymbol = "veth_xdp_rcv_skb"

// openTracer attaches the programs; the frames of an epoch are the test frames.
func openTracer(namespaces map[uint32]namespace, epoch uint16) (*tracer, error) {
	if len(namespaces) > maxNamespaces {
		return nil, fmt.Errorf("a testbed has %d network namespaces and at most %d can be watched", len(namespaces), maxNamespaces)
	}
	symbols, err := kernelSymbols()
	if err != nil {
		return nil, err
	}
	spec, err := loadDrops()
	if err != nil {
		return nil, err
	}
	var inodes [maxNamespaces]uint32
	var dut uint32
	i := 0
	for inode, n := range namespaces {
		inodes[i] = inode
		i++
		if n.side == result.DUTSide {
			dut = inode
		}
	}
	from, to := symbols.span(sinkSymbol)
	for name, value := range map[string]any{dropsVarNamespaces: inodes, dropsVarDutInode: dut, dropsVarSinkFrom: from, dropsVarSinkTo: to, dropsVarEpoch: epoch} {
		if err := spec.Variables[name].Set(value); err != nil {
			return nil, err
		}
	}
	t := &tracer{}
	if err := spec.LoadAndAssign(&t.objects, nil); err != nil {
		return nil, fmt.Errorf("load the tracing programs: %w; they need root and a kernel with BTF", err)
	}
	for _, p := range []*ebpf.Program{t.objects.OnDrop, t.objects.OnException, t.objects.OnRedirectErr, t.objects.OnXmit} {
		l, err := link.AttachTracing(link.TracingOptions{Program: p})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("attach %v: %w", p, err), t.close())
		}
		t.links = append(t.links, l)
	}
	return t, nil
}

// read adds up the counts of all CPUs.
func (t *tracer) read() (map[dropsPlace]uint64, error) {
	counts := map[dropsPlace]uint64{}
	var place dropsPlace
	var perCPU []uint64
	entries := t.objects.Places.Iterate()
	for entries.Next(&place, &perCPU) {
		for _, n := range perCPU {
			counts[place] += n
		}
	}
	if err := entries.Err(); err != nil {
		return nil, fmt.Errorf("read the kernel's drops: %w", err)
	}
	return counts, nil
}

func (t *tracer) close() error {
	var errs []error
	for _, l := range t.links {
		errs = append(errs, l.Close())
	}
	return errors.Join(append(errs, t.objects.Close())...)
}

// placeOf is the inode that the kernel knows a device's namespace by, and its index there.
func placeOf(d Device) (p place, err error) {
	err = netns.Do(d.Netns, func() error {
		var s unix.Stat_t
		if err := unix.Stat("/proc/thread-self/ns/net", &s); err != nil {
			return fmt.Errorf("read the inode of network namespace %q: %w", d.Netns, err)
		}
		l, err := netlink.LinkByName(d.Name)
		if err != nil {
			return err
		}
		p = place{uint32(s.Ino), uint32(l.Attrs().Index)}
		return nil
	})
	return p, err
}
