package plan

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	tests := []struct {
		assignments []string
		want        func(*Plan)
	}{
		{[]string{"traffic.flows=1,1000"}, func(p *Plan) { p.Traffic.Flows = []int{1, 1000} }},
		{[]string{" traffic.flows = [1, 1000] "}, func(p *Plan) { p.Traffic.Flows = []int{1, 1000} }},
		{[]string{"traffic.flows=1,2", "traffic.flows[1]=9"}, func(p *Plan) { p.Traffic.Flows = []int{1, 9} }},
		{[]string{"limit.pps=1", "limit.pps=2"}, func(p *Plan) { p.Limit.PPS = 2 }},
		{[]string{"scenarios=limit"}, func(p *Plan) { p.Scenarios = []Scenario{"limit"} }},
		{[]string{"scenarios=route,snat-iptables"}, func(p *Plan) { p.Scenarios = []Scenario{"route", "snat-iptables"} }},
		{[]string{"search.goals.NDR.loss_ratio=0.1%"}, func(p *Plan) { p.Search.Goals[0].LossRatio = 0.001 }},
		{[]string{"search.goals.pdr.width=2%"}, func(p *Plan) { p.Search.Goals[1].Width = 0.02 }},
		{[]string{"search.goals[0].width=1%"}, func(p *Plan) { p.Search.Goals[0].Width = 0.01 }},
		{[]string{"search.goals=PDR"}, func(p *Plan) { p.Search.Goals = p.Search.Goals[1:] }},
		{[]string{"lab.dut_cpus=1"}, func(p *Plan) { p.Lab.DUTCPUs = CPUList{1} }},
		{[]string{"lab.dut_cpus=0-2,4"}, func(p *Plan) { p.Lab.DUTCPUs = CPUList{0, 1, 2, 4} }},
		{[]string{"lab.dut_cpus=1", "lab.dut_cpus="}, func(p *Plan) {}},
		{[]string{"description=a = b, c"}, func(p *Plan) { p.Description = "a = b, c" }},
		{[]string{"description=x", "description="}, func(p *Plan) {}},
		{[]string{"name=007"}, func(p *Plan) { p.Name = "007" }},
		{[]string{"search.goals.PDR.require_pps=5e5"}, func(p *Plan) { p.Search.Goals[1].RequirePPS = 5e5 }},
		{[]string{"search.max_load_pps=1e6"}, func(p *Plan) { p.Search.MaxLoadPPS = 1e6 }},
		{[]string{"traffic.frame_size=imix,1518"}, func(p *Plan) { p.Traffic.FrameSizes = []FrameSize{IMIX, 1518} }},
		{[]string{"traffic.frame_size=9018", "lab.mtu_bytes=9000"}, func(p *Plan) { p.Traffic.FrameSizes = []FrameSize{9018}; p.Lab.MTUBytes = 9000 }},
		{nil, func(p *Plan) {}},
	}
	for _, tt := range tests {
		got, want := Default(), Default()
		tt.want(&want)
		if err := got.Set(tt.assignments); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Set(%q): %v\ngot  %+v\nwant %+v", tt.assignments, err, got, want)
		}
	}
}

