package dut

import (
	"fmt"

	"github.com/linerate/linerate/dut/journal"
)

func (s Scenario) sysctl(key, value string) Step {
	return Step{Do: journal.Action{Kind: journal.SetSysctl, Netns: s.DUT.Netns, Key: key, Value: value}}
}

func (s Scenario) forwarding() []Step {
	if s.Cell.IPVersion == 6 {
		return []Step{s.sysctl("net.ipv6.conf.all.forwarding", "1")}
	}
	return []Step{s.sysctl("net.ipv4.ip_forward", "1")}
}

// nft loads a ruleset that consists of one table of ours.
func (s Scenario) nft(family, table, rules string) []Step {
	return []Step{{
		Do:   journal.Action{Kind: journal.Command, Netns: s.DUT.Netns, Argv: []string{"nft", "-f", "-"}, Stdin: rules},
		Undo: journal.Action{Kind: journal.Command, Netns: s.DUT.Netns, Argv: []string{"nft", "delete", "table", family, table}},
	}}
}

// iptables adds one rule and deletes it again.
func (s Scenario) iptables(table, chain string, rule ...string) Step {
	tool := "iptables"
	if s.Cell.IPVersion == 6 {
		tool = "ip6tables"
	}
	argv := func(verb string) []string {
		return append([]string{tool, "-w", "-t", table, verb, chain}, rule...)
	}
	return Step{
		Do:   journal.Action{Kind: journal.Command, Netns: s.DUT.Netns, Argv: argv("-A")},
		Undo: journal.Action{Kind: journal.Command, Netns: s.DUT.Netns, Argv: argv("-D")},
	}
}

// limit drops what exceeds a packet rate: a DUT whose capacity is known.
func (s Scenario) limit() ([]Step, error) {
	if err := requireTools("nft"); err != nil {
		return nil, err
	}
	return s.nft("inet", "linerate", fmt.Sprintf(`table inet linerate {
	chain forward {
		type filter hook forward priority filter; policy accept;
		limit rate over %d/second burst %d packets counter drop
	}
}
`, s.Limit.PPS, s.Limit.BurstPackets)), nil
}

// stateful accepts what belongs to a tracked connection, and new connections
// from side A only.
func (s Scenario) stateful() ([]Step, error) {
	if s.Cell.Backend == "iptables" {
		if err := requireTools(s.iptables("filter", "FORWARD").Do.Argv[0]); err != nil {
			return nil, err
		}
		return []Step{
			s.iptables("filter", "FORWARD", "-m", "conntrack", "--ctstate", "RELATED,ESTABLISHED", "-j", "ACCEPT"),
			s.iptables("filter", "FORWARD", "-i", s.DUT.A.Interface, "-m", "conntrack", "--ctstate", "NEW", "-j", "ACCEPT"),
			s.iptables("filter", "FORWARD", "-j", "DROP"),
		}, nil
	}
	if err := requireTools("nft"); err != nil {
		return nil, err
	}
	return s.nft("inet", "linerate", fmt.Sprintf(`table inet linerate {
	chain forward {
		type filter hook forward priority filter; policy drop;
		ct state established,related accept
		iifname "%s" ct state new accept
	}
}
`, s.DUT.A.Interface)), nil
}

// sourceNAT gives everything from side A the DUT's own address on side B.
func (s Scenario) sourceNAT() ([]Step, error) {
	family, network := "ip", s.DUT.A.Net4
	if s.Cell.IPVersion == 6 {
		family, network = "ip6", s.DUT.A.Net6
	}
	if s.Cell.Backend == "iptables" {
		step := s.iptables("nat", "POSTROUTING", "-s", network.String(), "-o", s.DUT.B.Interface, "-j", "SNAT", "--to-source", s.Translated().String())
		return []Step{step}, requireTools(step.Do.Argv[0])
	}
	if err := requireTools("nft"); err != nil {
		return nil, err
	}
	return s.nft(family, "linerate", fmt.Sprintf(`table %s linerate {
	chain postrouting {
		type nat hook postrouting priority srcnat;
		oifname "%s" %s saddr %s snat to %s
	}
}
`, family, s.DUT.B.Interface, family, network, s.Translated())), nil
}
