// Package plan holds what to measure: the plan's types, their defaults, how a
// plan is read from YAML, changed by --set, validated with line and column, and
// expanded into cells. It is pure: it opens no socket and starts no process.
package plan

import "time"

// SchemaV1 is the value of Plan.Schema that this package reads and writes.
const SchemaV1 = "linerate.plan/v1"

// Plan says what to measure. Everything a flag can say, a plan can say.
type Plan struct {
	Schema      string     `yaml:"schema" json:"schema"`
	Name        string     `yaml:"name" json:"name"`
	Description string     `yaml:"description,omitempty" json:"description,omitempty"`
	Testbed     string     `yaml:"testbed" json:"testbed"`
	Lab         Lab        `yaml:"lab" json:"lab"`
	Sim         Sim        `yaml:"sim,omitempty" json:"sim,omitzero"`
	Scenarios   []Scenario `yaml:"scenarios" json:"scenarios"`
	Traffic     Traffic    `yaml:"traffic" json:"traffic"`
	Limit       Limit      `yaml:"limit" json:"limit"`
	Testpmd     Testpmd    `yaml:"testpmd" json:"testpmd,omitzero"`
	Ruleset     Ruleset    `yaml:"ruleset,omitempty" json:"ruleset,omitzero"`
	Routes      Routes     `yaml:"routes,omitempty" json:"routes,omitzero"`
	Custom      Custom     `yaml:"custom,omitempty" json:"custom,omitzero"`
	ECMP        ECMP       `yaml:"ecmp,omitempty" json:"ecmp,omitzero"`
	Trial       Trial      `yaml:"trial" json:"trial"`
	Search      Search     `yaml:"search" json:"search"`
	Latency     Latency    `yaml:"latency" json:"latency,omitzero"`

	// Workload is what passes the DUT: "frames", or the streams of "iperf3" or "iperf".
	Workload string `yaml:"workload,omitempty" json:"workload,omitempty"`
	IPerf3   IPerf3 `yaml:"iperf3,omitempty" json:"iperf3,omitzero"`
	IPerf    IPerf  `yaml:"iperf,omitempty" json:"iperf,omitzero"`
	// BaseScenario is the one of Scenarios that ratios are given to; empty gives none.
	BaseScenario Scenario `yaml:"base_scenario,omitempty" json:"base_scenario,omitempty"`

	// Tests are what each cell is put through; the throughput search is one of them.
	Tests          []Test         `yaml:"tests" json:"tests"`
	FrameLossRate  FrameLossRate  `yaml:"frame_loss_rate" json:"frame_loss_rate"`
	BackToBack     BackToBack     `yaml:"back_to_back" json:"back_to_back"`
	SystemRecovery SystemRecovery `yaml:"system_recovery" json:"system_recovery"`
	Capture        Capture        `yaml:"capture" json:"capture"`
	Observe        Observe        `yaml:"observe" json:"observe"`
	Cost           Cost           `yaml:"cost" json:"cost,omitzero"`
	DUT            DUT            `yaml:"dut" json:"dut"`
	AB             AB             `yaml:"ab" json:"ab"`
	Sweep          Sweep          `yaml:"sweep" json:"sweep"`
	Repeated       Repeated       `yaml:"repeated" json:"repeated"`

	// Kernels are what testbed vm boots: packages, .deb and .rpm files, or images with their modules.
	Kernels []string `yaml:"kernels,omitempty" json:"kernels,omitempty"`
	VM      VM       `yaml:"vm,omitempty" json:"vm,omitzero"`
	// Tuning has testbed vm try the settings of its generator instead of comparing scenarios.
	Tuning Tuning `yaml:"tuning,omitempty" json:"tuning,omitzero"`
}

// Lab places the parts of the lab testbed on this machine's CPUs.
type Lab struct {
	// DUTCPUs run the DUT's NAPI threads. Empty: chosen from the CPUs of the machine.
	DUTCPUs CPUList `yaml:"dut_cpus,omitempty" json:"dut_cpus,omitempty"`
	// TesterCPUs run the generators, and the sinks if there are enough of them. Empty: the CPUs that DUTCPUs leaves.
	TesterCPUs CPUList `yaml:"tester_cpus,omitempty" json:"tester_cpus,omitempty"`
	// SinkCPUs run the sinks. Empty: CPUs that no generator needs, or else the DUT's, ahead of it.
	SinkCPUs CPUList `yaml:"sink_cpus,omitempty" json:"sink_cpus,omitempty"`
	// MTUBytes is the IP MTU of every link of the lab: 1500 carries frames up to 1518 bytes.
	MTUBytes int `yaml:"mtu_bytes" json:"mtu_bytes"`
	// EndOffloads is "on" or "off": checksum and segmentation offloads of the tester's two ends
	// under a workload of streams. "auto": see Plan.EndOffloads.
	EndOffloads string `yaml:"end_offloads,omitempty" json:"end_offloads,omitempty"`
}

