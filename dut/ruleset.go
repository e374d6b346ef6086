package dut

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/plan"
)

// nftRuleset and iptablesRuleset forward through a user's own rules, or through as many
// generated ones as the plan says.
var (
	nftRuleset      = kind{steps: nftRulesetSteps, refine: refineRuleset}
	iptablesRuleset = kind{steps: iptablesRulesetSteps, refine: refineRuleset}
)

// statefulRule finds what makes rules need connection tracking, in the words of nftables
// and of iptables.
var statefulRule = regexp.MustCompile(`(?i)\b(ct|conntrack|ctstate|state|nat|snat|dnat|masquerade|redirect|connmark|synproxy|flow\s+add)\b`)

// refineRuleset looks at a user's own rules: whether the DUT tracks flows decides if
// replies are learned and the table is sized.
func refineRuleset(s Scenario, k *kind) {
	if s.Plan.Ruleset.File == "" {
		return
	}
	k.anyRewrite = true
	if rules, err := os.ReadFile(s.Plan.Ruleset.File); err == nil {
		k.tracked = statefulRule.Match(withoutComments(rules))
	}
}

func withoutComments(rules []byte) []byte {
	return regexp.MustCompile(`(?m)^\s*#.*$`).ReplaceAll(rules, nil)
}

// ownRules are the rules of the user's file.
func (s Scenario) ownRules() (string, error) {
	rules, err := os.ReadFile(s.Plan.Ruleset.File)
	if err != nil {
		return "", &MissingError{Tool: "the rules file of ruleset.file", Reason: fmt.Sprintf("cannot be read: %v", err), Hint: "name a file that is there, or leave ruleset.file out to have rules generated"}
	}
	return string(rules), nil
}

// nftRulesetSteps load rules by nft. A user's own rules are passed on its standard input,
// so that the record holds them, and errors name the file with line and column.
func nftRulesetSteps(s Scenario) ([]Step, error) {
	if err := requireTools("nft"); err != nil {
		return nil, err
	}
	r := s.Plan.Ruleset
	if r.File == "" {
		family := "ip"
		if s.Cell.IPVersion == 6 {
			family = "ip6"
		}
		return s.nft(family, "linerate", s.nftRules(family)), nil
	}
	rules, err := s.ownRules()
	if err != nil {
		return nil, err
	}
	load := s.command("nft", "-I", filepath.Dir(r.File), "-f", "-")
	load.Stdin, load.StdinName = rules, r.File
	return []Step{{Do: load, Undo: s.command("nft", "flush", "ruleset"), Atomic: true}}, nil
}

// nftRules is a chain of rules that compare the source address, as most rules of a
// firewall do, with an address that no test frame has, but for the one that is to match.
func (s Scenario) nftRules(family string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "table %s linerate {\n\tchain forward {\n\t\ttype filter hook forward priority filter; policy accept;\n", family)
	s.eachRule(func(source string, matches bool) {
		verdict := "drop"
		if matches {
			verdict = "counter accept"
		}
		fmt.Fprintf(&b, "\t\t%s saddr %s %s\n", family, source, verdict)
	})
	b.WriteString("\t}\n}\n")
	return b.String()
}

// eachRule calls f with the source address of each generated rule in its order.
func (s Scenario) eachRule(f func(source string, matches bool)) {
	block, testFrames := plan.Block4, "198.18.0.0/15"
	if s.Cell.IPVersion == 6 {
		block, testFrames = plan.Block6, "2001:2::/48"
	}
	hit := -1
	switch s.Plan.Ruleset.Hit {
	case plan.HitFirst:
		hit = 0
	case plan.HitLast:
		hit = s.Plan.Ruleset.Rules - 1
	}
	for i := range s.Plan.Ruleset.Rules {
		if i == hit {
			f(testFrames, true)
		} else {
			f(frame.Subnet(block, block.Addr().BitLen(), i+1).Addr().String(), false)
		}
	}
}

// iptablesRulesetSteps load rules by iptables-restore, which takes the rules of all
// tables at once.
func iptablesRulesetSteps(s Scenario) ([]Step, error) {
	tool := "iptables-restore"
	if s.Cell.IPVersion == 6 {
		tool = "ip6tables-restore"
	}
	if err := requireTools(tool); err != nil {
		return nil, err
	}
	rules := s.iptablesRules()
	if s.Plan.Ruleset.File != "" {
		var err error
		if rules, err = s.ownRules(); err != nil {
			return nil, err
		}
	}
	load, clear := s.command(tool, "-w"), s.command(tool, "-w")
	load.Stdin, clear.Stdin = rules, emptied(rules)
	load.StdinName = s.Plan.Ruleset.File
	// Each table is loaded at once, a later one may fail: what was loaded is undone.
	return []Step{{Do: load, Undo: clear}}, nil
}

func (s Scenario) iptablesRules() string {
	var b strings.Builder
	b.WriteString("*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n")
	s.eachRule(func(source string, matches bool) {
		target := "DROP"
		if matches {
			target = "ACCEPT"
		}
		fmt.Fprintf(&b, "-A FORWARD -s %s -j %s\n", source, target)
	})
	b.WriteString("COMMIT\n")
	return b.String()
}

// builtinChains are the chains that the tables of iptables have by themselves (iptables(8)).
var builtinChains = map[string][]string{
	"filter":   {"INPUT", "FORWARD", "OUTPUT"},
	"nat":      {"PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"},
	"mangle":   {"PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"},
	"raw":      {"PREROUTING", "OUTPUT"},
	"security": {"INPUT", "FORWARD", "OUTPUT"},
}

// emptied is the input of iptables-restore that leaves no rule in the tables that the
// given rules are for.
func emptied(rules string) string {
	var b strings.Builder
	for line := range strings.Lines(rules) {
		table, isTable := strings.CutPrefix(strings.TrimSpace(line), "*")
		chains, known := builtinChains[table]
		if !isTable || !known {
			continue
		}
		fmt.Fprintf(&b, "*%s\n", table)
		for _, chain := range chains {
			fmt.Fprintf(&b, ":%s ACCEPT [0:0]\n", chain)
		}
		b.WriteString("COMMIT\n")
	}
	return b.String()
}
