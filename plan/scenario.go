package plan

import (
	"slices"
	"strings"
)

// ScenarioInfo describes one kind of scenario.
type ScenarioInfo struct {
	Name string
	// Backends are the tools that can configure it, the default first; empty when it needs none.
	Backends []string
	// Description is one line for --help.
	Description string
}

// NoDUT is the scenario without a DUT: generator and sink joined directly.
const NoDUT = "none"

var scenarioInfos = []ScenarioInfo{
	{NoDUT, nil, "no DUT: generator and sink joined directly, the ceiling of the tester"},
	{"route", nil, "IP forwarding between two interfaces"},
	{"conntrack", []string{"nft", "iptables"}, "forwarding behind a stateful accept rule (connection tracking)"},
	{"snat", []string{"nft", "iptables"}, "forwarding with source NAT from A to B; replies are translated back"},
	{"bridge", nil, "a Linux bridge of the two interfaces: frames are passed on by MAC address and not routed"},
	{"testpmd", []string{"io-afxdp", "io-afpacket", "mac-afxdp", "mac-afpacket"}, "DPDK testpmd between the two interfaces: frames as they are (io) or with new MAC addresses (mac), by AF_XDP or AF_PACKET sockets"},
	{"ovs", []string{"afxdp", "dpdk"}, "Open vSwitch's datapath in user space between the two interfaces, by MAC address: by its own AF_XDP sockets, or by DPDK's"},
	{"flowtable", []string{"nft"}, "forwarding by an nftables flowtable: packets of known flows take a short cut past the routing"},
	{"nft-ruleset", nil, "forwarding through nftables rules: a file of your own (ruleset.file), or ruleset.rules generated ones"},
	{"iptables-ruleset", nil, "forwarding through iptables rules: a file of your own (ruleset.file), or ruleset.rules generated ones"},
	{"routes", nil, "forwarding with routes.prefixes routes; destinations are drawn from them"},
	{"custom", nil, "what commands of your own (custom.setup) make of the DUT"},
	{"limit", []string{"nft"}, "a packet-rate limit of limit.pps: a DUT whose capacity is known"},
	{"ecmp", []string{"static", "bird"}, "equal-cost paths through ecmp.paths routers, between two more: static routes, or BGP by BIRD"},
	{"xdp", nil, "IP forwarding by an XDP program that asks the kernel's routing table (bpf_fib_lookup)"},
	{"xdp-bridge", nil, "an XDP program that passes frames from port to port, as they are"},
}

// Scenarios are all kinds of scenario, in the order of --help.
func Scenarios() []ScenarioInfo { return slices.Clone(scenarioInfos) }

// Spellings are all values of a plan's scenarios field: each name, and with each
// backend where there is a choice ("snat", "snat-nft", "snat-iptables").
func Spellings() []string {
	var all []string
	for _, info := range scenarioInfos {
		all = append(all, info.Name)
		if len(info.Backends) > 1 {
			for _, b := range info.Backends {
				all = append(all, info.Name+"-"+b)
			}
		}
	}
	return all
}

// split finds the kind of scenario and what is written behind it: "snat" and "nft" for
// "snat-nft". A name may hold hyphens itself: the longest that fits is meant.
func (s Scenario) split() (info ScenarioInfo, backend string, known bool) {
	for _, candidate := range scenarioInfos {
		rest, found := strings.CutPrefix(string(s), candidate.Name)
		if found && (rest == "" || rest[0] == '-') && len(candidate.Name) > len(info.Name) {
			info, backend, known = candidate, strings.TrimPrefix(rest, "-"), true
		}
	}
	return info, backend, known
}

// Name is the scenario without its backend: "snat" for "snat-nft".
func (s Scenario) Name() string {
	if info, _, known := s.split(); known {
		return info.Name
	}
	return string(s)
}

// Backend is the tool that configures the scenario: "nft" for "snat-nft" and for
// "snat", whose default it is; empty when the scenario needs none.
func (s Scenario) Backend() string {
	info, backend, _ := s.split()
	if backend == "" && len(info.Backends) > 0 {
		return info.Backends[0]
	}
	return backend
}

// String is the scenario as the plan writes it.
func (s Scenario) String() string { return string(s) }

// problem says why the scenario is not one of Spellings; ok is true when it is.
func (s Scenario) problem() (text, hint string, ok bool) {
	if slices.Contains(Spellings(), string(s)) {
		return "", "", true
	}
	info, backend, known := s.split()
	if !known {
		return "unknown scenario " + shown(string(s)), didYouMean(string(s), Spellings()), false
	}
	if len(info.Backends) < 2 {
		return info.Name + " has no choice of backend", "write " + info.Name, false
	}
	return info.Name + " has no backend " + shown(backend), "its backends are " + strings.Join(info.Backends, " and "), false
}

// String is "uni" or "bi".
func (d Direction) String() string { return string(d) }

// Count is the number of directions that carry traffic: 2 for "bi", else 1.
func (d Direction) Count() int {
	if d == Bi {
		return 2
	}
	return 1
}