func TestSetProblems(t *testing.T) {
	tests := []struct {
		assignments []string
		want        string
	}{
		{[]string{"traffic.flows"}, "--set traffic.flows: is not an assignment; write FIELD=VALUE, such as traffic.flows=1,1000"},
		{[]string{"=1"}, `--set =1: "" is not the path of a field; write it like traffic.flows or search.goals.NDR.width`},
		{[]string{"traffic..flows=1"}, `--set traffic..flows=1: "traffic..flows" is not the path of a field; write it like traffic.flows or search.goals.NDR.width`},
		{[]string{"traffic.flow=1"}, "--set traffic.flow=1: traffic.flow: unknown field; did you mean traffic.flows?"},
		{[]string{"flows=1"}, "--set flows=1: flows: unknown field; did you mean traffic.flows?"},
		{[]string{"limit.rate=1"}, "--set limit.rate=1: limit.rate: unknown field; the fields of limit are pps, burst_packets"},
		{[]string{"limit=1"}, "--set limit=1: limit: is a group of fields; set one of limit.pps, limit.burst_packets"},
		{[]string{"limit.pps.x=1"}, `--set limit.pps.x=1: limit.pps: is one value, it has no part "x"; write limit.pps=VALUE`},
		{[]string{"limit.pps=many"}, `--set limit.pps=many: limit.pps: "many" is not a whole number`},
		{[]string{"limit.pps="}, "--set limit.pps=: limit.pps: has no value, needs a whole number; give it a value, or remove the line"},
		{[]string{"traffic.flows="}, "--set traffic.flows=: traffic.flows: is empty: a plan needs at least one number of flows; leave the line out to have the default"},
		{[]string{"traffic.flows=0"}, "--set traffic.flows=0: traffic.flows[0]: 0 flows: a cell needs 1 to 1,000,000 flows"},
		{[]string{"traffic.flows[1]=5"}, "--set traffic.flows[1]=5: traffic.flows: has no entry 1: it has 1, counted from 0"},
		{[]string{"traffic.flows.x=5"}, `--set traffic.flows.x=5: traffic.flows: has no entry "x": its entries are counted from 0`},
		{[]string{"search.goals.MRR.width=1%"}, `--set search.goals.MRR.width=1%: search.goals: has no goal "MRR": it has NDR, PDR`},
		{[]string{"search.goals=NDR,MRR"}, `--set search.goals=NDR,MRR: search.goals: has no goal "MRR": it has NDR, PDR; other goals are written in the plan's file`},
		{[]string{"trial.settle=200"}, `--set trial.settle=200: trial.settle: "200" has no unit; write 200ms or 200s`},
		{[]string{"seed=1", "limit.pps=0", "lab.mtu_bytes=68"}, `--set seed=1: seed: unknown field; did you mean sim.seed, traffic.seed or repeated.seed?
--set limit.pps=0: limit.pps: 0 is out of range: 1 to 1,000,000,000 packets per second`},
		{[]string{"limit.pps=2", "traffic.ip_version=6"}, "--set traffic.ip_version=6: traffic.frame_size[0]: 64 B is too small for IPv6: 84 B is the least that holds the 18 bytes that mark a test frame; set traffic.frame_size to 84 or more, or ip_version to [4]"},
		{[]string{"lab.mtu_bytes=9000", "traffic.frame_size=9018", "lab.mtu_bytes=1500"}, "--set traffic.frame_size=9018: traffic.frame_size[0]: 9,018 B does not fit: lab.mtu_bytes 1500 carries frames up to 1,518 B; set lab.mtu_bytes to 9000 or more"},
		{[]string{"scenarios=custom"}, "--set scenarios=custom: custom.setup: is empty: scenario custom is what these commands make; list the commands that make the DUT, such as [\"tc qdisc add dev $DUT_B root fq_codel\"]"},
		{[]string{"routes.length=24"}, "--set routes.length=24: routes.prefixes: 100,000 prefixes of length 24 do not fit: 10.0.0.0/8 has 65,536 of them; set routes.length to 25 or more, or fewer prefixes"},
		{[]string{"routes.length=27", "routes.prefixes=1000000"}, "--set routes.prefixes=1000000: routes.prefixes: 1,000,000 prefixes of length 27 do not fit: 10.0.0.0/8 has 524,288 of them; set routes.length to 28 or more, or fewer prefixes"},
		{[]string{"ruleset.hit=all"}, `--set ruleset.hit=all: ruleset.hit: "all" is not known to this version; write last, first or none`},
		{[]string{"search.goals.NDR.name=PDR"}, "--set search.goals.NDR.name=PDR: search.goals[1].name: goal PDR has the name of search.goals[0]; give each goal its own name"},
	}
	for _, tt := range tests {
		p := Default()
		err := p.Set(tt.assignments)
		if _, ok := errors.AsType[*Problems](err); !ok {
			t.Errorf("Set(%q): error is %T (%v), want *Problems", tt.assignments, err, err)
			continue
		}
		if err.Error() != tt.want {
			t.Errorf("Set(%q)\ngot  %s\nwant %s", tt.assignments, err, tt.want)
		}
		if !reflect.DeepEqual(p, Default()) {
			t.Errorf("Set(%q) failed and changed the plan", tt.assignments)
		}
	}
}

