package guest

import (
	"fmt"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/linerate/linerate/internal/netns"
)

// IptablesFolder is where a guest has iptables, its extensions and its libraries.
const IptablesFolder = "/iptables"

// IptablesProgram is the path of a variant, "nft" or "legacy"; the program knows by its name which it is.
func IptablesProgram(variant string) string { return IptablesFolder + "/iptables-" + variant }

// IptablesExtensions are the files that the scenarios' rules need.
func IptablesExtensions() []string {
	return []string{"libxt_standard.so", "libxt_conntrack.so", "libxt_SNAT.so"}
}

// UsesIptables tells whether a scenario's rules are written by iptables.
func UsesIptables(scenario string) bool { return strings.HasSuffix(scenario, "-iptables") }

// iptablesNeeds are the modules of a scenario with each variant. Before kernel 5.17, counters
// of nftables, which every rule of iptables has, were a module of their own.
var iptablesNeeds = map[string]map[string][]string{
	"conntrack-iptables": {
		"nft":    {"nf_tables", "nft_compat", "nft_counter|nf_tables", "nf_conntrack", "xt_conntrack"},
		"legacy": {"ip_tables", "iptable_filter", "nf_conntrack", "xt_conntrack"},
	},
	"snat-iptables": {
		"nft":    {"nf_tables", "nft_compat", "nft_counter|nf_tables", "nf_conntrack", "nf_nat", "nft_chain_nat|nft_chain_nat_ipv4", "xt_nat"},
		"legacy": {"ip_tables", "iptable_nat", "nf_conntrack", "nf_nat", "xt_nat"},
	},
}

// chainOfRules is a chain of iptables.
type chainOfRules struct{ program, table, chain string }

// iptables runs the program in the DUT's namespace.
func (r chainOfRules) iptables(arguments ...string) (string, error) {
	cmd := exec.Command(r.program, append([]string{"-t", r.table}, arguments...)...)
	cmd.Env = []string{"XTABLES_LIBDIR=" + IptablesFolder, "LD_LIBRARY_PATH=" + IptablesFolder}
	var out []byte
	err := netns.Do(dutNetns, func() (err error) {
		out, err = cmd.CombinedOutput()
		return err
	})
	text := strings.TrimSpace(string(out))
	if err != nil {
		return text, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, text)
	}
	return text, nil
}

// add appends rules and reads them back: the kernel has to name each as it was written.
func (l *lab) add(r chainOfRules, rules [][]string) error {
	for _, rule := range rules {
		if _, err := r.iptables(append([]string{"-A", r.chain}, rule...)...); err != nil {
			return fmt.Errorf("add a rule: %w; is a module missing?", err)
		}
		l.did("%s -t %s -A %s %s", path.Base(r.program), r.table, r.chain, strings.Join(rule, " "))
	}
	there, err := r.packets()
	if err != nil {
		return err
	}
	if len(there) != len(rules) {
		return fmt.Errorf("add rules to chain %s: %d of %d are there", r.chain, len(there), len(rules))
	}
	l.rules = &r
	return nil
}

var ruleCounter = regexp.MustCompile(`^-A .* -c (\d+) \d+(?: |$)`)

// packets are the counters of the chain's rules.
func (r chainOfRules) packets() ([]int, error) {
	text, err := r.iptables("-v", "-S", r.chain)
	if err != nil {
		return nil, fmt.Errorf("read rules back: %w", err)
	}
	var counts []int
	for line := range strings.Lines(text) {
		found := ruleCounter.FindStringSubmatch(strings.TrimSpace(line))
		if found == nil {
			continue // the chain's policy
		}
		n, _ := strconv.Atoi(found[1])
		counts = append(counts, n)
	}
	return counts, nil
}

// iptablesStateful accepts what belongs to a tracked connection, and new ones from side A.
func (l *lab) iptablesStateful(c Cell) error {
	state := func(s string) []string { return []string{"-m", "conntrack", "--ctstate", s, "-j", "ACCEPT"} }
	rules := append(missingRules(c.ExtraRules), state("RELATED,ESTABLISHED"), append([]string{"-i", dutIn}, state("NEW")...), []string{"-j", "DROP"})
	return l.add(chainOfRules{IptablesProgram(c.Iptables), "filter", "FORWARD"}, rules)
}

// iptablesNAT gives everything from side A the DUT's address on side B.
func (l *lab) iptablesNAT(c Cell) error {
	rules := append(missingRules(c.ExtraRules),
		[]string{"-s", l.sideA.Net4.String(), "-o", dutOut, "-j", "SNAT", "--to-source", l.sideB.DUT4.Addr().String()})
	return l.add(chainOfRules{IptablesProgram(c.Iptables), "nat", "POSTROUTING"}, rules)
}

// missingRules look at the source address and do not match.
func missingRules(n int) (rules [][]string) {
	for i := range n {
		rules = append(rules, []string{"-s", missingNetwork(i).String(), "-j", "RETURN"})
	}
	return rules
}

// checkRules holds the rules' counters to the packets: those that start a flow pass the
// rule for new connections, which stands last (SNAT) or last but one (before the drop).
func (l *lab) checkRules(m *Measured) error {
	if l.rules == nil {
		return nil
	}
	counts, err := l.rules.packets()
	if err != nil {
		return err
	}
	deciding := len(counts) - 1
	if l.rules.table == "filter" {
		deciding--
	}
	for i, n := range counts {
		switch {
		case i == deciding:
			m.RulePackets = n
			if n != m.Flows {
				return fmt.Errorf("the rule for new connections in chain %s counted %d packets of %d flows: the rules do not do what they say", l.rules.chain, n, m.Flows)
			}
		case i > deciding && n > 0:
			return fmt.Errorf("the rule that drops in chain %s counted %d packets", l.rules.chain, n)
		}
	}
	return nil
}
