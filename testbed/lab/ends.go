package lab

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/testbed"
	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
)

// EndCPUs are the CPUs of the two ends when programs run in them: the client's are the
// generators', the server's those of the sinks. Where the sinks share the DUT's, the
// server goes beside the client: a program cannot go before the DUT as a sink does, and
// what it takes of the DUT's CPU could not be told from the DUT's work.
func (l *Lab) EndCPUs() (client, server []int) {
	client, server = slices.Clone(l.CPUs.Generators), slices.Clone(l.CPUs.Sinks)
	if l.CPUs.SinksBesideDUT() && !l.CPUs.Shared() {
		server = slices.Clone(client)
	}
	return client, server
}

// PinEnds places the DUT as Pin does, and the NAPI threads of each end beside its program.
func (l *Lab) PinEnds() error {
	if err := l.Pin(); err != nil {
		return err
	}
	client, server := l.EndCPUs()
	for _, end := range []struct {
		devices []string
		cpus    []int
	}{{[]string{l.names.a, l.names.xa}, client}, {[]string{l.names.b, l.names.xb}, server}} {
		for _, device := range end.devices {
			if err := l.pinDevice(device, end.cpus, sinkPriority); err != nil {
				return err
			}
		}
	}
	return nil
}

// serverPriority is that of a receiver of datagrams, between those of generators and sinks.
const serverPriority = 45

// ServerPriority is what a receiver of datagrams asks for that shares its CPUs with the
// sender: senders that never wait would leave it no time, and what it cannot read is
// lost. TCP waits for its receiver, and needs none.
func (l *Lab) ServerPriority() int { return l.priority(serverPriority) }

// end is what one end needs to reach the other.
type end struct {
	port testbed.Port
	// own is the end's address, gateway stands for the next hop, and far is the network
	// of the other end.
	own, gateway netip.Addr
	far          netip.Prefix
}

// JoinEnds lets the hosts at the two ports reach each other by the ports' next hops: a
// route in each end to the other's network, through a neighbour of that MAC address. It
// returns the address of b's host.
func (l *Lab) JoinEnds(a, b testbed.Port, ipVersion int) (server netip.Addr, undo func() error, err error) {
	ends := []end{
		{a, l.DUT.A.Tester4, l.DUT.A.DUT4.Addr(), l.DUT.B.Net4},
		{b, l.DUT.B.Tester4, l.DUT.B.DUT4.Addr(), l.DUT.A.Net4},
	}
	if ipVersion == 6 {
		ends = []end{
			{a, l.DUT.A.Tester6, l.DUT.A.DUT6.Addr(), l.DUT.B.Net6},
			{b, l.DUT.B.Tester6, l.DUT.B.DUT6.Addr(), l.DUT.A.Net6},
		}
	}
	var undos []func() error
	undo = func() error {
		var errs []error
		for _, u := range slices.Backward(undos) {
			errs = append(errs, u())
		}
		return errors.Join(errs...)
	}
	for _, e := range ends {
		u, err := e.join()
		undos = append(undos, u)
		if err != nil {
			return server, nil, errors.Join(fmt.Errorf("route %s to %v by %s: %w", e.port.Netns, e.far, e.port.Interface, err), undo())
		}
	}
	return ends[1].own, undo, nil
}

// join makes neighbour and route. They live in a namespace of the lab's own, so that no
// journal is needed: they go with it.
func (e end) join() (undo func() error, err error) {
	var before *netlink.Neigh
	undo = func() error {
		return netns.Do(e.port.Netns, func() error { return e.part(before) })
	}
	return undo, netns.Do(e.port.Netns, func() error {
		link, err := netlink.LinkByName(e.port.Interface)
		if err != nil {
			return err
		}
		index := link.Attrs().Index
		neighbours, err := netlink.NeighList(index, 0)
		if err != nil {
			return err
		}
		for _, n := range neighbours {
			if ip, ok := netip.AddrFromSlice(n.IP); ok && ip.Unmap() == e.gateway {
				before = &n
			}
		}
		if err := netlink.NeighSet(&netlink.Neigh{LinkIndex: index, IP: e.gateway.AsSlice(), HardwareAddr: e.port.NextHopMAC, State: netlink.NUD_PERMANENT}); err != nil {
			return fmt.Errorf("set neighbour %v: %w", e.gateway, err)
		}
		return netlink.RouteReplace(e.route(index))
	})
}

func (e end) route(index int) *netlink.Route {
	return &netlink.Route{LinkIndex: index, Dst: ipNet(e.far), Gw: e.gateway.AsSlice(), Src: e.own.AsSlice(), Flags: int(netlink.FLAG_ONLINK)}
}

// part takes route and neighbour back.
func (e end) part(before *netlink.Neigh) error {
	link, err := netlink.LinkByName(e.port.Interface)
	if err != nil {
		return err
	}
	index := link.Attrs().Index
	err = netlink.RouteDel(e.route(index))
	if before != nil {
		return errors.Join(err, netlink.NeighSet(before))
	}
	return errors.Join(err, netlink.NeighDel(&netlink.Neigh{LinkIndex: index, IP: e.gateway.AsSlice()}))
}

// DisableEndOffloads turns the checksum and segmentation offloads of the tester's devices
// off, so that what leaves an end is what would be on a wire: whole checksums, and no
// segment above the MTU. A veth otherwise hands over frames whose checksum nobody has
// computed yet, which only the kernel's own stack understands.
func (l *Lab) DisableEndOffloads() error {
	n := l.names
	for ns, devices := range map[string][]string{n.nsA: {n.a, n.xa}, n.nsB: {n.b, n.xb}} {
		err := netns.Do(ns, func() error {
			e, err := ethtool.NewEthtool()
			if err != nil {
				return fmt.Errorf("open the ethtool interface: %w", err)
			}
			defer e.Close()
			for _, device := range devices {
				err := e.Change(device, map[string]bool{
					"tx-checksum-ip-generic": false, "tx-tcp-segmentation": false, "tx-tcp6-segmentation": false, "tx-udp-segmentation": false,
				})
				if err != nil {
					return fmt.Errorf("turn the checksum offload of %s off: %w", device, err)
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("prepare the ends in %s: %w", ns, err)
		}
	}
	return nil
}
