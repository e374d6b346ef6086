package ledger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/result"
	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// deviceReading is the counters of a device that tell of drops.
type deviceReading struct {
	// txDropped of a veth are frames that the peer's receive ring refused, however they were sent.
	txDropped uint64
	// missed are frames that found the receive ring of a network card full.
	missed uint64
	// xdpDrops are frames that an XDP program on the device dropped or aborted, and
	// rxErrors those that the driver could not make an skb of or redirect.
	xdpDrops, rxErrors uint64
	// queues are the drops of the queueing disciplines by name.
	queues map[string]uint64
}

func readDevice(d Device) (r deviceReading, err error) {
	r.queues = map[string]uint64{}
	err = netns.Do(d.Netns, func() error {
		l, err := netlink.LinkByName(d.Name)
		if err != nil {
			return fmt.Errorf("read drops of %s: %w; has the interface vanished?", d.Name, err)
		}
		if s := l.Attrs().Statistics; s != nil {
			r.txDropped, r.missed = s.TxDropped, s.RxMissedErrors
		}
		if d.Side != result.DUTSide {
			return nil
		}
		queues, err := netlink.QdiscList(l)
		if err != nil && !errors.Is(err, unix.EOPNOTSUPP) { // a kernel without CONFIG_NET_SCHED
			return fmt.Errorf("read queueing disciplines of %s: %w", d.Name, err)
		}
		for _, q := range queues {
			if s := q.Attrs().Statistics; s != nil && s.Queue != nil {
				r.queues[q.Type()] += uint64(s.Queue.Drops)
			}
		}
		return r.readDriver(d.Name)
	})
	return r, err
}

// readDriver reads the driver's own counters by queue: rx_queue_0_xdp_drops, as the
// veth driver names them (veth_rq_stats_desc, drivers/net/veth.c, Linux 6.18). A
// driver that has none, or names them otherwise, leaves them zero.
func (r *deviceReading) readDriver(name string) error {
	e, err := ethtool.NewEthtool()
	if err != nil {
		return fmt.Errorf("open ethtool socket for %s: %w", name, err)
	}
	defer e.Close()
	stats, err := e.Stats(name)
	if err != nil {
		return nil //nolint:nilerr // a driver without statistics
	}
	for key, n := range stats {
		if !strings.HasPrefix(key, "rx_queue_") {
			continue
		}
		switch {
		case strings.HasSuffix(key, "_xdp_drops"):
			r.xdpDrops += n
		case strings.HasSuffix(key, "_drops"):
			r.rxErrors += n
		}
	}
	return nil
}

// grown is the growth of a counter. One that is smaller than before was made anew
// meanwhile, as a queueing discipline is when it is replaced.
func grown(before, after uint64) uint64 {
	if after < before {
		return after
	}
	return after - before
}

func (r deviceReading) since(before deviceReading) deviceReading {
	g := deviceReading{
		txDropped: grown(before.txDropped, r.txDropped), missed: grown(before.missed, r.missed),
		xdpDrops: grown(before.xdpDrops, r.xdpDrops), rxErrors: grown(before.rxErrors, r.rxErrors), queues: map[string]uint64{},
	}
	for name, n := range r.queues {
		g.queues[name] = grown(before.queues[name], n)
	}
	return g
}
