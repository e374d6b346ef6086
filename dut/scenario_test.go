package dut

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
)

func init() { runtime.LockOSThread() }

var update = flag.Bool("update", false, "write the golden files anew")

func scenarioOf(spelling string, version, flows int, netns string) Scenario {
	a, b := testbed.Benchmarking("da", "db")
	a.Netns, a.TesterMAC = netns, net.HardwareAddr{2, 0, 0x5e, 0x10, 0, 0x0a}
	b.Netns, b.TesterMAC = netns, net.HardwareAddr{2, 0, 0x5e, 0x10, 0, 0x0d}
	s := plan.Scenario(spelling)
	p := plan.Default()
	p.Limit, p.Ruleset.Rules, p.Routes.Prefixes = plan.Limit{PPS: 50_000, BurstPackets: 64}, 3, 1000
	p.Custom.Setup, p.Custom.Teardown = []string{"ip link set dev $DUT_B txqueuelen 77"}, []string{"ip link set dev $DUT_B txqueuelen 1000"}
	return Scenario{
		CPUs: []int{0}, ProcessDir: "/run/linerate/test.processes",
		Cell: plan.Cell{Scenario: s.Name(), Backend: s.Backend(), IPVersion: version, Flows: flows, FrameSize: 84, Directions: plan.Uni, PathCount: 2},
		Plan: p,
		DUT:  testbed.DUT{Netns: netns, A: a, B: b, Queues: 1, MTUBytes: 1500},
	}
}

// spellings are all scenarios with each of their backends, each once.
func spellings() []string {
	var all []string
	for _, info := range plan.Scenarios() {
		if len(info.Backends) < 2 {
			all = append(all, info.Name)
			continue
		}
		for _, backend := range info.Backends {
			all = append(all, info.Name+"-"+backend)
		}
	}
	return all
}

// needTools skips where a scenario's tools are missing.
func needTools(t *testing.T) {
	t.Helper()
	testenv.Need(t, "the tools of all scenarios", requireTools("nft", "iptables", "ip6tables", "ip", "ethtool", "bird", "birdc", testpmdTool, "ovs-vsctl", ovsDPDKBuild, ovsPlainBuild))
}

func TestSteps(t *testing.T) {
	needTools(t)
	var b strings.Builder
	for _, spelling := range spellings() {
		for _, version := range []int{4, 6} {
			steps, err := scenarioOf(spelling, version, 10_000, "dut").Steps()
			if err != nil {
				t.Fatalf("%s, IPv%d: %v", spelling, version, err)
			}
			fmt.Fprintf(&b, "== %s, IPv%d\n", spelling, version)
			for _, s := range steps {
				if s.Do.Kind != "" {
					b.WriteString(s.Do.String())
				}
				switch {
				case s.AtLeast:
					b.WriteString(" (at least)")
				case s.Undo.Kind != "":
					b.WriteString("\n    undo: " + s.Undo.String())
				}
				b.WriteByte('\n')
			}
		}
	}
	const golden = "testdata/steps.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the steps are not those of %s; if they should be, run the test with -update:\n%s", golden, b.String())
	}
}

