package observe

import (
	"fmt"
	"strings"

	"github.com/linerate/linerate/internal/netns"
	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
)

// LinkCounters are the kernel's own counters of a device.
type LinkCounters struct {
	RxPackets, TxPackets uint64
	RxDropped, TxDropped uint64
	// XDPPackets are frames that the device's XDP program saw, XDPTransmitErrors
	// frames that the peer's receive ring refused when they were sent by XDP, as
	// the veth driver counts them per queue.
	XDPPackets, XDPTransmitErrors uint64
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
		e, err := ethtool.NewEthtool()
		if err != nil {
			return fmt.Errorf("open ethtool socket: %w", err)
		}
		defer e.Close()
		stats, err := e.Stats(device)
		if err != nil {
			return nil // a driver without statistics of its own
		}
		for name, n := range stats {
			switch {
			case strings.HasPrefix(name, "rx_queue_") && strings.HasSuffix(name, "_xdp_packets"):
				c.XDPPackets += n
			case strings.HasPrefix(name, "tx_queue_") && strings.HasSuffix(name, "_xdp_xmit_errors"):
				c.XDPTransmitErrors += n
			}
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
		XDPPackets: c.XDPPackets - before.XDPPackets, XDPTransmitErrors: c.XDPTransmitErrors - before.XDPTransmitErrors,
	}
}
