package kernel

import (
	"fmt"
	"strings"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

const installNFT = "install nft (package nftables on Debian, Ubuntu, Fedora and Alpine)"

// NFTables is the rule engine in the kernel; the tool nft is another matter.
var NFTables = Feature{
	Name: "nftables", Need: ForScenario,
	Cost: "scenarios limit, conntrack-nft, snat-nft, nft-ruleset and flowtable are skipped",
	Fix:  "boot a kernel with CONFIG_NF_TABLES and CONFIG_NF_TABLES_INET, or load the module nf_tables",
	try: func() (string, error) {
		return "the kernel answered for its rule sets", inside(askNFTables)
	},
}

// Conntrack is connection tracking.
var Conntrack = Feature{
	Name: "connection tracking", Need: ForScenario,
	Cost: "scenarios conntrack and snat are skipped",
	Fix:  "boot a kernel with CONFIG_NF_CONNTRACK, CONFIG_NFT_CT and CONFIG_NETFILTER_XT_MATCH_CONNTRACK, or load the modules nf_conntrack, nft_ct and xt_conntrack",
	try: func() (string, error) {
		return tryRules(
			"table inet lrprobe { chain c { type filter hook forward priority 0; ct state established accept; }; }",
			"-A", "FORWARD", "-m", "conntrack", "--ctstate", "ESTABLISHED", "-j", "ACCEPT")
	},
}

// NAT is source NAT.
var NAT = Feature{
	Name: "NAT", Need: ForScenario,
	Cost: "scenario snat is skipped",
	Fix:  "boot a kernel with CONFIG_NF_NAT, CONFIG_NFT_NAT and CONFIG_IP_NF_NAT, or load the modules nf_nat, nft_nat, nft_chain_nat and iptable_nat",
	try: func() (string, error) {
		return tryRules(
			"table ip lrprobe { chain c { type nat hook postrouting priority 100; snat to 198.18.0.1; }; }",
			"-t", "nat", "-A", "POSTROUTING", "-j", "SNAT", "--to-source", "198.18.0.1")
	},
}

// Flowtable is the fast path that lets established flows pass the rule set by.
var Flowtable = Feature{
	Name: "flowtable", Need: ForScenario,
	Cost: "scenario flowtable is skipped",
	Fix:  "boot a kernel with CONFIG_NF_FLOW_TABLE, CONFIG_NF_FLOW_TABLE_INET and CONFIG_NFT_FLOW_OFFLOAD, or load those modules",
	try: func() (string, error) {
		nft, err := FindTool("nft")
		if err != nil {
			return "", fmt.Errorf("not tried: %w; %s", err, installNFT)
		}
		return "nft added a flowtable over two devices", inside(func() error {
			if err := addPair(); err != nil {
				return err
			}
			rules := fmt.Sprintf(`table inet lrprobe {
	flowtable f { hook ingress priority 0; devices = { %s, %s }; }
	chain c { type filter hook forward priority 0; ip protocol udp flow add @f; }
}`, nearEnd, farEnd)
			_, err := nft.run(rules, "-f", "-")
			return err
		})
	},
}

// IPTablesRules are rules that the tool iptables makes, in whichever of its two variants is installed.
var IPTablesRules = Feature{
	Name: "iptables rules", Need: ForScenario,
	Cost: "scenarios conntrack-iptables, snat-iptables and iptables-ruleset are skipped",
	Fix:  "install iptables; its variant nf_tables needs CONFIG_NFT_COMPAT, its variant legacy CONFIG_IP_NF_IPTABLES, CONFIG_IP_NF_FILTER and CONFIG_IP_NF_NAT",
	try: func() (string, error) {
		tool, err := FindTool("iptables")
		if err != nil {
			return "", err
		}
		return "variant " + IPTablesVariant(tool.Version) + ": a rule was added to filter and to nat", inside(func() error {
			if _, err := tool.run("", "-A", "FORWARD", "-m", "conntrack", "--ctstate", "ESTABLISHED", "-j", "ACCEPT"); err != nil {
				return err
			}
			_, err := tool.run("", "-t", "nat", "-A", "POSTROUTING", "-j", "SNAT", "--to-source", "198.18.0.1")
			return err
		})
	},
}

// IPTablesVariant reads which kernel interface an iptables uses, "nf_tables" or
// "legacy", from what `iptables --version` prints. Versions before 1.8 knew
// only the latter and do not say so.
func IPTablesVariant(version string) string {
	if strings.Contains(version, "nf_tables") {
		return "nf_tables"
	}
	return "legacy"
}

// tryRules gives rules to whichever tool is installed, nft first.
func tryRules(nftRules string, iptablesRule ...string) (string, error) {
	if nft, err := FindTool("nft"); err == nil {
		return "nft added a rule for it", inside(func() error {
			_, err := nft.run(nftRules, "-f", "-")
			return err
		})
	}
	iptables, err := FindTool("iptables")
	if err != nil {
		return "", fmt.Errorf("not tried: neither nft nor iptables is installed; %s", installNFT)
	}
	return "iptables added a rule for it", inside(func() error {
		_, err := iptables.run("", iptablesRule...)
		return err
	})
}

// askNFTables asks for the generation of the rule sets, a question that needs no rule and no tool.
func askNFTables() error {
	const getGeneration = 16 // NFT_MSG_GETGEN of enum nf_tables_msg_types
	request := nl.NewNetlinkRequest(unix.NFNL_SUBSYS_NFTABLES<<8|getGeneration, 0)
	request.AddData(&nl.Nfgenmsg{NfgenFamily: unix.AF_UNSPEC, Version: nl.NFNETLINK_V0})
	replies, err := request.Execute(unix.NETLINK_NETFILTER, 0)
	if err != nil {
		return fmt.Errorf("ask nftables for its generation: %w", err)
	}
	if len(replies) == 0 {
		return fmt.Errorf("ask nftables for its generation: no answer")
	}
	return nil
}
