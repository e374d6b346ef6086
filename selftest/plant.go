package selftest

import (
	"errors"
	"fmt"

	"github.com/linerate/linerate/internal/netns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// fault is what the program on the DUT does to every Nth frame; faults.bpf.c numbers them the same.
type fault uint32

const (
	dropFault fault = iota + 1
	duplicateFault
	exchangeFault
)

// planted is a program on the egress of the DUT's second device.
type planted struct {
	objects faultsObjects
	ns      string
	index   int
}

// plantFault attaches the program with the hooks that every kernel since 4.5 has.
func (r *rig) plantFault(f fault, every uint32) (*planted, error) {
	spec, err := loadFaults()
	if err != nil {
		return nil, fmt.Errorf("read the program that plants faults: %w", err)
	}
	if err := errors.Join(spec.Variables[faultsVarFault].Set(uint32(f)), spec.Variables[faultsVarEvery].Set(every)); err != nil {
		return nil, fmt.Errorf("set the program that plants faults: %w", err)
	}
	p := &planted{ns: r.lab.DUT.Netns}
	if err := spec.LoadAndAssign(&p.objects, nil); err != nil {
		return nil, skip("the kernel does not load the program that plants faults: %v", err)
	}
	err = netns.Do(p.ns, func() error {
		device, err := netlink.LinkByName(r.lab.DUT.B.Interface)
		if err != nil {
			return err
		}
		p.index = device.Attrs().Index
		if err := netlink.QdiscAdd(p.qdisc()); err != nil {
			return fmt.Errorf("add qdisc clsact: %w (CONFIG_NET_SCH_INGRESS)", err)
		}
		return netlink.FilterAdd(&netlink.BpfFilter{
			FilterAttrs: netlink.FilterAttrs{LinkIndex: p.index, Parent: netlink.HANDLE_MIN_EGRESS, Handle: 1, Priority: 1, Protocol: unix.ETH_P_ALL},
			Fd:          p.objects.Faulty.FD(), Name: "faulty", DirectAction: true,
		})
	})
	if err != nil {
		return nil, errors.Join(skip("the kernel cannot run a BPF program on %s's egress: %v", r.lab.DUT.B.Interface, err), p.remove())
	}
	return p, nil
}

func (p *planted) qdisc() netlink.Qdisc {
	return &netlink.Clsact{QdiscAttrs: netlink.QdiscAttrs{LinkIndex: p.index, Handle: netlink.MakeHandle(0xffff, 0), Parent: netlink.HANDLE_CLSACT}}
}

// counts are what the program has seen and done.
type counts struct{ seen, planted, failed uint64 }

func (p *planted) counts() (c counts, err error) {
	return c, errors.Join(p.objects.Seen.Get(&c.seen), p.objects.Planted.Get(&c.planted), p.objects.Failed.Get(&c.failed))
}

// rewind begins a trial: the program counts from 0.
func (p *planted) rewind() error {
	zero := uint64(0)
	return errors.Join(p.objects.Seen.Set(zero), p.objects.Planted.Set(zero), p.objects.Failed.Set(zero))
}

// remove makes the DUT faultless again.
func (p *planted) remove() error {
	err := netns.Do(p.ns, func() error { return netlink.QdiscDel(p.qdisc()) })
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINVAL) || p.index == 0 {
		err = nil // it was never added
	}
	return errors.Join(err, p.objects.Close())
}

// shape makes the DUT's second device send at most pps frames of 60 bytes per
// second, with a queue of so many, by a token bucket filter. It returns what undoes it.
func (r *rig) shape(pps, queueFrames int) (undo func() error, err error) {
	const frameBytes = 60 // without FCS, as the kernel sees it
	var qdisc netlink.Qdisc
	err = netns.Do(r.lab.DUT.Netns, func() error {
		device, err := netlink.LinkByName(r.lab.DUT.B.Interface)
		if err != nil {
			return err
		}
		rate := uint64(pps * frameBytes)
		qdisc = &netlink.Tbf{
			QdiscAttrs: netlink.QdiscAttrs{LinkIndex: device.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT},
			Rate:       rate, Limit: uint32(queueFrames * frameBytes), Buffer: netlink.Xmittime(rate, burstBytes),
		}
		return netlink.QdiscAdd(qdisc)
	})
	if err != nil {
		return nil, skip("the kernel has no token bucket filter (CONFIG_NET_SCH_TBF): %v", err)
	}
	return func() error {
		return netns.Do(r.lab.DUT.Netns, func() error { return netlink.QdiscDel(qdisc) })
	}, nil
}

// burstBytes is what the filter may send at once: the largest frame, or it refuses it.
const burstBytes = 1600
