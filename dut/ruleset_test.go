package dut

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/plan"
)

// output is what a tool prints inside a namespace.
func output(t *testing.T, ns string, argv ...string) string {
	t.Helper()
	var out []byte
	err := netns.Do(ns, func() (err error) {
		out, err = exec.Command(argv[0], argv[1:]...).CombinedOutput()
		return err
	})
	if err != nil {
		t.Fatalf("%v: %v: %s", argv, err, out)
	}
	return string(out)
}

// listed are the rules of a namespace by the tool that scenarios of that name use.
func listed(t *testing.T, s Scenario) string {
	t.Helper()
	switch {
	case s.Cell.Scenario == "nft-ruleset":
		return output(t, s.DUT.Netns, "nft", "list", "ruleset")
	case s.Cell.IPVersion == 6:
		return output(t, s.DUT.Netns, "ip6tables-save")
	}
	return output(t, s.DUT.Netns, "iptables-save")
}

// applyOnce applies a scenario, lets the test look at it, and undoes it.
func applyOnce(t *testing.T, s Scenario, look func()) {
	t.Helper()
	steps, err := s.Steps()
	if err != nil {
		t.Fatal(err)
	}
	applied, err := Apply(steps, openJournal(t))
	if err != nil {
		t.Fatal(err)
	}
	look()
	if err := applied.Undo(); err != nil {
		t.Error(err)
	}
}

// TestGeneratedRules counts the rules that the kernel has, and finds the one that matches
// at its place.
func TestGeneratedRules(t *testing.T) {
	needTools(t)
	const n = 40
	for _, scenario := range []string{"nft-ruleset", "iptables-ruleset"} {
		for _, version := range []int{4, 6} {
			for hit, at := range map[string]int{plan.HitFirst: 0, plan.HitLast: n - 1, plan.HitNone: -1} {
				t.Run(scenario+"/"+hit, func(t *testing.T) {
					s := scenarioOf(scenario, version, 1, namespace(t))
					s.Plan.Ruleset = plan.Ruleset{Rules: n, Hit: hit}
					applyOnce(t, s, func() {
						count, accepts := 0, -1
						for line := range strings.Lines(listed(t, s)) {
							if !strings.Contains(line, " saddr ") && !strings.HasPrefix(line, "-A FORWARD -s ") {
								continue
							}
							if strings.Contains(strings.ToLower(line), "accept") {
								accepts = count
							}
							count++
						}
						if count != n || accepts != at {
							t.Errorf("%d rules of which number %d accepts, want %d and %d", count, accepts, n, at)
						}
					})
					if left := listed(t, s); strings.Contains(left, "saddr") || strings.Contains(left, "-A ") {
						t.Errorf("rules are left:\n%s", left)
					}
				})
			}
		}
	}
}

func rulesFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my.rules")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOwnRules loads files that a user could write, and undoes them to the last chain.
func TestOwnRules(t *testing.T) {
	needTools(t)
	for _, tt := range []struct {
		name, scenario, rules, has string
		tracked                    bool
	}{
		{"plain nft", "nft-ruleset", "flush ruleset\n# no ct here\ntable ip mine {\n  chain c {\n    type filter hook forward priority 0;\n    tcp dport 22 drop\n  }\n}\n", "tcp dport 22 drop", false},
		{"stateful nft", "nft-ruleset", "table inet mine {\n  chain c {\n    type filter hook forward priority 0;\n    ct state invalid drop\n  }\n}\n", "ct state invalid drop", true},
		{"plain iptables", "iptables-ruleset", "*filter\n:FORWARD DROP [0:0]\n:mine - [0:0]\n-A FORWARD -j mine\n-A mine -p udp -j ACCEPT\nCOMMIT\n", "-A mine -p udp -j ACCEPT", false},
		{"iptables with NAT", "iptables-ruleset", "*nat\n-A POSTROUTING -o db -j MASQUERADE\nCOMMIT\n*mangle\n-A FORWARD -j MARK --set-mark 7\nCOMMIT\n", "-j MASQUERADE", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := scenarioOf(tt.scenario, 4, 1, namespace(t))
			s.Plan.Ruleset.File = rulesFile(t, tt.rules)
			if s.Tracked() != tt.tracked || !s.AnyRewrite() {
				t.Errorf("tracked %v, any rewrite %v; want %v and true", s.Tracked(), s.AnyRewrite(), tt.tracked)
			}
			applyOnce(t, s, func() {
				if got := listed(t, s); !strings.Contains(got, tt.has) {
					t.Errorf("the rules lack %q:\n%s", tt.has, got)
				}
			})
			left := listed(t, s)
			for _, sign := range []string{"table ip mine", "mine", "-A ", "DROP"} {
				if strings.Contains(left, sign) {
					t.Errorf("%q is left:\n%s", sign, left)
				}
			}
		})
	}
}

// TestRulesWithMistakes are refused with the file, the line and, by nft, the column.
func TestRulesWithMistakes(t *testing.T) {
	needTools(t)
	for _, tt := range []struct{ scenario, rules, says string }{
		{"nft-ruleset", "table ip mine {\n  chain c {\n    tcp dprot 22 drop\n  }\n}\n", "my.rules:3:9-13: Error: syntax error"},
		{"nft-ruleset", "add rule ip nowhere c drop\n", "my.rules:1:13-19: Error:"},
		{"iptables-ruleset", "*filter\n-A FORWARD -p udp --dport 1 -j ACCEPT\n-A FORWARD -p udp --dprot 1 -j ACCEPT\nCOMMIT\n", "Error occurred at line: 3"},
	} {
		s := scenarioOf(tt.scenario, 4, 1, namespace(t))
		s.Plan.Ruleset.File = rulesFile(t, tt.rules)
		steps, err := s.Steps()
		if err != nil {
			t.Fatal(err)
		}
		_, err = Apply(steps, openJournal(t))
		checkRefused(t, err, tt.says)
		checkRefused(t, err, "my.rules:")
		if left := listed(t, s); strings.Contains(left, "dport 1") {
			t.Errorf("a rule is left:\n%s", left)
		}
	}
	s := scenarioOf("nft-ruleset", 4, 1, "dut")
	s.Plan.Ruleset.File = "/nonexistent/my.rules"
	_, err := s.Steps()
	checkRefused(t, err, "the rules file of ruleset.file cannot be read: open /nonexistent/my.rules: no such file or directory")
}