// TestSetup applies every scenario and compares what a report shows with the steps.
func TestSetup(t *testing.T) {
	needTools(t)
	first := map[string]string{"nft": "# nftables v", "iptables": "# iptables v", "ip6tables": "# ip6tables v", "ip": "# ip utility, iproute2-", "bridge": "# bridge utility, ", "ethtool": "# ethtool version ",
		"iptables-restore": "# iptables-restore v", "ip6tables-restore": "# ip6tables-restore v", "bird": "# BIRD version 2.",
		"ovsdb-server": "# ovsdb-server (Open vSwitch) ", "ovs-vsctl": "# ovs-vsctl (Open vSwitch) ", "ovs-ofctl": "# ovs-ofctl (Open vSwitch) ", ovsPlainBuild: "# ovs-vswitchd (Open vSwitch) "}
	for _, spelling := range spellings() {
		for _, version := range []int{4, 6} {
			t.Run(fmt.Sprintf("%s/v%d", spelling, version), func(t *testing.T) {
				s := scenarioOf(spelling, version, 100, namespace(t))
				s.ProcessDir = shortFolder(t)
				steps, err := s.Steps()
				if err != nil {
					t.Fatal(err)
				}
				j := openJournal(t)
				applied, err := Apply(steps, j)
				if spelling == "flowtable" && !kernelHasFlowtables(t) {
					checkRefused(t, err, "nf_flow_table is not in this kernel; boot one with CONFIG_NF_FLOW_TABLE")
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				setup := applied.Setup
				known := map[string]bool{}
				for _, step := range steps {
					if step.Do.Kind != journal.Command && step.Do.Kind != journal.StartProcess || step.VersionLine != "" {
						continue
					}
					tool := step.Do.Argv[0]
					if step.Do.Kind == journal.StartProcess {
						tool = cmp.Or(step.Do.Process.Program, tool)
					}
					if known[tool] || tool == "sh" {
						continue
					}
					known[tool] = true
					if len(setup) == 0 || !strings.HasPrefix(setup[0], first[tool]) {
						t.Fatalf("setup goes on with %q, want the version of %s", setup, tool)
					}
					setup = setup[1:]
				}
				for _, step := range steps {
					if step.VersionLine != "" && len(setup) > 0 && strings.HasPrefix(setup[0], "# "+step.Do.Argv[0]+": ") {
						setup = setup[1:]
					}
					if len(setup) > 0 && setup[0] == step.Do.String() {
						setup = setup[1:]
					} else if !step.AtLeast && !step.IfPresent && step.IfAbsent == "" && step.Do.Kind != "" {
						t.Errorf("the setup lacks %q in its place", step.Do)
					}
				}
				if len(setup) > 0 {
					t.Errorf("the setup has lines that are not steps: %q", setup)
				}
				if err := s.Check(); err != nil {
					t.Error(err)
				}
				if err := applied.Undo(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// shortFolder is a name for a folder in which the sockets of processes fit into the 108 bytes
// that a path of one may have.
func shortFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lr")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err) // something was left in it
		}
	})
	return dir + "/p"
}

// kernelHasFlowtables looks for the code of nft_flow_offload, a module that is loaded on demand.
func kernelHasFlowtables(t *testing.T) bool {
	t.Helper()
	symbols, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	_, missing := exec.Command("modinfo", "nft_flow_offload").Output()
	return strings.Contains(string(symbols), "nft_flow_offload_eval") || missing == nil
}

func checkRefused(t *testing.T, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "delete table") {
		t.Fatalf("error %v does not say %q and that alone", err, says)
	}
}

func TestMissingTool(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, tt := range []struct {
		spelling      string
		version       int
		tool, install string
	}{
		{"conntrack", 4, "nft", "nftables"},
		{"conntrack-iptables", 4, "iptables", "iptables"},
		{"conntrack-iptables", 6, "ip6tables", "iptables"},
		{"snat-nft", 6, "nft", "nftables"},
		{"snat-iptables", 4, "iptables", "iptables"},
		{"snat-iptables", 6, "ip6tables", "iptables"},
		{"limit", 4, "nft", "nftables"},
		{"bridge", 4, "ip", "iproute2"},
		{"testpmd", 4, "dpdk-testpmd", "dpdk-dev"},
		{"ovs", 4, "ovs-vsctl", "openvswitch-switch"},
		{"flowtable", 4, "nft", "nftables"},
		{"nft-ruleset", 6, "nft", "nftables"},
		{"iptables-ruleset", 4, "iptables-restore", "iptables"},
		{"iptables-ruleset", 6, "ip6tables-restore", "iptables"},
	} {
		_, err := scenarioOf(tt.spelling, tt.version, 1, "dut").Steps()
		var missing *MissingError
		if !errors.As(err, &missing) || missing.Tool != tt.tool || !strings.Contains(err.Error(), tt.tool+" is not installed; install it with `apt-get install "+tt.install+"`") {
			t.Errorf("%s, IPv%d: %v, want a MissingError of %s", tt.spelling, tt.version, err, tt.tool)
		}
	}
	for _, spelling := range []string{"none", "route", "routes", "custom"} {
		if _, err := scenarioOf(spelling, 4, 1, "dut").Steps(); err != nil {
			t.Errorf("%s needs no tool: %v", spelling, err)
		}
	}
}

func TestUnknownScenario(t *testing.T) {
	if _, err := scenarioOf("nonesuch", 4, 1, "dut").Steps(); err == nil || !strings.Contains(err.Error(), "linerate plans") {
		t.Errorf("%v, want an error that says what there is", err)
	}
}
