package result

// Accelerator is what executed the guests whose rates were measured, and what is known of KVM here.
type Accelerator struct {
	// Used is "kvm", or "tcg", QEMU's translator, whose rate is that of an emulator; empty if no rate was measured.
	Used string `json:"used"`
	// KVMUsable tells that a virtual CPU executed a probe faster than the translator did, and Reason why or why not.
	KVMUsable bool   `json:"kvm_usable"`
	Reason    string `json:"reason"`
	// KVMInstructionsPerS and EmulatorInstructionsPerS are how fast each executed the probe's loop, in
	// instructions of a kernel's mode in a second; 0 if it did not come to that.
	KVMInstructionsPerS      float64 `json:"kvm_instructions_per_s"`
	EmulatorInstructionsPerS float64 `json:"emulator_instructions_per_s"`
}

// KernelRates are the forwarding rates of a run of testbed vm, compared in rounds: in each, every
// kernel is booted anew and the first one twice, and each cell is measured in all of these guests
// one right after the other, in an order drawn by lot. Two kernels of a round are an adjacent pair.
type KernelRates struct {
	Accelerator Accelerator `json:"accelerator"`
	// RoundsPlanned was fixed before the start; RoundsMeasured is how many came to their end.
	RoundsPlanned  int `json:"rounds_planned"`
	RoundsMeasured int `json:"rounds_measured"`
	// AlphaRatio and LeastChangeRatio are as in Comparison.
	AlphaRatio       float64          `json:"alpha_ratio"`
	LeastChangeRatio float64          `json:"least_change_ratio"`
	Pairs            []KernelRatePair `json:"pairs"`
}

// KernelRatePair is kernel B beside kernel A in one cell, by their forwarding rates.
type KernelRatePair struct {
	A string `json:"a"`
	B string `json:"b"`
	// ComparedCell has the pairs and the verdict; its AAPairs are those of the run's first kernel.
	ComparedCell
	KernelBound
}

// KernelBound is what a difference between two kernels is one of: the DUT's, or the end hosts',
// which run the same kernel.
type KernelBound struct {
	// Bound is "dut-bound", or "generator-bound" if generator and sink set the figures of both kernels, or have
	// more than half of the difference between them; empty if the plan does not have the scenario none.
	Bound Verdict `json:"bound,omitempty"`
	// EndHostShareRatio is the part of the difference that generator and sink have without a DUT; 0 without a difference that counts.
	EndHostShareRatio float64 `json:"end_host_share_ratio"`
	// DUTChangeRatio is the change of what a packet costs less that part, as a share of the DUT's own cost under A.
	DUTChangeRatio float64 `json:"dut_change_ratio"`
	// BoundReason is why, as a sentence.
	BoundReason string `json:"bound_reason,omitempty"`
}

// GeneratorIdleLimitRatio is the share of the time that a generator may wait: beyond it, the
// load that it was told sets the rate, and not what is measured.
const GeneratorIdleLimitRatio = 0.05

// ForwardingRate is what a guest forwards in real time: the packets that arrive at its sink in a
// second, where one CPU runs generator, DUT and sink one after the other for each packet.
type ForwardingRate struct {
	// MedianPPS, MinPPS and MaxPPS are those of the rounds.
	MedianPPS float64 `json:"median_pps"`
	MinPPS    float64 `json:"min_pps"`
	MaxPPS    float64 `json:"max_pps"`
	// SinkOnlyPPS is MedianPPS of the same kernel and traffic without a DUT; 0 if the plan does not have the scenario none.
	SinkOnlyPPS float64 `json:"sink_only_pps"`
	// EndHostShareRatio is the share of a packet's time that generator and sink take: MedianPPS/SinkOnlyPPS.
	EndHostShareRatio float64 `json:"end_host_share_ratio"`
	// GeneratorIdleRatio is the median share of the time in which the generator waited, because it was told a load.
	GeneratorIdleRatio float64       `json:"generator_idle_ratio"`
	Trials             []KernelTrial `json:"trials"`
}

// KernelTrial is one measurement of a cell in one guest.
type KernelTrial struct {
	// Round counts from 1, and Order, from 1 too, is the place in it. Twin tells that it is the second guest of the first kernel.
	Round int   `json:"round"`
	Order int   `json:"order"`
	Twin  bool  `json:"twin"`
	Seed  int64 `json:"seed"`
	// Sent and Received are counts of packets.
	Sent     int `json:"sent"`
	Received int `json:"received"`
	// DurationS is the time that the generator took, by the guest's clock, and GeneratorIdleS what of it it waited.
	DurationS      float64 `json:"duration_s"`
	GeneratorIdleS float64 `json:"generator_idle_s"`
	// CPURatio is the share of a CPU of this machine that the emulator got in that time.
	CPURatio float64 `json:"cpu_ratio"`
	// ClockRatio is this machine's time from the guest's boot to the trial's end by the guest's own.
	ClockRatio float64 `json:"clock_ratio"`
	// Attempts is 1, or more if it was repeated; Disturbed is why it stayed disturbed, empty if it did not. It counts all the same.
	Attempts  int    `json:"attempts"`
	Disturbed string `json:"disturbed,omitempty"`
}

// PPS is what arrived in a second.
func (t KernelTrial) PPS() float64 {
	if t.DurationS <= 0 {
		return 0
	}
	return float64(t.Received) / t.DurationS
}
