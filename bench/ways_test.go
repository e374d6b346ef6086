package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// counted are the packets of all rules with a counter in the DUT.
func counted(t *testing.T, b bed, argv ...string) (packets uint64) {
	t.Helper()
	var out []byte
	err := netns.Do(b.lab.DUT.Netns, func() (err error) {
		out, err = exec.Command(argv[0], argv[1:]...).Output()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`counter packets (\d+) |(?m)^\[(\d+):\d+\] -A`).FindAllStringSubmatch(string(out), -1) {
		n, _ := strconv.ParseUint(m[1]+m[2], 10, 64)
		packets += n
	}
	return packets
}

// TestEveryPacketMeetsTheRule requires that the counter of the last of many rules counts
// every frame, that of a first rule too, and that none is counted where none matches.
func TestEveryPacketMeetsTheRule(t *testing.T) {
	for _, scenario := range []plan.Scenario{"nft-ruleset", "iptables-ruleset"} {
		for _, version := range []int{4, 6} {
			for _, hit := range []string{plan.HitLast, plan.HitFirst, plan.HitNone} {
				cell := cellOf(scenario, version, 200, plan.Bi)
				t.Run(cell.ID()+"/"+hit, func(t *testing.T) {
					p := testPlan()
					p.Ruleset = plan.Ruleset{Rules: 50, Hit: hit}
					b := openBed(t, p, cell)
					list := []string{"nft", "list", "ruleset"}
					if scenario == "iptables-ruleset" {
						list = []string{map[int]string{4: "iptables-save", 6: "ip6tables-save"}[version], "-c"}
					}
					before := counted(t, b, list...)
					r := b.measure(t, 5_000, 200*time.Millisecond)
					after := counted(t, b, list...)
					want := r.Sent
					if hit == plan.HitNone {
						want = 0
					}
					if r.Sent < 1900 || r.Received+r.Lost != r.Sent || after-before > want || after-before < want-r.Lost {
						t.Errorf("the rule counts %d of %d frames sent, %d received", after-before, r.Sent, r.Received)
					}
				})
			}
		}
	}
}

// TestRoutesCarryTheFlows sends to many prefixes: each frame arrives at the sink, with a
// destination of its flow, and takes one of the many routes and not the one to side B.
func TestRoutesCarryTheFlows(t *testing.T) {
	for _, version := range []int{4, 6} {
		for _, directions := range []plan.Direction{plan.Uni, plan.Bi} {
			cell := cellOf("routes", version, 500, directions)
			t.Run(cell.ID(), func(t *testing.T) {
				p := testPlan()
				p.Routes.Prefixes = 20_000
				b := openBed(t, p, cell)
				prefixes := map[string]bool{}
				for _, f := range b.station.flows {
					if b.lab.DUT.B.Net4.Contains(f.Destination) || b.lab.DUT.B.Net6.Contains(f.Destination) {
						t.Fatalf("flow %v goes to the network of side B", f)
					}
					prefixes[f.Destination.String()] = true
				}
				// 500 draws of 20,000 meet 494 different ones or so.
				if n := len(prefixes); n < 480 {
					t.Errorf("flows to %d prefixes only", n)
				}
				checkClean(t, b.undisturbed(t, 10_000, 200*time.Millisecond))
			})
		}
	}
}

// TestMillionRoutes forwards with a million routes.
func TestMillionRoutes(t *testing.T) {
	for _, version := range []int{4, 6} {
		t.Run(fmt.Sprintf("IPv%d", version), func(t *testing.T) {
			p := testPlan()
			p.Routes.Prefixes = plan.MaxPrefixes
			free := available(t)
			start := time.Now()
			b := openBed(t, p, cellOf("routes", version, 10_000, plan.Uni))
			t.Logf("a lab with %d routes in %v, %d MiB of memory", p.Routes.Prefixes, time.Since(start), (free-available(t))>>20)
			r := b.undisturbed(t, 10_000, 200*time.Millisecond)
			checkClean(t, r)
		})
	}
}

func available(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`MemAvailable: +(\d+) kB`).FindSubmatch(text)
	kib, _ := strconv.Atoi(string(m[1]))
	return kib << 10
}

