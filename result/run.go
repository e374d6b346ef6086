// Package result is the record of a run: its types, its JSON schema and the
// folder it is stored in. Reports and comparisons read only this record.
package result

import (
	"time"

	"github.com/linerate/linerate/plan"
)

// SchemaV1 is the value of Run.Schema that this package reads and writes.
const SchemaV1 = "linerate.run/v1"

// Outcome says how a run ended.
type Outcome string

// The values of Outcome.
const (
	Running     Outcome = "running"
	Measured    Outcome = "measured"
	Interrupted Outcome = "interrupted"
	Failed      Outcome = "failed"
)

// Run is the content of run.json.
type Run struct {
	Schema      string      `json:"schema"`
	ID          string      `json:"id"`
	Started     time.Time   `json:"started"`
	Finished    time.Time   `json:"finished"`
	Outcome     Outcome     `json:"outcome"`
	Error       string      `json:"error,omitempty"`
	Command     []string    `json:"command"`
	Plan        plan.Plan   `json:"plan"`
	Testbed     Testbed     `json:"testbed"`
	Sim         *Sim        `json:"sim,omitempty"`
	Environment Environment `json:"environment"`
	Calibration Calibration `json:"calibration"`
	Cells       []Cell      `json:"cells"`
	Warnings    []Warning   `json:"warnings"`
	// Comparison is set when the plan compared A with B, and Sweep when it swept a field. Cells are
	// then those of the first search of each variant.
	Comparison *Comparison `json:"comparison,omitempty"`
	Sweep      *Sweep      `json:"sweep,omitempty"`
	// Kernels and KernelPairs are set by a run of testbed vm: what was booted, and each pair of kernels in each cell.
	Kernels     []Kernel     `json:"kernels,omitempty"`
	KernelPairs []KernelPair `json:"kernel_pairs,omitempty"`
	// KernelRates are set where the plan asks for the kernels' forwarding rates (vm.metric).
	KernelRates *KernelRates `json:"kernel_rates,omitempty"`
}

// Warning is a doubt, kept as data: Code is stable and for programs, Text is a sentence for people.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Testbed is where the run was made.
type Testbed struct {
	Kind       string   `json:"kind"`
	DUTCPUs    []int    `json:"dut_cpus"`
	TesterCPUs []int    `json:"tester_cpus"`
	SharedCPUs bool     `json:"shared_cpus"`
	MTUBytes   int      `json:"mtu_bytes"`
	Queues     int      `json:"queues"`
	Links      []string `json:"links"`
}

// Environment is the machine the run was made on. Every map is printed sorted.
type Environment struct {
	Kernel         string            `json:"kernel"`
	KernelCmdline  string            `json:"kernel_cmdline"`
	OS             string            `json:"os"`
	Architecture   string            `json:"architecture"`
	CPUModel       string            `json:"cpu_model"`
	CPUs           int               `json:"cpus"`
	MemoryBytes    uint64            `json:"memory_bytes"`
	Virtualisation string            `json:"virtualisation"`
	Governor       string            `json:"governor"`
	Offloads       map[string]string `json:"offloads"`
	Sysctls        map[string]string `json:"sysctls"`
	Versions       map[string]string `json:"versions"`
}

// Calibration is what generator and sink reach without a DUT between them.
type Calibration struct {
	// CeilingPPS is the lowest per-direction ceiling over all shapes of traffic of the run.
	CeilingPPS float64   `json:"ceiling_pps"`
	Ceilings   []Ceiling `json:"ceilings"`
	// Direct are the streams of a workload over a direct link, where no cell of the run measured them.
	Direct []DirectStreams `json:"direct,omitempty"`
}

// Ceiling is the highest load per direction that generator and sink carry
// without a DUT at a loss ratio of at most 0.5 %, for one shape of traffic.
type Ceiling struct {
	IPVersion  int            `json:"ip_version"`
	FrameSize  plan.FrameSize `json:"frame_size_bytes"`
	Flows      int            `json:"flows"`
	Directions plan.Direction `json:"directions"`
	Engine     string         `json:"engine"`
	PPS        float64        `json:"ceiling_pps"`
	P50NS      uint64         `json:"p50_ns"`
	// Bound says which of the two sets the ceiling: generator-bound or receiver-bound.
	Bound Verdict `json:"bound,omitempty"`
	// Unpaced tells that the engine cannot be paced: PPS is then what arrived of all that it
	// sent as fast as it goes, with whatever loss, and not a load that passes.
	Unpaced bool `json:"unpaced,omitempty"`
	// LatencyFloor is the latency without a DUT at the loads of the cells' latency trials, by rising load: the part of every
	// latency that is the tester's own. It is never subtracted.
	LatencyFloor []LatencyAt `json:"latency_floor,omitempty"`
}

