package dut

import "github.com/linerate/linerate/dut/journal"

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
		Do:     journal.Action{Kind: journal.Command, Netns: s.DUT.Netns, Argv: []string{"nft", "-f", "-"}, Stdin: rules},
		Undo:   journal.Action{Kind: journal.Command, Netns: s.DUT.Netns, Argv: []string{"nft", "delete", "table", family, table}},
		Atomic: true,
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
