package lab

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/testbed"
	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	vnetns "github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// connect makes the three veth pairs and brings them up.
func (l *Lab) connect() error {
	n, queues := l.names, l.Queues()
	for _, pair := range []struct{ device, ns, peer, peerNS string }{
		{n.a, n.nsA, n.da, n.nsDUT},
		{n.b, n.nsB, n.db, n.nsDUT},
		{n.xa, n.nsA, n.xb, n.nsB},
	} {
		if err := l.pair(pair.device, pair.ns, pair.peer, pair.peerNS, queues); err != nil {
			return fmt.Errorf("join %s in %s and %s in %s by a veth: %w", pair.device, pair.ns, pair.peer, pair.peerNS, err)
		}
	}
	for _, end := range [][2]string{{n.nsA, n.a}, {n.nsDUT, n.da}, {n.nsDUT, n.db}, {n.nsB, n.b}, {n.nsA, n.xa}, {n.nsB, n.xb}} {
		if err := l.bringUp(end[0], end[1]); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lab) pair(device, ns, peer, peerNS string, queues int) error {
	peerHandle, err := vnetns.GetFromPath(netns.Path(peerNS))
	if err != nil {
		return err
	}
	defer peerHandle.Close()
	return netns.Do(ns, func() error {
		return netlink.LinkAdd(&netlink.Veth{
			LinkAttrs:        netlink.LinkAttrs{Name: device, HardwareAddr: l.macs[device], MTU: l.plan.MTUBytes, NumRxQueues: queues, NumTxQueues: queues},
			PeerName:         peer,
			PeerHardwareAddr: l.macs[peer],
			PeerMTU:          uint32(l.plan.MTUBytes),
			PeerNumRxQueues:  uint32(queues),
			PeerNumTxQueues:  uint32(queues),
			PeerNamespace:    netlink.NsFd(int(peerHandle)),
		})
	})
}

// bringUp sets the device up and then turns GRO on, without which its peer drops all
// that is sent to it by XDP and no counter moves. In the other order the peer is
// not made a target of redirects (veth_set_features, drivers/net/veth.c, Linux 6.18).
func (l *Lab) bringUp(ns, device string) error {
	return netns.DoWithSysfs(ns, func() error {
		link, err := netlink.LinkByName(device)
		if err != nil {
			return fmt.Errorf("find device %s: %w", device, err)
		}
		l.indexes[device] = link.Attrs().Index
		if err := netlink.LinkSetUp(link); err != nil {
			return fmt.Errorf("set %s up: %w", device, err)
		}
		e, err := ethtool.NewEthtool()
		if err != nil {
			return fmt.Errorf("open ethtool socket in %s: %w", ns, err)
		}
		defer e.Close()
		if err := e.Change(device, map[string]bool{"rx-gro": true}); err != nil {
			return fmt.Errorf("turn GRO of %s on: %w", device, err)
		}
		return setThreaded(device) // NAPI exists only now
	})
}

// minMTUBytesIPv6 is the least MTU of a link that carries IPv6 (RFC 8200 section 5);
// the kernel takes no IPv6 address on a link with less.
const minMTUBytesIPv6 = 1280

// address gives the four ends their addresses and permanent neighbours, and the
// DUT its routes to the two networks behind the tester: in IPv4, and in IPv6 where
// kernel and links have it.
func (l *Lab) address() error {
	n := l.names
	ipv6 := l.plan.MTUBytes >= minMTUBytesIPv6 && testbed.KernelHasIPv6()
	for _, e := range []struct {
		ns, device, peer string
		side             testbed.Side
		dut              bool
	}{
		{n.nsA, n.a, n.da, l.DUT.A, false},
		{n.nsDUT, n.da, n.a, l.DUT.A, true},
		{n.nsDUT, n.db, n.b, l.DUT.B, true},
		{n.nsB, n.b, n.db, l.DUT.B, false},
	} {
		err := netns.Do(e.ns, func() error {
			if err := l.addressEnd(e.device, e.peer, e.side.DUT4, e.side.Tester4, e.side.Net4, e.dut); err != nil || !ipv6 {
				return err
			}
			return l.addressEnd(e.device, e.peer, e.side.DUT6, e.side.Tester6, e.side.Net6, e.dut)
		})
		if err != nil {
			return fmt.Errorf("address %s in %s: %w", e.device, e.ns, err)
		}
	}
	return nil
}

// addressEnd addresses one end of a link in one IP version. The network behind the
// tester is routed by the DUT only.
func (l *Lab) addressEnd(device, peerDevice string, dut netip.Prefix, tester netip.Addr, network netip.Prefix, isDUT bool) error {
	own, peer := netip.PrefixFrom(tester, dut.Bits()), dut.Addr()
	if isDUT {
		own, peer = dut, tester
	}
	link, err := netlink.LinkByName(device)
	if err != nil {
		return err
	}
	if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: ipNet(own), Flags: addressFlags(own)}); err != nil {
		return fmt.Errorf("add address %v: %w", own, err)
	}
	neighbour := &netlink.Neigh{LinkIndex: link.Attrs().Index, IP: peer.AsSlice(), HardwareAddr: l.macs[peerDevice], State: netlink.NUD_PERMANENT}
	if err := netlink.NeighSet(neighbour); err != nil {
		return fmt.Errorf("add neighbour %v: %w", peer, err)
	}
	if isDUT {
		return l.routeTo(network, peer, device)
	}
	return nil
}

func addressFlags(p netip.Prefix) int {
	if p.Addr().Is6() {
		return unix.IFA_F_NODAD
	}
	return 0
}

func (l *Lab) routeTo(network netip.Prefix, via netip.Addr, device string) error {
	route := &netlink.Route{LinkIndex: l.indexes[device], Dst: ipNet(network), Gw: via.AsSlice()}
	if err := netlink.RouteAdd(route); err != nil {
		return fmt.Errorf("add route to %v via %v: %w", network, via, err)
	}
	return nil
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}