// Verdict says what bounded the figure of a goal.
type Verdict string

// The values of Verdict.
const (
	DUTBound       Verdict = "dut-bound"
	GeneratorBound Verdict = "generator-bound"
	ReceiverBound  Verdict = "receiver-bound"
	LinkBound      Verdict = "link-bound"
	Unstable       Verdict = "unstable"
	Undefined      Verdict = "undefined"
)

// Cell is one measured combination of scenario and traffic. Loads are per direction.
type Cell struct {
	ID         string         `json:"id"`
	Scenario   string         `json:"scenario"`
	Backend    string         `json:"backend"`
	IPVersion  int            `json:"ip_version"`
	FrameSize  plan.FrameSize `json:"frame_size_bytes"`
	Flows      int            `json:"flows"`
	Directions plan.Direction `json:"directions"`
	// Variant tells cells of a comparison apart: "A", "B", or the value of a sweep.
	Variant    string  `json:"variant,omitempty"`
	Engine     string  `json:"engine"`
	CeilingPPS float64 `json:"ceiling_pps"`
	// CeilingBound is what sets the ceiling: see Ceiling.
	CeilingBound Verdict `json:"ceiling_bound,omitempty"`
	// Verdict is the verdict of the goal that the cell is described at; empty when the cell was skipped,
	// and in a run of kernels without the scenario none, which tells what the end hosts cost.
	Verdict Verdict `json:"verdict"`
	// Evidence are the sentences that the verdict rests on.
	Evidence []string  `json:"evidence"`
	Warnings []Warning `json:"warnings"`
	Goals    []Goal    `json:"goals"`
	// CPU and Latency are null in run.json when they were not measured.
	CPU     *CPU     `json:"cpu" jsonschema:"nullable"`
	Latency *Latency `json:"latency" jsonschema:"nullable"`
	// LatencyAt are the latency trials, by the plan's shares of the throughput and then its loads in packets per second.
	LatencyAt []LatencyAt `json:"latency_at,omitempty"`
	// FlowFairness is the least even of the trials at the throughput, FlowFairnessOverload that of the trial with the highest load, if the plan asks for it.
	FlowFairness         *FlowFairness `json:"flow_fairness,omitempty"`
	FlowFairnessOverload *FlowFairness `json:"flow_fairness_overload,omitempty"`
	// QueueShares are the DUT's receive queues in the trials at the throughput.
	QueueShares []QueueShare `json:"queue_shares,omitempty"`
	// Paths are the frames on each of several paths through the DUT in the trials at the throughput.
	Paths []PathCounts `json:"paths,omitempty"`
	// BackgroundLossRatio is set when loss does not depend on the load.
	BackgroundLossRatio *float64   `json:"background_loss_ratio,omitempty"`
	Conntrack           *Conntrack `json:"conntrack,omitempty"`
	// Ledger is that of the trials at the upper bound of the goal that the cell is
	// described at: what was lost there is what bounds the figure.
	Ledger *Ledger `json:"ledger,omitempty"`
	// FrameLossRate, BackToBack and SystemRecovery are the outcomes of those tests, if the plan asks for them.
	FrameLossRate  []LossPoint     `json:"frame_loss_rate,omitempty"`
	BackToBack     *BackToBack     `json:"back_to_back,omitempty"`
	SystemRecovery *SystemRecovery `json:"system_recovery,omitempty"`
	// Event is what was done to the DUT in the middle of a trial, and what it cost; absent if nothing was.
	Event *Event `json:"event,omitempty"`
	// Unpaced is what came of sending as fast as it goes, in place of goals, where the engine cannot be paced, or another program measured one load.
	Unpaced *Unpaced `json:"unpaced,omitempty"`
	// Tuning is the setting of the generator that the cell tried, and what came of it; absent in other runs.
	Tuning *Tuning `json:"tuning,omitempty"`
	// Kernel is the Name of the kernel that a run of testbed vm booted for the cell.
	Kernel                string                 `json:"kernel,omitempty"`
	InstructionsPerPacket *InstructionsPerPacket `json:"instructions_per_packet,omitempty"`
	ForwardingRate        *ForwardingRate        `json:"forwarding_rate,omitempty"`
	Attribution           *Attribution           `json:"attribution,omitempty"`
	// Cost says where the CPU time of a packet goes, if the plan asks for it.
	Cost *Cost `json:"cost,omitempty"`
	// StreamFigures are those of a workload of streams.
	StreamFigures
	// Captures are the files that hold frames of this cell.
	Captures []Capture `json:"captures,omitempty"`
	// Setup are the commands and settings that made the DUT, in order, for a reader to repeat by hand.
	Setup []string `json:"setup"`
	// Skipped is the reason why the cell was not measured; empty when it was.
	Skipped string `json:"skipped"`
}

