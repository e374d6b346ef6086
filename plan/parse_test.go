package plan

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares text with a file of testdata, or writes the file with -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if g, w := lineAt(gotLines, i), lineAt(wantLines, i); g != w {
			t.Errorf("%s differs from line %d on (accept it with -update)\ngot  %s\nwant %s", path, i+1, g, w)
			return
		}
	}
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(no line)"
}

func TestAllProblemsAtOnce(t *testing.T) {
	data, err := os.ReadFile("testdata/everything-wrong.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("everything-wrong.yaml", data)
	if !reflect.DeepEqual(got, Plan{}) {
		t.Errorf("a bad plan came back as %+v", got)
	}
	problems, ok := errors.AsType[*Problems](err)
	if !ok {
		t.Fatalf("error is %T, want *Problems", err)
	}
	for _, p := range *problems {
		if p.Line == 0 || p.Column == 0 {
			t.Errorf("no place: %s", p)
		}
	}
	golden(t, "testdata/everything-wrong.golden", err.Error()+"\n")
}

func TestParseFillsDefaults(t *testing.T) {
	got, err := Parse("dir/mine.yaml", []byte("traffic:\n  flows: [7]\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Name = "mine"
	want.Traffic.Flows = []int{7}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseGoals(t *testing.T) {
	got, err := Parse("x.yaml", []byte(`search: {goals: [{name: PDR, width: 1%}, {name: rfc2544, loss_ratio: 0, trial_duration: 20s, duration_sum: 60s}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultGoals()
	want[0] = want[1]
	want[0].Width = 0.01
	want[1] = goalOf("rfc2544", 0)
	want[1].TrialDuration, want[1].DurationSum = 20e9, 60e9
	if !reflect.DeepEqual(got.Search.Goals, want) {
		t.Errorf("got  %+v\nwant %+v", got.Search.Goals, want)
	}
}

func TestParseReadsAliasesAndJSON(t *testing.T) {
	for _, text := range []string{
		"traffic: {flows: &f [1, 2]}\nlab: {dut_cpus: *f}\n",
		"lab: {dut_cpus: [&a 1, 2]}\ntraffic: {flows: [*a, 2]}\n",
		`{"traffic": {"flows": [1, 2]}, "lab": {"dut_cpus": [2, 1]}}`,
		"lab: {dut_cpus: 1-2}\ntraffic: {flows: [1, 2]}\n---\n",
	} {
		p, err := Parse("x.yaml", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if !reflect.DeepEqual(p.Traffic.Flows, []int{1, 2}) || p.Lab.DUTCPUs.String() != "1-2" {
			t.Errorf("%s: flows %v, CPUs %v", text, p.Traffic.Flows, p.Lab.DUTCPUs)
		}
	}
}

const jumbo = "traffic: {frame_size: [9018]}"

var badPlans = []struct{ name, yaml, want string }{
	{"empty", "", "p.yaml: is empty; start from a shipped plan, such as baseline"},
	{"comment only", "# nothing\n", "p.yaml: is empty; start from a shipped plan, such as baseline"},
	{"null", "~", "p.yaml: is empty; start from a shipped plan, such as baseline"},
	{"text", "hello world", `p.yaml:1:1: is not a plan: a plan is a mapping of fields, this is the value "hello world"; start from a shipped plan, such as baseline`},
	{"list", "- a", "p.yaml:1:1: is not a plan: a plan is a mapping of fields, this is a list; start from a shipped plan, such as baseline"},
	{"not YAML", "a: [1,\nb: 2\n", "p.yaml:3:1: is not YAML: did not find expected ',' or ']'"},
	{"binary", "\x7fELF\x00\x01", "p.yaml: is not YAML: control characters are not allowed (value: 0)"},
	{"tab", "a:\n\tb: 1\n", "p.yaml:2:1: is not YAML: found character that cannot start any token; indent with spaces, not with tabs"},
	{"two documents", "name: a\n---\nname: b\n", "p.yaml:2:1: a second document begins here; a file holds one plan: move the second into a file of its own"},
	{"too large", strings.Repeat("#", maxFileBytes+1), "p.yaml: is larger than 1 MiB: not a plan"},
	{"list as key", "? [1]\n: 2\n", `p.yaml:1:3: unknown field ""; a field's name is one plain word`},
	{"own tag", "traffic: !mine {}\n", `p.yaml:1:10: traffic: unknown tag "!mine"; remove the tag`},

	{"unknown field", "lab: {dut_cpu: 1}", "p.yaml:1:7: lab.dut_cpu: unknown field; did you mean lab.dut_cpus?"},
	{"field of another group", "flows: [1]", "p.yaml:1:1: flows: unknown field; did you mean traffic.flows?"},
	{"goal's unknown field", "search: {goals: [{name: NDR, loss: 0}]}", "p.yaml:1:30: search.goals[0].loss: unknown field; did you mean search.goals[0].loss_ratio?"},
	{"group of another group", "goals: []", "p.yaml:1:1: goals: unknown field; did you mean search.goals?"},
	{"far field", "limit: {zebra: 1}", "p.yaml:1:9: limit.zebra: unknown field; the fields of limit are pps, burst_packets"},
	{"twice", "name: a\nname: b", "p.yaml:2:1: name: is given twice, first in line 1; keep one of them"},
	{"no value", "limit: {pps: }", "p.yaml:1:14: limit.pps: has no value, needs a whole number; give it a value, or remove the line"},
	{"no group", "limit:\n", "p.yaml:1:7: limit: needs a mapping of fields, not nothing; the fields of limit are pps, burst_packets"},
	{"no list", "traffic: {flows: 10}", "p.yaml:1:18: traffic.flows: needs a list, not the value \"10\"; write [10]"},
	{"list for a value", "limit: {pps: [1]}", "p.yaml:1:14: limit.pps: needs a whole number, not a list"},
	{"quoted number", `limit: {pps: "10"}`, `p.yaml:1:14: limit.pps: "10" is not a whole number; write 10`},
	{"grouped number", `limit: {pps: "10,000"}`, `p.yaml:1:14: limit.pps: "10,000" is not a whole number; write 10000`},
	{"exponent", "limit: {pps: 1e5}", `p.yaml:1:14: limit.pps: "1e5" is not a whole number; write 100000`},
	{"number with a suffix", "limit: {pps: 100k}", `p.yaml:1:14: limit.pps: "100k" is not a whole number; write 100000`},
	{"number with a unit", "lab: {mtu_bytes: 9000 bytes}", `p.yaml:1:18: lab.mtu_bytes: "9000 bytes" is not a whole number; write 9000`},
	{"load with a suffix", "search: {max_load_pps: 1.5 Mpps}", `p.yaml:1:24: search.max_load_pps: "1.5 Mpps" is not a number; write 1500000`},
	{"infinite load", "search: {max_load_pps: .inf}", `p.yaml:1:24: search.max_load_pps: ".inf" is not a number`},

	{"no flows", "traffic: {flows: [0]}", "p.yaml:1:19: traffic.flows[0]: 0 flows: a cell needs 1 to 1,000,000 flows"},
	{"too many flows", "traffic: {flows: [1, 1000001]}", "p.yaml:1:22: traffic.flows[1]: 1,000,001 flows: a cell needs 1 to 1,000,000 flows"},
	{"empty list", "traffic: {flows: []}", "p.yaml:1:18: traffic.flows: is empty: a plan needs at least one number of flows; leave the line out to have the default"},
	{"no scenarios", "scenarios: []", "p.yaml:1:12: scenarios: is empty: a plan needs at least one scenario; leave the line out to have the default"},
	{"no goals", "search: {goals: []}", "p.yaml:1:17: search.goals: is empty: a search needs at least one goal; leave the line out to have NDR and PDR"},
	{"same flows", "traffic: {flows: [1, 2, 1]}", "p.yaml:1:25: traffic.flows[2]: 1 is the same as traffic.flows[0]; remove one of them"},
	{"same backend", "scenarios: [snat, snat-nft]", "p.yaml:1:19: scenarios[1]: snat-nft is the same as scenarios[0]; remove one of them"},

	{"jumbo", jumbo, "p.yaml:1:24: traffic.frame_size[0]: 9,018 B does not fit: lab.mtu_bytes 1500 carries frames up to 1,518 B; set lab.mtu_bytes to 9000 or more"},
	{"small MTU", "lab: {mtu_bytes: 45}", "p.yaml:1:18: lab.mtu_bytes: 45 is out of range: 68 to 65,535 bytes"},
	{"MTU below the default size", "lab: {mtu_bytes: 500}\ntraffic: {frame_size: [512, 519]}", "p.yaml:2:29: traffic.frame_size[1]: 519 B does not fit: lab.mtu_bytes 500 carries frames up to 518 B; set lab.mtu_bytes to 501 or more"},
	{"imix and MTU", "lab: {mtu_bytes: 1400}\ntraffic: {frame_size: [imix]}", "p.yaml:2:24: traffic.frame_size[0]: IMIX (up to 1,518 B) does not fit: lab.mtu_bytes 1400 carries frames up to 1,418 B; set lab.mtu_bytes to 1500 or more"},
	{"short", "traffic: {frame_size: [63]}", "p.yaml:1:24: traffic.frame_size[0]: 63 B is below the least frame of 64 B (46 bytes of IPv4 packet, 18 of Ethernet header and FCS)"},
	{"default size under IPv6", "traffic: {ip_version: [6]}", "p.yaml:1:23: traffic.frame_size[0]: 64 B is too small for IPv6: 84 B is the least that holds the 18 bytes that mark a test frame; set traffic.frame_size to 84 or more, or ip_version to [4]"},
	{"83 under IPv6", "traffic: {ip_version: [6], frame_size: [84, 83]}", "p.yaml:1:45: traffic.frame_size[1]: 83 B is too small for IPv6: 84 B is the least that holds the 18 bytes that mark a test frame; set traffic.frame_size to 84 or more, or ip_version to [4]"},
	{"imix under IPv6", "traffic: {ip_version: [4, 6], frame_size: [imix]}", "p.yaml:1:44: traffic.frame_size[0]: imix has frames of 64 B, and IPv6 needs 84 B to hold the 18 bytes that mark a test frame; measure imix with ip_version [4], and IPv6 with single sizes of 84 or more"},
	{"IPv6 and its least MTU", "lab: {mtu_bytes: 1279}\ntraffic: {ip_version: [6], frame_size: [128]}", "p.yaml:2:24: traffic.ip_version[0]: IPv6 needs links with an MTU of at least 1,280 bytes (RFC 8200), lab.mtu_bytes is 1279; set lab.mtu_bytes to 1280 or more"},

	{"CPU word", "lab: {dut_cpus: all}", `p.yaml:1:17: lab.dut_cpus: "all" is not a list of CPUs; write CPU numbers as the kernel does: "0-3,6"`},
	{"CPU negative", "lab: {dut_cpus: -1}", `p.yaml:1:17: lab.dut_cpus: "-1" is not a list of CPUs; write CPU numbers as the kernel does: "0-3,6"`},
	{"CPU high", "lab: {dut_cpus: 0-8192}", "p.yaml:1:17: lab.dut_cpus: CPU 8192: the highest CPU number is 8191"},
	{"CPU twice", "lab: {dut_cpus: '0-3,2'}", "p.yaml:1:17: lab.dut_cpus: CPU 2 is listed twice; list each CPU once"},

	{"vm without a kernel", "testbed: vm", "p.yaml:1:10: kernels: is empty: testbed vm needs a kernel to boot; name packages, .deb or .rpm files, or images: kernels: [linux-image-cloud-amd64]"},
	{"tuning in the lab", "tuning: {devices: [dummy], burst: [8]}", "p.yaml:1:9: tuning: is tried in virtual machines; set testbed: vm and run it by linerate kernels, or sweep traffic.pktgen.clone_skb"},
	{"tuning with a DUT", "testbed: vm\nkernels: [a]\nscenarios: [route]\ntraffic: {flows: [1]}\ntuning: {devices: [dummy], burst: [8]}", "p.yaml:5:9: tuning: tries the generator alone, with one flow: a copy has the flow of its original; set scenarios: [none] and traffic.flows: [1]"},
	{"tuning of a device that is not there", "testbed: vm\nkernels: [a]\nscenarios: [none]\ntraffic: {flows: [1]}\ntuning: {devices: [dumy], burst: [8]}", "p.yaml:5:20: tuning.devices[0]: \"dumy\" is not known to this version; did you mean dummy?"},
	{"tuning by bursts that do not add up", "testbed: vm\nkernels: [a]\nscenarios: [none]\ntraffic: {flows: [1]}\ntuning: {devices: [dummy], burst: [7]}", "p.yaml:5:36: tuning.burst[0]: 7 frames at once do not add up to the 2000 packets of vm.packets, and pktgen sends whole bursts"},
	{"cost of a sweep", "cost: {enabled: true}\nsweep: {field: traffic.flows, values: ['1', '10']}", "p.yaml:1:17: cost.enabled: where the CPU time of a packet goes is not taken in the short measurements of sweep; leave one of them out, and take it by a run of its own"},
	{"capture of a comparison", "ab: {b: [traffic.flows=10]}\ncapture: {frames: 5}", "p.yaml:2:19: capture.frames: a capture is not taken in the short measurements of ab; leave one of them out, and take it by a run of its own"},
	{"cost of one side", "ab: {b: [cost.enabled=true]}", "p.yaml:1:10: ab.b[0]: \"cost.enabled=true\" changes nothing that is measured; measure two runs, and compare them by `linerate compare`"},
	{"cost of a guest", "testbed: vm\nkernels: [a]\ncost: {enabled: true}", "p.yaml:3:17: cost.enabled: where the CPU time of a packet goes is not taken in testbed vm; leave it out, or set testbed to lab"},
	{"cost at no load", "traffic: {engine: testpmd}\ncost: {enabled: true, load_pps: 1e5}", "p.yaml:2:17: cost.enabled: engine testpmd cannot be paced: it sends as fast as it goes, and where the CPU time of a packet goes is taken at a load; leave it out, or use another engine"},
	{"capture at no load", "traffic: {engine: testpmd}\ncapture: {frames: 5}", "p.yaml:2:19: capture.frames: engine testpmd cannot be paced: it sends as fast as it goes, and a capture is taken at a load; leave it out, or use another engine"},
	{"vm with a scenario of the lab", "testbed: vm\nkernels: [a]\nscenarios: [flowtable]", "p.yaml:3:12: scenarios: flowtable cannot be made in a guest, where linerate and iptables are the only programs; a guest has none, route, bridge, conntrack, conntrack-nft, conntrack-iptables, snat, snat-nft, snat-iptables"},
	{"variant of iptables in a guest", "testbed: vm\nkernels: [a]\nscenarios: [none]\nvm: {iptables: ebtables}", `p.yaml:4:16: vm.iptables: "ebtables" is not known to this version; write nft or legacy`},
	{"no metric", "vm: {metric: \"\"}", `p.yaml:1:14: vm.metric: "" is not known to this version; write instructions, rate or both`},
	{"no iptables", "vm: {iptables: \"\"}", `p.yaml:1:16: vm.iptables: "" is not known to this version; write nft or legacy`},
	{"no attribution", "vm: {attribute_by: \"\"}", `p.yaml:1:20: vm.attribute_by: "" is not known to this version; write auto, plugin or sampling`},
	{"later testbed", "testbed: wire", "p.yaml:1:10: testbed: wire is not available in this version; use lab"},
	{"testbed", "testbed: labs", `p.yaml:1:10: testbed: "labs" is not known to this version; did you mean lab?`},
	{"scenario", "scenarios: [nat]", `p.yaml:1:13: scenarios[0]: unknown scenario "nat"; did you mean snat?`},
	{"backend", "scenarios: [snat-bpf]", `p.yaml:1:13: scenarios[0]: snat has no backend "bpf"; its backends are nft and iptables`},
	{"backend of limit", "scenarios: [limit-iptables]", "p.yaml:1:13: scenarios[0]: limit has no choice of backend; write limit"},

	{"unit", "trial: {drain_max: 5 parsecs}", `p.yaml:1:20: trial.drain_max: "5 parsecs" is not a duration: unknown unit "parsecs"; units are ns, us, ms, s, m and h: 200ms, 1s, 1m30s`},
	{"no unit", "trial: {drain_quiet: 200}", `p.yaml:1:22: trial.drain_quiet: "200" has no unit; write 200ms or 200s`},
	{"no unit for zero", "trial: {settle: 0}", `p.yaml:1:17: trial.settle: "0" has no unit; write 0s`},
	{"minutes for ms", "trial: {drain_quiet: 200m}", "p.yaml:1:22: trial.drain_quiet: 3h20m0s is out of range: 1ms to 1m0s"},
	{"drain", "trial: {drain_quiet: 3s}", "p.yaml:1:22: trial.drain_max: 2s is shorter than drain_quiet 3s; the drain could never see its quiet time"},

	{"loss of 1", "search: {goals: [{name: a, loss_ratio: 1}]}", "p.yaml:1:40: search.goals[0].loss_ratio: 1 is out of range: at least 0 and below 1; if percent is meant, write 1%"},
	{"exceed", "search: {goals: [{name: NDR, exceed_ratio: -0.1}]}", "p.yaml:1:44: search.goals[0].exceed_ratio: -0.1 is out of range: at least 0 and below 1"},
	{"width", "search: {goals: [{name: NDR, width: 0}]}", "p.yaml:1:37: search.goals[0].width: 0 is out of range: above 0 and below 1"},
	{"d of 0", "search: {goals: [{name: NDR, trial_duration: 0s}]}", "p.yaml:1:46: search.goals[0].trial_duration: 0s is out of range: 1ms to 24h0m0s"},
	{"S below d", "search: {goals: [{name: NDR, trial_duration: 6s}]}", "p.yaml:1:46: search.goals[0].duration_sum: 5s is shorter than trial_duration 6s; a load is decided by one full trial at least"},
	{"goal twice", "search: {goals: [{name: NDR}, {name: NDR}]}", "p.yaml:1:38: search.goals[1].name: goal NDR has the name of search.goals[0]; give each goal its own name"},
	{"goal without loss", "search: {goals: [{name: mine}]}", "p.yaml:1:18: search.goals[0].loss_ratio: is missing; a goal of your own says its loss ratio, such as 0.5%"},
	{"goal without name", "search: {goals: [{loss_ratio: 0}]}", "p.yaml:1:18: search.goals[0].name: is missing; name it, such as NDR"},
	{"negative requirement", "search: {goals: [{name: PDR, require_pps: -1}]}", "p.yaml:1:43: search.goals[0].require_pps: -1 is out of range: a load is 0 (none is required) or more, and at most 1,000,000,000 packets per second"},
	{"max below min", "search: {max_load_pps: 999}", "p.yaml:1:24: search.max_load_pps: 999 pps is below min_load_pps 1,000"},
	{"min of 0", "search: {min_load_pps: 0}", "p.yaml:1:24: search.min_load_pps: 0 is out of range: a load is above 0, and at most 1,000,000,000 packets per second"},
	{"no time for a trial", "search: {max_trial_time: 900ms, goals: [{name: NDR}]}", "p.yaml:1:26: search.max_trial_time: 900ms leaves no time for one trial of goal NDR, which takes 1s"},
	{"schema", "schema: linerate.plan/v9", `p.yaml:1:9: schema: "linerate.plan/v9" is not known to this version; did you mean linerate.plan/v1?`},
	{"name", "name: a/b", `p.yaml:1:7: name: "a/b" is not a name; a name begins with a letter or digit and has letters, digits, dot, dash and underscore, 64 at most`},
}

func TestParseProblems(t *testing.T) {
	for _, tt := range badPlans {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("p.yaml", []byte(tt.yaml))
			if err == nil {
				t.Fatalf("no problem found, want %s", tt.want)
			}
			if err.Error() != tt.want {
				t.Errorf("\ngot  %s\nwant %s", err, tt.want)
			}
		})
	}
}

func TestBoundsAreAccepted(t *testing.T) {
	for _, text := range []string{
		jumbo + "\nlab: {mtu_bytes: 9000}",
		"traffic: {flows: [1, 1000000], frame_size: [64, 1518, imix]}",
		"traffic: {ip_version: [4, 6], frame_size: [84]}",
		"lab: {mtu_bytes: 68}", "lab: {mtu_bytes: 65535, dut_cpus: 8191}",
		"limit: {pps: 1, burst_packets: 1}",
		"trial: {drain_quiet: 2s, drain_max: 2s, settle: 0s}",
		"search: {goals: [{name: a, loss_ratio: 99.9%, exceed_ratio: 0, trial_duration: 24s, duration_sum: 24s, width: 99.9%}]}",
		"search: {min_load_pps: 5, max_load_pps: 5}",
	} {
		if _, err := Parse("p.yaml", []byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestNearestAreThree(t *testing.T) {
	got := nearest("ab", []string{"xyz", "abd", "acd", "ab", "abc", "b"})
	if want := []string{"ab", "abd", "abc"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProblemString(t *testing.T) {
	for want, p := range map[string]Problem{
		"f.yaml:1:2: a.b: wrong; right": {Source: "f.yaml", Line: 1, Column: 2, Path: "a.b", Text: "wrong", Hint: "right"},
		"1:2: a.b: wrong":               {Line: 1, Column: 2, Path: "a.b", Text: "wrong"},
		"a.b: wrong":                    {Path: "a.b", Text: "wrong"},
		"f.yaml: wrong":                 {Source: "f.yaml", Text: "wrong"},
		"wrong":                         {Text: "wrong"},
	} {
		if p.String() != want {
			t.Errorf("got %q, want %q", p.String(), want)
		}
	}
}

func TestTooManyCells(t *testing.T) {
	p := Default()
	p.Traffic.Flows = nil
	for flows := 1; flows <= maxCells/2; flows++ {
		p.Traffic.Flows = append(p.Traffic.Flows, flows)
	}
	p.Traffic.Directions = []Direction{Uni, Bi}
	if err := p.Validate(); err != nil {
		t.Errorf("%d cells: %v", len(p.Cells()), err)
	}
	p.Traffic.Flows = append(p.Traffic.Flows, maxCells)
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "more than 10,000 cells") {
		t.Errorf("%d cells: %v", len(p.Cells()), err)
	}
}

func TestManyProblemsAreCounted(t *testing.T) {
	_, err := Parse("p.yaml", []byte("traffic: {frame_size: ["+strings.Repeat("x,", 100_000)+"]}"))
	lines := strings.Split(err.Error(), "\n") // 100,000 entries, and more cells than a plan may have
	if len(lines) != 101 || lines[100] != "and 99,901 more problems" {
		t.Errorf("%d lines, the last: %s", len(lines), lines[len(lines)-1])
	}
}

func TestDeepNestingIsRefused(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", 500_000), strings.Repeat("{a: ", 200_000), strings.Repeat("- ", 500_000)} {
		if _, err := Parse("p.yaml", []byte(text)); err == nil {
			t.Errorf("%q... is accepted", text[:10])
		}
	}
}

func TestValidateChecksListsMadeInGo(t *testing.T) {
	p := Default()
	p.Lab.DUTCPUs, p.Lab.TesterCPUs = CPUList{0, 1}, CPUList{1}
	if err := p.Validate(); err != nil {
		t.Errorf("overlapping CPUs are allowed: %v", err)
	}
	p.Lab.DUTCPUs = CPUList{-1}
	p.Lab.TesterCPUs = CPUList{2, 2}
	want := "lab.dut_cpus: CPU -1: CPU numbers are 0 to 8191\nlab.tester_cpus: a CPU is listed twice; list each CPU once"
	if err := p.Validate(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLoad(t *testing.T) {
	p, err := Load("baseline")
	if err != nil || p.Name != "baseline" {
		t.Errorf("Load(baseline) = %q, %v", p.Name, err)
	}
	if _, err := Load("basline"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "did you mean baseline?") {
		t.Errorf("Load(basline): %v", err)
	}
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if _, err := Load(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Load of a missing file: %v", err)
	}
	if err := os.WriteFile(file, []byte("limit: {pps: 5}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := Load(file); err != nil || p.Limit.PPS != 5 || p.Name != "mine" {
		t.Errorf("Load(%s) = %+v, %v", file, p, err)
	}
}