// TestCustomForwards makes a router and a bridge by a user's own commands.
func TestCustomForwards(t *testing.T) {
	for name, custom := range map[string]plan.Custom{
		"router with masquerading": {Setup: []string{"nft add table ip mine", "nft add chain ip mine post '{ type nat hook postrouting priority srcnat; }'", "nft add rule ip mine post oifname $DUT_B masquerade"}},
		"bridge": {Layer2: true, Setup: []string{"ip link add br7 type bridge", "sysctl -qw net.bridge.bridge-nf-call-iptables=0", "ip link set $DUT_A master br7", "ip link set $DUT_B master br7",
			"bridge fdb add $TESTER_MAC_A dev $DUT_A master static", "bridge fdb add $TESTER_MAC_B dev $DUT_B master static", "ip link set br7 up"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := testPlan()
			custom.Timeout = plan.Duration(time.Minute)
			p.Custom = custom
			b := openBed(t, p, cellOf("custom", 4, 200, plan.Bi))
			checkClean(t, b.undisturbed(t, 10_000, 200*time.Millisecond))
		})
	}
}

// short makes the search of a cell end early.
var short = []string{"search.goals=PDR", "search.goals.PDR.trial_duration=200ms", "search.goals.PDR.duration_sum=200ms", "search.goals.PDR.width=20%", "search.max_trial_time=3s", "traffic.flows=100", "trial.drain_quiet=20ms"}

// TestMistakesSkipTheirCells gives rules that nft refuses, rules that let nothing pass, and
// commands that fail: each cell says why it has no figure, and the next is measured.
func TestMistakesSkipTheirCells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my.nft")
	for _, tt := range []struct{ scenario, rules, says string }{
		{"nft-ruleset", "table ip mine {\n  chain c {\n    tcp dprot 22 drop\n  }\n}\n", path + ":3:9-13: Error: syntax error"},
		{"nft-ruleset", "table ip mine {\n  chain c {\n    type filter hook forward priority 0; policy drop;\n  }\n}\n", "no frame of 100 of the 100 flows came through the DUT"},
		{"iptables-ruleset", "*filter\n-A FORWARD -p udp --dprot 1 -j ACCEPT\nCOMMIT\n", path + ": iptables-restore"},
		{"custom", "", "no such thing"},
	} {
		if err := os.WriteFile(path, []byte(tt.rules), 0o644); err != nil {
			t.Fatal(err)
		}
		run, _, _, err := runPlan(t, t.Context(), append(short, "custom.setup=echo no such thing; exit 1", "ruleset.file="+path, "scenarios="+tt.scenario+",route")...)
		if err != nil {
			t.Fatal(err)
		}
		if c := run.Cells[0]; !strings.Contains(c.Skipped, tt.says) || c.HasResults() {
			t.Errorf("%s: skipped %q, want %q", c.ID, c.Skipped, tt.says)
		}
		if c := run.Cells[1]; c.Skipped != "" || !c.HasResults() || run.Outcome != result.Measured {
			t.Errorf("%s: skipped %q", c.ID, c.Skipped)
		}
	}
}

// TestSweepOfRules finds that a thousand rules cost far more than none.
func TestSweepOfRules(t *testing.T) {
	run, _, _, err := runPlan(t, t.Context(), append(short, "scenarios=nft-ruleset", "sweep.field=ruleset.rules", "sweep.values=0,1000", "sweep.repeats=2")...)
	if err != nil {
		t.Fatal(err)
	}
	points := run.Sweep.Curves[0].Points
	t.Logf("%v pps without rules, %v with 1000", points[0].PPS, points[1].PPS)
	if points[1].EstimatePPS <= 0 || points[1].EstimatePPS > points[0].EstimatePPS/3 {
		t.Errorf("%.0f pps without rules, %.0f with 1000", points[0].EstimatePPS, points[1].EstimatePPS)
	}
}
