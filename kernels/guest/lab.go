package guest

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/vishvananda/netlink"
	vnetns "github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/testbed"
)

// The namespaces of a cell and their devices: g0 sends to d0, d1 sends to s0. They are
// made anew for each cell, so that no cell inherits a cache of another.
const (
	generatorNetns, dutNetns, sinkNetns = "generator", "dut", "sink"
	generatorDevice, dutIn              = "g0", "d0"
	dutOut, sinkDevice                  = "d1", "s0"
)

// elsewhere is a MAC address that no device has. A frame for it is dropped at its first
// step into the stack, as addressed to another host, in every kernel: the cheapest sink.
var elsewhere = net.HardwareAddr{2, 0, 0, 0, 0xee, 0xee}

// macs are fixed: a bridge and a hash table depend on them.
var macs = map[string]net.HardwareAddr{
	generatorDevice: {2, 0, 0, 0, 0xa, 1}, dutIn: {2, 0, 0, 0, 0xd, 0},
	dutOut: {2, 0, 0, 0, 0xd, 1}, sinkDevice: {2, 0, 0, 0, 0xb, 1},
}

// lab is the guest's network for one cell.
type lab struct {
	sideA, sideB testbed.Side
	setup        []string
	dut          *netlink.Handle
	handle       vnetns.NsHandle
	// rules are those of iptables, whose counters are held to the packets; nil without.
	rules *chainOfRules
	// live tells that time is real, and waiting costs it.
	live bool
}

// openLab makes the namespaces and joins them.
func openLab() (*lab, error) {
	l := &lab{handle: vnetns.None()}
	l.sideA, l.sideB = testbed.Benchmarking(dutIn, dutOut)
	for _, ns := range []string{generatorNetns, dutNetns, sinkNetns} {
		if err := netns.Create(ns); err != nil {
			return l, err
		}
		// Neighbour discovery would send frames of its own.
		if err := writeSysctl(ns, "net.ipv6.conf.default.disable_ipv6", "1"); err != nil && !os.IsNotExist(err) {
			return l, err
		}
	}
	var err error
	if l.handle, err = vnetns.GetFromPath(netns.Path(dutNetns)); err != nil {
		return l, fmt.Errorf("open the DUT's namespace: %w", err)
	}
	if l.dut, err = netlink.NewHandleAt(l.handle, unix.NETLINK_ROUTE); err != nil {
		return l, fmt.Errorf("open the DUT's netlink socket: %w", err)
	}
	if err := l.link(dutIn, generatorNetns, generatorDevice); err != nil {
		return l, err
	}
	return l, l.link(dutOut, sinkNetns, sinkDevice)
}

// link makes a veth between the DUT and another namespace, with both ends up.
func (l *lab) link(device, peerNetns, peer string) error {
	other, err := vnetns.GetFromPath(netns.Path(peerNetns))
	if err != nil {
		return fmt.Errorf("open namespace %s: %w", peerNetns, err)
	}
	defer other.Close()
	attributes := netlink.NewLinkAttrs()
	attributes.Name, attributes.HardwareAddr = device, macs[device]
	veth := &netlink.Veth{LinkAttrs: attributes, PeerName: peer, PeerHardwareAddr: macs[peer], PeerNamespace: netlink.NsFd(other)}
	if err := l.dut.LinkAdd(veth); err != nil {
		return fmt.Errorf("make veth %s: %w", device, err)
	}
	far, err := netlink.NewHandleAt(other, unix.NETLINK_ROUTE)
	if err != nil {
		return fmt.Errorf("open a netlink socket in namespace %s: %w", peerNetns, err)
	}
	defer far.Close()
	for name, handle := range map[string]*netlink.Handle{device: l.dut, peer: far} {
		if err := setUp(handle, name); err != nil {
			return err
		}
	}
	return nil
}

func setUp(h *netlink.Handle, name string) error {
	link, err := h.LinkByName(name)
	if err == nil {
		err = h.LinkSetUp(link)
	}
	if err != nil {
		return fmt.Errorf("set device %s up: %w", name, err)
	}
	return nil
}

// close removes everything; a device goes with its namespace.
func (l *lab) close() error {
	if l.dut != nil {
		l.dut.Close()
	}
	if l.handle.IsOpen() {
		_ = l.handle.Close()
	}
	var failed error
	for _, ns := range []string{sinkNetns, dutNetns, generatorNetns} {
		if err := netns.Delete(ns); err != nil {
			failed = err
		}
	}
	return failed
}

// did notes a step for the reader.
func (l *lab) did(format string, args ...any) {
	l.setup = append(l.setup, fmt.Sprintf(format, args...))
}

// addAddress gives a device of the DUT its address.
func (l *lab) addAddress(device string, address netip.Prefix) error {
	link, err := l.dut.LinkByName(device)
	if err == nil {
		err = l.dut.AddrAdd(link, &netlink.Addr{IPNet: ipNet(address)})
	}
	if err != nil {
		return fmt.Errorf("give device %s the address %s: %w", device, address, err)
	}
	l.did("ip addr add %s dev %s", address, device)
	return nil
}

// addRoute routes a side's network to its tester, who has a permanent neighbour entry.
func (l *lab) addRoute(side testbed.Side) error {
	link, err := l.dut.LinkByName(side.Interface)
	if err == nil {
		err = l.dut.NeighAdd(&netlink.Neigh{LinkIndex: link.Attrs().Index, State: unix.NUD_PERMANENT, IP: side.Tester4.AsSlice(), HardwareAddr: elsewhere})
	}
	if err == nil {
		err = l.dut.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Dst: ipNet(side.Net4), Gw: side.Tester4.AsSlice()})
	}
	if err != nil {
		return fmt.Errorf("route %s to %s: %w", side.Net4, side.Tester4, err)
	}
	l.did("ip neigh add %s lladdr %s dev %s nud permanent", side.Tester4, elsewhere, side.Interface)
	l.did("ip route add %s via %s", side.Net4, side.Tester4)
	return nil
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

// writeSysctl sets a sysctl in a namespace; "" is the first one.
func writeSysctl(ns, key, value string) error {
	path := filepath.Join("/proc/sys", strings.ReplaceAll(key, ".", "/"))
	return netns.Do(ns, func() error { return os.WriteFile(path, []byte(value), 0o644) })
}

// readCount reads a number from a file in a namespace.
func readCount(ns, path string) (n int, err error) {
	err = netns.Do(ns, func() error {
		text, err := os.ReadFile(path)
		if err == nil {
			_, err = fmt.Sscan(string(text), &n)
		}
		return err
	})
	return n, err
}

// received counts the frames that a device of a namespace got.
func received(ns, device string) (uint64, error) {
	handle, err := vnetns.GetFromPath(netns.Path(ns))
	if err != nil {
		return 0, err
	}
	defer handle.Close()
	h, err := netlink.NewHandleAt(handle, unix.NETLINK_ROUTE)
	if err != nil {
		return 0, err
	}
	defer h.Close()
	link, err := h.LinkByName(device)
	if err != nil {
		return 0, fmt.Errorf("read the counters of %s: %w", device, err)
	}
	return link.Attrs().Statistics.RxPackets, nil
}
