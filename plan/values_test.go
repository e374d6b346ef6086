package plan

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

func TestParseRatio(t *testing.T) {
	for text, want := range map[string]Ratio{
		"0": 0, "0.005": 0.005, "0.5%": 0.005, ".5 %": 0.005, "0.07%": 0.0007, "1e-5": 1e-5, "1e-3%": 1e-5, "100%": 1, " 50% ": 0.5, "-1%": -0.01,
	} {
		if got, err := ParseRatio(text); err != nil || got != want {
			t.Errorf("ParseRatio(%q) = %v, %v, want %v", text, float64(got), err, float64(want))
		}
	}
	for _, text := range []string{"", "%", "half", "0.5 percent", "1/200", "NaN", "inf", "0x1p-2", "0.5%%", "5‰", "1e999"} {
		if got, err := ParseRatio(text); err == nil {
			t.Errorf("ParseRatio(%q) = %v, want an error", text, float64(got))
		}
	}
}

// A ratio's text reads back to the same number: percent must not cost a digit.
func TestRatioTextIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		want := Ratio(random.Float64())
		if got, err := ParseRatio(want.String()); err != nil || got != want {
			t.Fatalf("%v -> %s -> %v, %v", float64(want), want, float64(got), err)
		}
	}
	for ratio, want := range map[Ratio]string{0: "0%", 0.0007: "0.07%", 0.005: "0.5%", 0.5: "50%", 1e-7: "0.00001%"} {
		if ratio.String() != want {
			t.Errorf("String of %v = %s, want %s", float64(ratio), ratio, want)
		}
	}
}