// TestSetEveryField sets each field of the plan from its default to the value of
// everyField and finds that this field has changed and no other.
func TestSetEveryField(t *testing.T) {
	values := map[string]string{
		"schema": SchemaV1, "name": "other", "description": "words", "testbed": "lab", "scenarios": "snat,limit",
		"lab.dut_cpus": "1-3", "lab.tester_cpus": "0", "lab.sink_cpus": "2", "lab.mtu_bytes": "9000", "lab.end_offloads": "off",
		"workload": "iperf3", "base_scenario": "route", "iperf3.protocol": "udp", "iperf3.streams": "1,8", "iperf3.reverse": "true", "iperf3.bidir": "true", "iperf3.seconds": "60",
		"iperf3.omit_seconds": "2", "iperf3.payload_bytes": "36", "iperf3.target_l4_bps": "1e9", "iperf3.congestion": "cubic", "iperf3.repeats": "3",
		"iperf.streams": "1,4", "iperf.payload_bytes": "64", "iperf.seconds": "60", "iperf.target_l4_bps": "1e6", "iperf.repeats": "3",
		"sim.preset": "knee", "sim.capacity_pps": "1e6", "sim.queue_frames": "0", "sim.knee": "0", "sim.jitter": "1%", "sim.background_loss": "1e-5",
		"sim.glitch_probability": "1", "sim.collapse": "10%", "sim.max_load_pps": "2e6", "sim.seed": "9",
		"traffic.ip_version": "4", "traffic.frame_size": "128,imix", "traffic.flows": "2,3", "traffic.directions": "bi,uni",
		"traffic.seed": "-7", "traffic.engine": "xdp", "limit.pps": "5", "limit.burst_packets": "6", "testpmd.cores": "3",
		"ruleset.file": "my.nft", "ruleset.rules": "7", "ruleset.hit": "first", "routes.prefixes": "9", "routes.length": "30", "routes.length_ipv6": "70",
		"custom.setup": "true,:", "custom.teardown": "false", "custom.layer2": "true", "custom.timeout": "5s",
		"ecmp.paths": "3,1", "ecmp.hash_policy": "0", "ecmp.hold_time": "6s", "ecmp.fail_path": "2", "ecmp.fail_at": "1s", "ecmp.fail_how": "silent", "ecmp.trial_duration": "15s", "ecmp.load_pps": "1e5",
		"trial.drain_quiet": "1ms", "trial.drain_max": "3s", "trial.settle": "1.5s",
		"search.algorithm": "binary", "search.min_load_pps": "0.5", "search.max_load_pps": "1e8", "search.max_trial_time": "1h",
		"search.goals[1].name": "G", "search.goals[1].loss_ratio": "0.07%", "search.goals[1].exceed_ratio": "0.1",
		"cost.enabled": "true", "cost.frequency_hz": "997", "cost.trial_duration": "30s", "cost.load_pps": "2e5",
		"traffic.per_flow": "true", "latency.enabled": "true", "latency.loads": "25%,1", "latency.load_pps": "1000,2e5",
		"latency.throughput_goal": "NDR", "latency.trial_duration": "250ms", "latency.trials_per_load": "3",
		"dut.sysctls": "net.ipv4.ip_early_demux=0,net.core.somaxconn=9", "dut.gro_flush_timeout": "20us", "dut.napi_defer_hard_irqs": "3", "traffic.batch": "64", "traffic.afxdp_mode": "zerocopy", "traffic.testpmd_driver": "afxdp",
		"traffic.pktgen.clone_skb": "100", "traffic.pktgen.burst": "32", "traffic.pktgen.threads": "3", "traffic.pktgen.flow_packets": "7",
		"ab.a": "scenarios=route", "ab.b": "scenarios=snat", "ab.pairs": "7", "ab.aa_pairs": "8", "ab.alpha": "1%", "ab.least_change": "2%", "ab.fail_if": "changed",
		"sweep.field": "", "sweep.values": "[]", "sweep.repeats": "4",
		"repeated.figure": "throughput", "repeated.load_pps": "5e5", "repeated.trial_duration": "2s", "repeated.trials": "3", "repeated.seed": "9",
		"search.goals[1].trial_duration": "2s", "search.goals[1].duration_sum": "6s", "search.goals[1].width": "1e-6", "search.goals[1].require_pps": "5e5",
		"tests": "throughput,back-to-back", "frame_loss_rate.step": "5%", "frame_loss_rate.trial_duration": "2s",
		"back_to_back.repeats": "50", "back_to_back.max_frames": "4096", "back_to_back.step_frames": "8", "back_to_back.verifications": "0", "back_to_back.idle": "2s",
		"system_recovery.overload_duration": "60s", "system_recovery.recovery_duration": "30s", "system_recovery.repeats": "1", "capture.frames": "100",
		"kernels": "a,b", "tuning.devices": "[]", "tuning.clone_skb": "[]", "tuning.burst": "[]", "vm.metric": "rate", "vm.accelerator": "tcg", "vm.rounds": "7", "vm.trial_duration": "2s", "vm.load_pps": "1e4", "vm.seeds": "2", "vm.boots": "2", "vm.packets": "5000", "vm.repetitions": "1", "vm.margin": "1%", "vm.extra_rules": "1", "vm.iptables": "legacy", "vm.attribute": "true", "vm.attribute_by": "plugin", "vm.memory_bytes": "1073741824", "vm.time_limit": "1m",
		"observe.ledger": "false", "observe.threads": "false", "observe.cpu_speed": "false",
	}
	only := map[string]bool{"schema": true, "testbed": true, "traffic.ip_version": true, // equal to the default here
		"sweep.field": true, "sweep.values": true, "tuning.devices": true, "tuning.clone_skb": true, "tuning.burst": true} // none goes without the others
	for _, f := range Fields() {
		path := strings.ReplaceAll(f.Path, "[]", "[1]")
		value, listed := values[path]
		if !listed {
			t.Errorf("%s: no value to set in this test", path)
			continue
		}
		p := Default()
		if err := p.Set([]string{path + "=" + value}); err != nil {
			t.Error(err)
			continue
		}
		changed := differences(t, "", toJSON(t, Default()), toJSON(t, p))
		if only[path] {
			if len(changed) != 0 {
				t.Errorf("%s=%s changed %v", path, value, changed)
			}
			continue
		}
		for _, c := range changed {
			if !isWithin(c, path) && c != "sim" && c != "traffic.pktgen" { // a group that is left out where nothing of it is set
				t.Errorf("%s=%s changed %s", path, value, c)
			}
		}
		if len(changed) == 0 {
			t.Errorf("%s=%s changed nothing", path, value)
		}
		if err := p.Set([]string{path + "=" + value}); err != nil {
			t.Errorf("set again: %v", err)
		}
	}
	if len(values) != len(Fields()) {
		t.Errorf("%d values for %d fields", len(values), len(Fields()))
	}
}

