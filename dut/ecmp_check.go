package dut

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/linerate/linerate/internal/netns"
	"github.com/vishvananda/netlink"
)

// check reads the routes back from the kernel: source and target must have one next hop
// for each path.
func (m multipath) check() error {
	a, b := m.networks()
	for _, e := range []struct {
		ns string
		to netip.Prefix
	}{{m.DUT.Netns, b}, {m.target, a}} {
		hops, err := nextHops(e.ns, e.to)
		if err != nil {
			return err
		}
		if hops != len(m.paths) {
			return fmt.Errorf("check the paths: the route to %s in %s has %d next hops and should have %d; `ip -n %s route` shows it", e.to, e.ns, hops, len(m.paths), e.ns)
		}
	}
	return nil
}

// nextHops counts those of the best route to a network.
func nextHops(ns string, to netip.Prefix) (hops int, err error) {
	err = netns.Do(ns, func() error {
		family := netlink.FAMILY_V4
		if to.Addr().Is6() {
			family = netlink.FAMILY_V6
		}
		routes, err := netlink.RouteListFiltered(family, &netlink.Route{Dst: &net.IPNet{IP: to.Addr().AsSlice(), Mask: net.CIDRMask(to.Bits(), to.Addr().BitLen())}}, netlink.RT_FILTER_DST)
		if err != nil {
			return fmt.Errorf("read the routes to %s in %s: %w", to, ns, err)
		}
		for i, r := range routes {
			switch {
			case i > 0 && r.Priority != routes[0].Priority: // a worse route
			case len(r.MultiPath) > 0:
				hops += len(r.MultiPath)
			default:
				hops++
			}
		}
		return nil
	})
	return hops, err
}