func TestParseCPUList(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "0-3,6": "0-3,6", "6,0-3": "0-3,6", "1,2": "1-2", " 1 , 3 ": "1,3", "5-5": "5", "": "", "8191": "8191",
	} {
		got, err := ParseCPUList(text)
		if err != nil || got.String() != want {
			t.Errorf("ParseCPUList(%q) = %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"a", "1-", "-1", "1--2", "3-1", "1,,2", "1,1", "0-3,2", "8192", "0-99999999999", "1;2", "0x1", "+1", "1.5", strings.Repeat("0-8191,", 9) + "0"} {
		if got, err := ParseCPUList(text); err == nil {
			t.Errorf("ParseCPUList(%q) = %v, want an error", text, got)
		}
	}
	if got := (CPUList{3, 1, 2, 2}).String(); got != "1-3" {
		t.Errorf("String of an unsorted list = %s", got)
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]string{"1s": "1s", "200ms": "200ms", "1m30s": "1m30s", "0s": "0s", "90s": "1m30s", "1.5s": "1.5s", "-1s": "-1s"} {
		if got, err := ParseDuration(text); err != nil || got.String() != want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"5 s":      `"5 s" has a space in it; write 5s`,
		"0":        `"0" has no unit; write 0s`,
		"1.5":      `"1.5" has no unit; write 1.5ms or 1.5s`,
		"soon":     `"soon" is not a duration; ` + unitsHint,
		"1d":       `"1d" is not a duration: unknown unit "d"; ` + unitsHint,
		"9999999h": `"9999999h" is not a duration; ` + unitsHint,
	} {
		if got, err := ParseDuration(text); err == nil || err.Error() != want {
			t.Errorf("ParseDuration(%q) = %v, %v\nwant %s", text, got, err, want)
		}
	}
}

func TestParseFrameSize(t *testing.T) {
	for text, want := range map[string]FrameSize{"64": 64, "9018": 9018, "imix": IMIX, "63": 63, "-1": -1} {
		if got, err := ParseFrameSize(text); err != nil || got != want {
			t.Errorf("ParseFrameSize(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "", "IMIX", "64B", "64.0", "0x40", "064", "1,518", "99999999999999999999"} {
		if got, err := ParseFrameSize(text); err == nil {
			t.Errorf("ParseFrameSize(%q) = %v, want an error", text, got)
		}
	}
	if got := FrameSize(1518).Label() + " " + IMIX.Label() + " " + FrameSize(64).String() + " " + IMIX.String(); got != "1,518 B IMIX 64 imix" {
		t.Errorf("labels: %s", got)
	}
}

func TestScenarioNames(t *testing.T) {
	for scenario, want := range map[Scenario][2]string{
		"none": {"none", ""}, "route": {"route", ""}, "limit": {"limit", "nft"},
		"conntrack": {"conntrack", "nft"}, "conntrack-nft": {"conntrack", "nft"}, "conntrack-iptables": {"conntrack", "iptables"},
		"snat": {"snat", "nft"}, "snat-nft": {"snat", "nft"}, "snat-iptables": {"snat", "iptables"},
	} {
		if got := [2]string{scenario.Name(), scenario.Backend()}; got != want {
			t.Errorf("%s: %v, want %v", scenario, got, want)
		}
		if _, _, ok := scenario.problem(); !ok {
			t.Errorf("%s is refused", scenario)
		}
	}
	for _, scenario := range []Scenario{"", "-", "-nft", "snat-", "snat-nft-nft", "limit-nft", "route-nft", "none-nft", "Route"} {
		if _, _, ok := scenario.problem(); ok {
			t.Errorf("%q is accepted", scenario)
		}
	}
	for _, info := range Scenarios() {
		if info.Description == "" {
			t.Errorf("%s has no description", info.Name)
		}
	}
}

// everyField is a valid plan in which no field has its default.
func everyField(t *testing.T) Plan {
	t.Helper()
	p := Plan{
		Schema: SchemaV1, Name: "every-field", Description: "Each field, \"quoted\": yes.\nTwo lines.", Testbed: "lab",
		Lab: Lab{DUTCPUs: CPUList{1, 2, 3}, TesterCPUs: CPUList{0}, SinkCPUs: CPUList{2}, MTUBytes: 9000, EndOffloads: "off"},
		Sim: Sim{Preset: "knee", CapacityPPS: new(1.5e6), QueueFrames: new(0), Knee: new(Ratio(0.0007)), Jitter: new(Ratio(0)), BackgroundLoss: new(Ratio(1e-6)),
			GlitchProbability: new(Ratio(1)), Collapse: new(Ratio(0.1)), MaxLoadPPS: new(0.5), Seed: -3},
		Scenarios: []Scenario{"none", "conntrack-iptables", "snat", "limit"},
		Workload:  Frames, BaseScenario: "snat", // the others go with none of ab, latency and capture
		IPerf3: IPerf3{Protocol: "udp", Streams: []int{3}, Bidir: true, Seconds: 60, OmitSeconds: 3, PayloadBytes: 64, TargetL4BPS: 1e9, Congestion: "bbr", Repeats: 5},
		IPerf:  IPerf{Streams: []int{1, 2}, PayloadBytes: 64, Seconds: 60, TargetL4BPS: 1e6, Repeats: 5},
		Traffic: Traffic{IPVersions: []int{4}, FrameSizes: []FrameSize{9018, IMIX}, Flows: []int{1, 1000},
			Directions: []Direction{Bi, Uni}, Seed: -7, Engine: "xdp", PerFlow: true, Batch: 16, AFXDPMode: "copy", TestpmdDriver: "afxdp",
			Pktgen: Pktgen{CloneSKB: 10, Burst: 8, Threads: 2, FlowPackets: 4}},
		Limit:   Limit{PPS: 5, BurstPackets: 6},
		Testpmd: Testpmd{Cores: 3},
		Ruleset: Ruleset{File: "my rules.nft", Rules: 7, Hit: HitNone},
		Routes:  Routes{Prefixes: 8, Length: 30, LengthIPv6: 70},
		Custom:  Custom{Setup: []string{"ip link set $DUT_A up", "true, && :"}, Teardown: []string{"false"}, Layer2: true, Timeout: 5e9},
		Trial:   Trial{DrainQuiet: 1e6, DrainMax: 3e9, Settle: 1500e6},
		ECMP:    ECMP{Paths: []int{3, 1}, HoldTime: Duration(6 * time.Second), FailPath: 3, FailAt: Duration(time.Second), FailHow: FailSilent, TrialDuration: Duration(15 * time.Second), LoadPPS: 1e5},
		Search: Search{Algorithm: "binary", MinLoadPPS: 0.5, MaxLoadPPS: 1e8, MaxTrialTime: 3600e9,
			Goals: []Goal{{Name: "G", LossRatio: 0.0007, ExceedRatio: 0.1, TrialDuration: 60e9, DurationSum: 61e9, Width: 1e-6}}},
		Latency: Latency{Enabled: true, Loads: []Ratio{0.25, 1.1}, LoadsPPS: []float64{1000, 2.5e5}, ThroughputGoal: "G", TrialDuration: 250e6, TrialsPerLoad: 2},
		Tests:   Tests(), FrameLossRate: FrameLossRate{Step: 0.05, TrialDuration: 60e9},
		BackToBack:     BackToBack{Repeats: 50, MaxFrames: 4096, StepFrames: 8, Verifications: 2, Idle: 2e9},
		SystemRecovery: SystemRecovery{OverloadDuration: 60e9, RecoveryDuration: 30e9, Repeats: 1}, // and no capture, as a plan with A and B has none
		Cost:           Cost{FrequencyHz: 997, TrialDuration: 30e9, LoadPPS: 2e5}, Observe: Observe{Threads: true},
		DUT:      DUT{Sysctls: Sysctls{"net.ipv4.ip_early_demux": "0", "net.ipv4.ping_group_range": "1 0"}, GROFlushTimeout: 20e3, NAPIDeferHardIRQs: 3},
		AB:       AB{A: []string{"scenarios=route"}, B: []string{"scenarios=snat", "limit.pps=7"}, Pairs: 7, AAPairs: 8, Alpha: 0.01, LeastChange: 0.02, FailIf: "slower"},
		Sweep:    Sweep{Repeats: 4}, // a plan with A and B has no field to sweep
		Repeated: Repeated{Figure: FigureThroughput, LoadPPS: 1e6, TrialDuration: 2e9, Trials: 3, Seed: 9},
		Kernels:  []string{"a", "b,c"},
		VM:       VM{Metric: MetricBoth, Accelerator: AcceleratorKVM, Rounds: 7, TrialDuration: 2e9, LoadPPS: 1e4, Iptables: IptablesLegacy, Seeds: 2, Boots: 2, Packets: 5000, Repetitions: 1, Margin: 0.002, ExtraRules: 1, Attribute: true, AttributeBy: BySampling, MemoryBytes: 1 << 30, TimeLimit: 60e9},
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRoundTrips(t *testing.T) {
	for _, want := range []Plan{Default(), everyField(t)} {
		asYAML, err := yaml.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Parse("other.yaml", asYAML); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("YAML: %v\ngot  %+v\nwant %+v\n%s", err, got, want, asYAML)
		}
		var fromYAML Plan
		if err := yaml.Unmarshal(asYAML, &fromYAML); err != nil || !reflect.DeepEqual(fromYAML, want) {
			t.Errorf("YAML by the library: %v\ngot  %+v\nwant %+v", err, fromYAML, want)
		}
		asJSON, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var fromJSON Plan
		if err := json.Unmarshal(asJSON, &fromJSON); err != nil || !reflect.DeepEqual(fromJSON, want) {
			t.Errorf("JSON: %v\ngot  %+v\nwant %+v\n%s", err, fromJSON, want, asJSON)
		}
		if got, err := Parse("other.json", asJSON); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("JSON as a plan: %v\ngot  %+v\nwant %+v\n%s", err, got, want, asJSON)
		}
	}
}

func TestJSONForms(t *testing.T) {
	got, err := json.Marshal(struct {
		R Ratio
		D Duration
		F []FrameSize
		C CPUList
	}{0.005, 200e6, []FrameSize{64, IMIX}, CPUList{0, 1, 2}})
	if want := `{"R":0.005,"D":"200ms","F":[64,"imix"],"C":[0,1,2]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	var v struct {
		R Ratio
		F FrameSize
		C CPUList
	}
	if err := json.Unmarshal([]byte(`{"R":"0.5%","F":1518,"C":"0-2"}`), &v); err != nil || v.R != 0.005 || v.F != 1518 || v.C.String() != "0-2" {
		t.Errorf("got %+v, %v", v, err)
	}
	for _, text := range []string{`{"R":"x"}`, `{"F":0}`, `{"F":"64B"}`, `{"C":"x"}`, `{"R":true}`, `{"C":{}}`} {
		if json.Unmarshal([]byte(text), &v) == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
