package result

// ForCost is the purpose of the trial in which the DUT's CPUs are sampled.
const ForCost Purpose = "cost"

// CostToleranceRatio is by how much the samples of a Cost may add up to more or less than the
// CPU time that was taken at each context switch: beyond it one of the two is in doubt.
const CostToleranceRatio = 0.05

// Cost says which functions of the kernel the DUT's CPU time of a packet is spent in, from
// samples of its CPUs in a trial of its own. Each sample of the DUT's work stands for the
// time from one sample to the next; so the sum over the functions is measured without
// regard to BusyNSPerPacket, which it should equal.
type Cost struct {
	// LoadPPS is the intended load of the trial per direction, and Goal the one whose lower bound it is; empty for a load of the plan.
	LoadPPS   float64 `json:"load_pps"`
	Goal      string  `json:"goal,omitempty"`
	DurationS float64 `json:"duration_s"`
	// FrequencyHz is how often each of the DUT's CPUs is sampled.
	FrequencyHz float64 `json:"frequency_hz"`
	// Packets are those that the DUT delivered in the trial.
	Packets uint64 `json:"packets"`
	// Samples were taken of the DUT's CPUs from the first of the DUT's work to the last, DUTSamples of them
	// of the DUT's work. ExpectedSamples is how many the frequency gives in this time: some are missing where the
	// machine itself had to wait for its CPU. LostSamples were taken and not kept.
	Samples         int `json:"samples"`
	DUTSamples      int `json:"dut_samples"`
	ExpectedSamples int `json:"expected_samples"`
	LostSamples     int `json:"lost_samples"`
	// ThrottledTimes is how often the kernel left out samples until its next tick, because it took them for too
	// many (PERF_RECORD_THROTTLE, include/uapi/linux/perf_event.h); how many it left out is not known.
	ThrottledTimes int `json:"throttled_times"`
	// SampledNSPerPacket is the sum of the parts, in the interval from LowNSPerPacket to HighNSPerPacket with a confidence of
	// 95 %. BusyNSPerPacket is the CPU time of the DUT's threads in the same trial as taken at each context switch, divided
	// by Packets. DifferenceRatio is SampledNSPerPacket over BusyNSPerPacket, less 1.
	SampledNSPerPacket float64 `json:"sampled_ns_per_packet"`
	LowNSPerPacket     float64 `json:"low_ns_per_packet"`
	HighNSPerPacket    float64 `json:"high_ns_per_packet"`
	BusyNSPerPacket    float64 `json:"busy_ns_per_packet"`
	DifferenceRatio    float64 `json:"difference_ratio"`
	// SearchNSPerPacket is the CPU time of the DUT per packet in the trials of the search at the same load, without sampling; 0 if there were none.
	SearchNSPerPacket float64 `json:"search_ns_per_packet"`
	// Subsystems and Functions are by falling cost; the time of a function is without what it calls.
	Subsystems []CostPart     `json:"subsystems"`
	Functions  []CostFunction `json:"functions"`
	// Others are the shares of the DUT's CPUs that were not the DUT's, by falling share.
	Others []CPUShare `json:"others"`
	// Calls are the DUT's call chains from the outermost functions inwards.
	Calls []CallNode `json:"calls"`
	// File is the profile with its call chains in the format of pprof, in the run's folder.
	File string `json:"file"`
	// Disturbed is what disturbed the trial, also when it was made again; empty if it was sound.
	Disturbed string `json:"disturbed,omitempty"`
}

// CostPart is the cost of a part of the kernel.
type CostPart struct {
	Name string `json:"name"`
	// NSPerPacket is CPU time, in an interval with a confidence of 95 % (Wilson's, with the design effect of 20 groups of samples).
	NSPerPacket     float64 `json:"ns_per_packet"`
	LowNSPerPacket  float64 `json:"low_ns_per_packet"`
	HighNSPerPacket float64 `json:"high_ns_per_packet"`
	Samples         int     `json:"samples"`
}

// CostFunction is the cost of one function, without what it calls.
type CostFunction struct {
	CostPart
	Subsystem string `json:"subsystem"`
}

// CPUShare is the share of the time of the DUT's CPUs, 0 to 1, that somebody had.
type CPUShare struct {
	Name  string  `json:"name"`
	Share float64 `json:"share_ratio"`
}

// CallNode is a function in a tree of calls.
type CallNode struct {
	Name string `json:"name"`
	// Share is 0 to 1 of the whole cost, with what the function calls. Calls that have less than
	// a thousandth are left out of the tree; they are in the share of their caller.
	Share float64    `json:"share_ratio"`
	Calls []CallNode `json:"calls,omitempty"`
}