func toJSON(t *testing.T, p Plan) any {
	t.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// differences are the paths at which two JSON values differ.
func differences(t *testing.T, path string, a, b any) []string {
	t.Helper()
	groupA, okA := a.(map[string]any)
	groupB, okB := b.(map[string]any)
	if okA && okB {
		var all []string
		for name := range groupB {
			all = append(all, differences(t, joinPath(path, name), groupA[name], groupB[name])...)
		}
		return all
	}
	if goalsA, ok := a.([]any); ok && path == "search.goals" {
		var all []string
		for i, g := range b.([]any) {
			all = append(all, differences(t, path+"["+string(rune('0'+i))+"]", goalsA[i], g)...)
		}
		return all
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	return []string{path}
}

func TestCloneSharesNothing(t *testing.T) {
	p := everyField(t)
	p.Sweep.Values = []string{"1"}
	p.Tuning = Tuning{Devices: []string{DeviceDummy}, CloneSKB: []int{1}, Burst: []int{1}}
	findShared(t, "plan", reflect.ValueOf(p), reflect.ValueOf(p.clone()))
}

func findShared(t *testing.T, path string, a, b reflect.Value) {
	t.Helper()
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			findShared(t, path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	case reflect.Slice:
		if a.Len() == 0 {
			t.Errorf("%s is empty: the test sees nothing", path)
		} else if a.Pointer() == b.Pointer() {
			t.Errorf("%s is shared", path)
		}
	}
}

func TestFieldsAreDescribed(t *testing.T) {
	known := map[string]bool{}
	for _, path := range allPaths() {
		known[path] = true
		if fieldTexts[path] == "" {
			t.Errorf("%s has no text", path)
		}
	}
	for path := range fieldTexts {
		if !known[path] {
			t.Errorf("%s is described and is no field", path)
		}
	}
}
