package observe

import (
	"fmt"

	"github.com/linerate/linerate/internal/netns"
	"github.com/vishvananda/netlink"
)

// LinkCounters are the kernel's own counters of a device.
type LinkCounters struct {
	RxPackets, TxPackets uint64
	// TxDropped of a veth are frames that the peer's receive ring refused, however they were sent.
	RxDropped, TxDropped uint64
}

// ReadLink reads the counters of a device in a namespace.
func ReadLink(ns, device string) (c LinkCounters, err error) {
	err = netns.Do(ns, func() error {
		link, err := netlink.LinkByName(device)
		if err != nil {
			return fmt.Errorf("read counters of %s: %w; has the interface vanished?", device, err)
		}
		if s := link.Attrs().Statistics; s != nil {
			c.RxPackets, c.TxPackets, c.RxDropped, c.TxDropped = s.RxPackets, s.TxPackets, s.RxDropped, s.TxDropped
		}
		return nil
	})
	return c, err
}

// Since is the growth of the counters.
func (c LinkCounters) Since(before LinkCounters) LinkCounters {
	return LinkCounters{
		RxPackets: c.RxPackets - before.RxPackets, TxPackets: c.TxPackets - before.TxPackets,
		RxDropped: c.RxDropped - before.RxDropped, TxDropped: c.TxDropped - before.TxDropped,
	}
}
