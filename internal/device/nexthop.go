package device

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"

	"github.com/linerate/linerate/internal/netns"
)

// NextHopMAC is the address of the gateway that the routes of a namespace name for a
// destination by way of a device, if its neighbour entry is complete; nil if there is
// no gateway or nothing is known of it.
func NextHopMAC(ns string, ifindex int, destination netip.Addr) (mac net.HardwareAddr, err error) {
	err = netns.Do(ns, func() (err error) {
		mac, err = gateway(ifindex, destination)
		return err
	})
	return mac, err
}

func gateway(ifindex int, destination netip.Addr) (net.HardwareAddr, error) {
	routes, err := netlink.RouteGetWithOptions(destination.AsSlice(), &netlink.RouteGetOptions{OifIndex: ifindex})
	if err != nil || len(routes) == 0 || routes[0].LinkIndex != ifindex || routes[0].Gw == nil {
		return nil, nil // no route is no error: frames need none
	}
	family := netlink.FAMILY_V4
	if destination.Is6() {
		family = netlink.FAMILY_V6
	}
	entries, err := netlink.NeighList(ifindex, family)
	if err != nil {
		return nil, fmt.Errorf("list neighbours: %w", err)
	}
	const complete = netlink.NUD_PERMANENT | netlink.NUD_REACHABLE | netlink.NUD_STALE | netlink.NUD_DELAY | netlink.NUD_PROBE
	for _, e := range entries {
		if e.IP.Equal(routes[0].Gw) && e.State&complete != 0 && len(e.HardwareAddr) == 6 {
			return e.HardwareAddr, nil
		}
	}
	return nil, nil
}
