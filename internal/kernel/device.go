package kernel

import (
	"fmt"

	"github.com/vishvananda/netlink"
)

// Namespaces are network namespaces with names.
var Namespaces = Feature{
	Name: "network namespaces", Need: ForLab,
	Cost: "tester and DUT cannot be kept apart on this machine: the testbed lab is not possible",
	Fix:  "boot a kernel with CONFIG_NET_NS=y, and let this process write to /run/netns and mount there (a container needs --privileged)",
	try: func() (string, error) {
		return "one was made, entered and removed", inside(func() error { return nil })
	},
}

// Veth are the cables of the lab.
var Veth = Feature{
	Name: "veth", Need: ForLab,
	Cost: "the namespaces of the lab cannot be joined: the testbed lab is not possible",
	Fix:  "boot a kernel with CONFIG_VETH, or load the module veth",
	try:  func() (string, error) { return "a pair was made and set up", inside(addPair) },
}

// Bridge is the DUT of scenario bridge.
var Bridge = Feature{
	Name: "bridge", Need: ForScenario,
	Cost: "scenarios that make the DUT a switch are skipped",
	Fix:  "boot a kernel with CONFIG_BRIDGE, or load the module bridge",
	try: func() (string, error) {
		link := &netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: "lrpbr"}}
		return "a bridge was made", tryLink("bridge", link)
	},
}

// Tun is the device of user-space DUTs.
var Tun = Feature{
	Name: "tun/tap", Need: ForComparison,
	Cost: "user-space DUTs that need a tap device, and virtual machines joined by one, are not possible",
	Fix:  "boot a kernel with CONFIG_TUN, or load the module tun; /dev/net/tun must exist",
	try: func() (string, error) {
		link := &netlink.Tuntap{LinkAttrs: netlink.LinkAttrs{Name: "lrptap"}, Mode: netlink.TUNTAP_MODE_TAP}
		return "a tap device was made", tryLink("tap", link)
	},
}

// VLAN is IEEE 802.1Q.
var VLAN = Feature{
	Name: "VLAN", Need: ForComparison,
	Cost: "scenarios with IEEE 802.1Q tags are skipped",
	Fix:  "boot a kernel with CONFIG_VLAN_8021Q, or load the module 8021q",
	try: func() (string, error) {
		return "a device for VLAN 10 was made", inside(func() error {
			if err := addPair(); err != nil {
				return err
			}
			parent, err := netlink.LinkByName(nearEnd)
			if err != nil {
				return fmt.Errorf("find veth %s: %w", nearEnd, err)
			}
			link := &netlink.Vlan{LinkAttrs: netlink.LinkAttrs{Name: "lrpvlan", ParentIndex: parent.Attrs().Index}, VlanId: 10}
			if err := netlink.LinkAdd(link); err != nil {
				return fmt.Errorf("add a VLAN device: %w", err)
			}
			return nil
		})
	},
}

// Netem is the queue discipline that plants delay and loss.
var Netem = Feature{
	Name: "netem", Need: ForComparison,
	Cost: "delay and loss of a known size cannot be planted to check the instrument; the scenario limit and nft rules can",
	Fix:  "boot a kernel with CONFIG_NET_SCH_NETEM, or load the module sch_netem (on Fedora from the package kernel-modules-extra)",
	try: func() (string, error) {
		return "a netem queue discipline was added", inside(func() error {
			if err := addPair(); err != nil {
				return err
			}
			link, err := netlink.LinkByName(nearEnd)
			if err != nil {
				return fmt.Errorf("find veth %s: %w", nearEnd, err)
			}
			attrs := netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Parent: netlink.HANDLE_ROOT, Handle: netlink.MakeHandle(1, 0)}
			delay := netlink.NetemQdiscAttrs{Latency: 1000}
			if err := netlink.QdiscAdd(netlink.NewNetem(attrs, delay)); err != nil {
				return fmt.Errorf("add a netem queue discipline: %w", err)
			}
			return nil
		})
	},
}
