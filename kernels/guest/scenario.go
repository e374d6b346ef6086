package guest

import (
	"fmt"
	"net"
	"sort"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// needs are the modules of each scenario, beyond those of every one. Alternatives are
// names that a module had in other versions.
var needs = map[string][]string{
	"none":          {},
	"route":         {},
	"bridge":        {"bridge"},
	"conntrack-nft": {"nf_tables", "nf_conntrack", "nft_ct"},
	"snat-nft":      {"nf_tables", "nf_conntrack", "nf_nat", "nft_chain_nat|nft_chain_nat_ipv4", "nft_nat"},
}

// Modules are what the scenarios need, with alternatives divided by |, and "" for a
// scenario that this program does not know. The variant of iptables is "nft" or "legacy".
func Modules(scenarios []string, variant string) (names []string, unknown string) {
	seen := map[string]bool{}
	names = []string{"veth", "pktgen"}
	for _, s := range scenarios {
		list, known := needs[s]
		if UsesIptables(s) {
			list, known = iptablesNeeds[s][variant]
		}
		if !known {
			return nil, s
		}
		for _, n := range list {
			if !seen[n] {
				names = append(names, n)
			}
			seen[n] = true
		}
	}
	return names, ""
}

// Scenarios are what a guest can be made to be.
func Scenarios() []string {
	var names []string
	for n := range needs {
		names = append(names, n)
	}
	for n := range iptablesNeeds {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// tracks tells whether the scenario keeps an entry for each flow.
func tracks(scenario string) bool {
	return strings.HasPrefix(scenario, "conntrack-") || strings.HasPrefix(scenario, "snat-")
}

// apply makes the DUT what the cell says. It returns where the generator sends to, and
// the namespace and device that count what comes out.
func (l *lab) apply(c Cell) (to net.HardwareAddr, ns, device string, err error) {
	switch c.Scenario {
	case "none":
		// One hop: d0 drops the frame, as s0 does behind every other scenario.
		return elsewhere, dutNetns, dutIn, nil
	case "bridge":
		return elsewhere, sinkNetns, sinkDevice, l.bridge()
	}
	if err := l.route(); err != nil {
		return nil, "", "", err
	}
	switch c.Scenario {
	case "conntrack-nft":
		err = l.stateful(c.ExtraRules)
	case "snat-nft":
		err = l.sourceNAT(c.ExtraRules)
	case "conntrack-iptables":
		err = l.iptablesStateful(c)
	case "snat-iptables":
		err = l.iptablesNAT(c)
	case "route":
		if c.ExtraRules > 0 {
			err = l.accept(c.ExtraRules)
		}
	default:
		err = fmt.Errorf("scenario %s is not known in a guest", c.Scenario)
	}
	return macs[dutIn], sinkNetns, sinkDevice, err
}

// route makes the DUT a router between the two sides.
func (l *lab) route() error {
	if err := writeSysctl(dutNetns, "net.ipv4.ip_forward", "1"); err != nil {
		return fmt.Errorf("switch forwarding on: %w", err)
	}
	l.did("sysctl -w net.ipv4.ip_forward=1")
	if err := l.addAddress(dutIn, l.sideA.DUT4); err != nil {
		return err
	}
	if err := l.addAddress(dutOut, l.sideB.DUT4); err != nil {
		return err
	}
	if err := l.addRoute(l.sideA); err != nil {
		return err
	}
	return l.addRoute(l.sideB)
}

// bridge makes the DUT a bridge that knows where the frames go.
func (l *lab) bridge() error {
	attributes := netlink.NewLinkAttrs()
	attributes.Name = "br0"
	noSnooping := false
	bridge := &netlink.Bridge{LinkAttrs: attributes, MulticastSnooping: &noSnooping}
	if err := l.dut.LinkAdd(bridge); err != nil {
		return fmt.Errorf("make a bridge: %w", err)
	}
	l.did("ip link add br0 type bridge mcast_snooping 0")
	if l.live {
		if err := l.forwardAtOnce(); err != nil {
			return err
		}
	}
	for _, name := range []string{dutIn, dutOut} {
		port, err := l.dut.LinkByName(name)
		if err == nil {
			err = l.dut.LinkSetMaster(port, bridge)
		}
		if err != nil {
			return fmt.Errorf("put %s into the bridge: %w", name, err)
		}
		l.did("ip link set %s master br0", name)
	}
	if err := setUp(l.dut, "br0"); err != nil {
		return err
	}
	l.did("ip link set br0 up")
	out, err := l.dut.LinkByName(dutOut)
	if err == nil {
		err = l.dut.NeighSet(&netlink.Neigh{LinkIndex: out.Attrs().Index, Family: unix.AF_BRIDGE, State: unix.NUD_NOARP, Flags: netlink.NTF_MASTER, HardwareAddr: elsewhere})
	}
	if err != nil {
		return fmt.Errorf("tell the bridge where %s is: %w", elsewhere, err)
	}
	l.did("bridge fdb replace %s dev %s master static", elsewhere, dutOut)
	return nil
}