// Goal is the outcome of the search for one goal.
type Goal struct {
	Name           string  `json:"name"`
	LossRatio      float64 `json:"loss_ratio"`
	TrialDurationS float64 `json:"trial_duration_s"`
	DurationSumS   float64 `json:"duration_sum_s"`
	// LowerPPS is the relevant lower bound and UpperPPS the relevant upper bound (RFC 9971); 0 when there is none.
	LowerPPS float64 `json:"lower_pps"`
	UpperPPS float64 `json:"upper_pps"`
	// ConditionalPPS is the conditional throughput of the lower bound (RFC 9971).
	ConditionalPPS float64 `json:"conditional_pps"`
	// Trials and TrialSeconds count the trials at all loads that the cell needed for all goals together.
	Trials       int     `json:"trials"`
	TrialSeconds float64 `json:"trial_seconds"`
	// Regular is false when there is no upper bound (the maximum load passed) or no lower bound.
	Regular bool `json:"regular"`
	// Verdict says what bounded this goal's figure.
	Verdict Verdict `json:"verdict"`
	// Reason says why the search ended when it did not end by its width.
	Reason string `json:"reason,omitempty"`
}

// CPU is the busy time of the DUT at the throughput.
type CPU struct {
	// DUTCoresBusy is the CPU time of the DUT's work divided by the trial's duration.
	DUTCoresBusy float64 `json:"dut_cores_busy"`
	// NSPerPacket is the CPU time of the DUT divided by the frames that it forwarded.
	NSPerPacket float64 `json:"ns_per_packet"`
	PerCore     []Core  `json:"per_core"`
}

// Core is the share of one CPU's time, 0 to 1, by kind, from /proc/stat.
type Core struct {
	CPU     int     `json:"cpu"`
	Role    string  `json:"role"`
	User    float64 `json:"user"`
	System  float64 `json:"system"`
	SoftIRQ float64 `json:"softirq"`
	IRQ     float64 `json:"irq"`
	Steal   float64 `json:"steal"`
	Idle    float64 `json:"idle"`
	// TurnsPerS is how many turns of a fixed loop of multiplications the CPU made in a
	// second of its time during the trial, timed 200 times a second. It compares the
	// CPU with itself only: when it falls, so does what the CPU can forward.
	TurnsPerS float64 `json:"turns_per_s,omitempty"`
	// Sink is the share of the CPU's time in which a thread of a sink ran, and Foreign
	// that of threads which are neither the testbed's nor linerate's, in user mode or in
	// the kernel. Both are measured at each context switch, not from /proc/stat.
	Sink    float64 `json:"sink"`
	Foreign float64 `json:"foreign"`
	// ForeignName is the foreign process that had the CPU for the longest time; empty if none was seen.
	ForeignName string `json:"foreign_name,omitempty"`
	// ProcessedFrames are the frames that went up the network stack on this CPU, of the whole machine (first column of
	// /proc/net/softnet_stat). A frame that a sink's XDP program drops is not among them.
	ProcessedFrames uint64 `json:"processed_frames"`
}

// Latency is taken from the time stamp in each frame to its arrival in the sink's XDP program.
type Latency struct {
	Frames uint64 `json:"frames"`
	MinNS  uint64 `json:"min_ns"`
	MeanNS uint64 `json:"mean_ns"`
	P50NS  uint64 `json:"p50_ns"`
	P90NS  uint64 `json:"p90_ns"`
	P99NS  uint64 `json:"p99_ns"`
	P999NS uint64 `json:"p999_ns"`
	MaxNS  uint64 `json:"max_ns"`
	// Histogram holds the buckets that counted frames, by rising upper edge.
	Histogram []Bucket `json:"histogram,omitempty"`
}

// Conntrack are the counters of the DUT's connection tracking over a cell or a trial.
type Conntrack struct {
	Entries      uint64 `json:"entries"`
	Max          uint64 `json:"max"`
	InsertFailed uint64 `json:"insert_failed"`
	Drop         uint64 `json:"drop"`
	EarlyDrop    uint64 `json:"early_drop"`
	Invalid      uint64 `json:"invalid"`
}
