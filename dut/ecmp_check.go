package dut

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"github.com/vishvananda/netlink"
)

// Limits on the wait for BGP: a session that is retried takes some seconds.
const (
	convergeWithin = 30 * time.Second
	convergePoll   = 100 * time.Millisecond
)

// check waits until all sessions are established, and reads the routes back from the
// kernel: source and target must have one next hop for each path, and the routers
// between them one for each side.
func (m multipath) check() error {
	for end := time.Now().Add(convergeWithin); ; time.Sleep(convergePoll) {
		waiting, err := m.missing()
		if err != nil {
			return fmt.Errorf("check the paths: %w", err)
		}
		if waiting == "" {
			return nil
		}
		if m.Cell.Backend != birdBackend || time.Now().After(end) {
			return errors.New("check the paths: " + waiting)
		}
	}
}

// missing says what is not ready yet; empty when all is.
func (m multipath) missing() (string, error) {
	if m.Cell.Backend == birdBackend {
		if waiting, err := m.established(); err != nil || waiting != "" {
			return waiting, err
		}
	}
	a, b := m.networks()
	type route struct {
		ns   string
		to   netip.Prefix
		want int
	}
	routes := []route{{m.DUT.Netns, b, len(m.paths)}, {m.target, a, len(m.paths)}}
	for _, w := range m.paths {
		routes = append(routes, route{w.router, a, 1}, route{w.router, b, 1})
	}
	for _, r := range routes {
		hops, err := nextHops(r.ns, r.to)
		if err != nil {
			return "", err
		}
		if hops != r.want {
			return fmt.Sprintf("the route to %s in %s has %d next hops and should have %d; `ip -n %s route` shows it", r.to, r.ns, hops, r.want, r.ns), nil
		}
	}
	return "", nil
}

// nextHops counts those of the best route to a network.
func nextHops(ns string, to netip.Prefix) (hops int, err error) {
	err = netns.Do(ns, func() error {
		family := netlink.FAMILY_V4
		if to.Addr().Is6() {
			family = netlink.FAMILY_V6
		}
		want := &net.IPNet{IP: to.Addr().AsSlice(), Mask: net.CIDRMask(to.Bits(), to.Addr().BitLen())}
		routes, err := netlink.RouteListFiltered(family, &netlink.Route{Dst: want}, netlink.RT_FILTER_DST)
		if err != nil {
			return fmt.Errorf("read the routes to %s in %s: %w", to, ns, err)
		}
		for _, r := range routes {
			if r.Priority == routes[0].Priority { // else a worse route
				hops += max(1, len(r.MultiPath))
			}
		}
		return nil
	})
	return hops, err
}