// Traffic is the set of frames that cells are made of. Lists are multiplied into cells.
type Traffic struct {
	IPVersions []int       `yaml:"ip_version" json:"ip_version"`
	FrameSizes []FrameSize `yaml:"frame_size" json:"frame_size"`
	Flows      []int       `yaml:"flows" json:"flows"`
	Directions []Direction `yaml:"directions" json:"directions"`
	// Seed fixes the drawing of addresses and ports, so that two runs send the same flows.
	Seed int64 `yaml:"seed" json:"seed"`
	// Engine is the generator: "auto", or one of Engines.
	Engine string `yaml:"engine" json:"engine"`
	// AFXDPMode is how engine afxdp hands frames over: "copy", "zerocopy", or "auto", which empty stands for.
	AFXDPMode string `yaml:"afxdp_mode,omitempty" json:"afxdp_mode,omitempty"`
	// TestpmdDriver is how engine testpmd opens the tester's device: "afpacket", which empty
	// stands for, or "afxdp".
	TestpmdDriver string `yaml:"testpmd_driver,omitempty" json:"testpmd_driver,omitempty"`
	// Pktgen has the settings of engine pktgen.
	Pktgen Pktgen `yaml:"pktgen,omitempty" json:"pktgen,omitzero"`
	// PerFlow reports how evenly the flows of each cell came through (Jain's index).
	PerFlow bool `yaml:"per_flow" json:"per_flow"`
	// Batch is the number of frames that engine xdp hands to the device at once when it paces.
	Batch int `yaml:"batch" json:"batch"`
}

// Limit is the packet-rate limit that scenario "limit" plants in the DUT.
type Limit struct {
	PPS          int `yaml:"pps" json:"pps"`
	BurstPackets int `yaml:"burst_packets" json:"burst_packets"`
}

// Trial says how one trial is made (RFC 2544 section 23).
type Trial struct {
	// DrainQuiet ends a trial: so long no test frame has arrived.
	DrainQuiet Duration `yaml:"drain_quiet" json:"drain_quiet"`
	// DrainMax bounds the drain.
	DrainMax Duration `yaml:"drain_max" json:"drain_max"`
	// Settle is waited after the counters are read.
	Settle Duration `yaml:"settle" json:"settle"`
}

// Search says how the throughput is looked for.
type Search struct {
	// Algorithm is "mlrsearch" (RFC 9971) or "binary".
	Algorithm string `yaml:"algorithm" json:"algorithm"`
	Goals     []Goal `yaml:"goals" json:"goals"`
	// MinLoadPPS and MaxLoadPPS bound the load per direction; a maximum of 0 means the calibrated ceiling.
	MinLoadPPS float64 `yaml:"min_load_pps" json:"min_load_pps"`
	MaxLoadPPS float64 `yaml:"max_load_pps" json:"max_load_pps"`
	// MaxTrialTime bounds the traffic time spent on one cell.
	MaxTrialTime Duration `yaml:"max_trial_time" json:"max_trial_time"`
}

// Goal is one search goal, named as in RFC 9971 section 6.
type Goal struct {
	Name string `yaml:"name" json:"name"`
	// LossRatio L: a trial with more loss is a high-loss trial.
	LossRatio Ratio `yaml:"loss_ratio" json:"loss_ratio"`
	// ExceedRatio e: the share of trial time that may be high-loss at a lower bound.
	ExceedRatio Ratio `yaml:"exceed_ratio" json:"exceed_ratio"`
	// TrialDuration d: a trial of at least this duration is a full trial.
	TrialDuration Duration `yaml:"trial_duration" json:"trial_duration"`
	// DurationSum S: the trial time that decides a load.
	DurationSum Duration `yaml:"duration_sum" json:"duration_sum"`
	// Width w: the search ends when (upper-lower)/upper is not above it.
	Width Ratio `yaml:"width" json:"width"`
	// RequirePPS is the throughput per direction that every cell must reach, or the
	// run ends with exit code 1; 0 requires none.
	RequirePPS float64 `yaml:"require_pps,omitempty" json:"require_pps,omitempty"`
}

// Direction of traffic: "uni" is A to B; "bi" is A to B and B to A, each at the intended load.
type Direction string

// The two values of Direction.
const (
	Uni Direction = "uni"
	Bi  Direction = "bi"
)

// Scenario is what the DUT is made to be, with the tool that configures it:
// "route", "conntrack", "conntrack-nft", "snat-iptables", "limit", "none".
type Scenario string

// Ratio is a dimensionless share; YAML accepts 0.005 and "0.5%".
type Ratio float64

// Duration is written with its unit in YAML and JSON: "1s", "200ms".
type Duration time.Duration

// FrameSize is in bytes and includes the 4-byte FCS (RFC 2544 section 9.1); 0 stands for "imix".
type FrameSize int

// IMIX is the simple IMIX 7:4:1 of 64, 570 and 1518 bytes (RFC 6985 names the form).
const IMIX FrameSize = 0

// CPUList is a list of CPU numbers, written as in the kernel: "0-3,6", or as a YAML list.
type CPUList []int

// Cell is one combination of scenario and traffic, measured by one search.
type Cell struct {
	Scenario   string    `json:"scenario"`
	Backend    string    `json:"backend,omitempty"`
	IPVersion  int       `json:"ip_version"`
	FrameSize  FrameSize `json:"frame_size_bytes"`
	Flows      int       `json:"flows"`
	Directions Direction `json:"directions"`
	// PathCount is the number of equal-cost paths of scenario ecmp.
	PathCount int `json:"path_count,omitempty"`
	// Variant tells cells of a comparison apart: "A", "B", or the value of a sweep; and
	// those of scenario ecmp with several numbers of paths: "2 paths".
	Variant string `json:"variant,omitempty"`
	// Workload is empty for frames, else the program with its protocol and direction:
	// "iperf3-tcp-reverse"; Flows is then the number of streams.
	Workload string `json:"workload,omitempty"`
}
