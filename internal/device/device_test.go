package device_test

import (
	"bytes"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"

	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/internal/device"
	"github.com/linerate/linerate/internal/netns"
)

func setGRO(t *testing.T, e contract.End, on bool) {
	t.Helper()
	err := netns.Do(e.Netns, func() error {
		tool, err := ethtool.NewEthtool()
		if err != nil {
			return err
		}
		defer tool.Close()
		return tool.Change(e.Interface, map[string]bool{"rx-gro": on})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPeerIsFoundInItsNamespace(t *testing.T) {
	a, b := contract.Link(t, 1500)
	for _, gro := range []bool{true, false} {
		setGRO(t, b, gro)
		p, err := device.Peer(a.Netns, a.Ifindex)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != b.Interface || p.Netns != b.Netns || !bytes.Equal(p.MAC, b.MAC) || !p.Up || p.XDPProgram || p.GRO != gro {
			t.Errorf("with GRO %v the peer of %s is %+v", gro, a.Interface, p)
		}
		if want := "ip netns exec " + b.Netns + " ip link"; p.Command("ip link") != want {
			t.Errorf("the command is %q, want %q", p.Command("ip link"), want)
		}
		// The kernel's own answer (Linux 6.3) agrees with what the peer shows.
		if takes, known, err := device.TakesXDPFrames(a.Netns, a.Ifindex); err != nil || known && takes != gro {
			t.Errorf("with GRO %v at the peer the kernel says %v, %v", gro, takes, err)
		}
	}
	b.SetDown(t)
	if p, err := device.Peer(a.Netns, a.Ifindex); err != nil || p.Up {
		t.Errorf("a peer that is down: %+v, %v", p, err)
	}
}

func TestFind(t *testing.T) {
	a, _ := contract.Link(t, 1500)
	if found, err := device.Find(a.Netns, a.Interface); err != nil || found.Index != a.Ifindex || found.MTU != 1500 {
		t.Errorf("found %+v, %v", found, err)
	}
	if _, err := device.Find(a.Netns, "nosuch"); err == nil || !strings.Contains(err.Error(), "ip link") {
		t.Errorf("a device that is not there: %v", err)
	}
	a.SetDown(t)
	if _, err := device.Find(a.Netns, a.Interface); err == nil || !strings.Contains(err.Error(), "is down") {
		t.Errorf("a device that is down: %v", err)
	}
}

func TestNextHopMAC(t *testing.T) {
	a, b := contract.Link(t, 1500)
	destination := netip.MustParseAddr("198.19.0.9")
	look := func() []byte {
		t.Helper()
		mac, err := device.NextHopMAC(a.Netns, a.Ifindex, destination)
		if err != nil {
			t.Fatal(err)
		}
		return mac
	}
	if mac := look(); mac != nil {
		t.Errorf("without a route the next hop is %v", mac)
	}
	gateway := netip.MustParseAddr("198.18.0.1")
	in := func(f func(netlink.Link) error) {
		t.Helper()
		err := netns.Do(a.Netns, func() error {
			link, err := netlink.LinkByIndex(a.Ifindex)
			if err != nil {
				return err
			}
			return f(link)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	in(func(link netlink.Link) error {
		own, _ := netlink.ParseAddr("198.18.0.2/24")
		if err := netlink.AddrAdd(link, own); err != nil {
			return err
		}
		_, network, _ := net.ParseCIDR("198.19.0.0/16")
		return netlink.RouteAdd(&netlink.Route{LinkIndex: a.Ifindex, Dst: network, Gw: gateway.AsSlice()})
	})
	if mac := look(); mac != nil {
		t.Errorf("of a gateway that never answered the address is %v", mac)
	}
	in(func(netlink.Link) error {
		return netlink.NeighSet(&netlink.Neigh{LinkIndex: a.Ifindex, IP: gateway.AsSlice(), HardwareAddr: b.MAC, State: netlink.NUD_PERMANENT})
	})
	if mac := look(); !bytes.Equal(mac, b.MAC) {
		t.Errorf("the next hop is %v, want %v", mac, b.MAC)
	}
}
