package result

// Ways to attribute instructions: by counting each in the emulator, or by samples of the CPU.
const (
	ByPlugin   = "plugin"
	BySampling = "sampling"
)

// Attribution says which functions of the kernel the instructions of a packet are spent in. The
// functions add up to the subsystems, and these to all instructions of a packet.
type Attribution struct {
	// Method is ByPlugin: each instruction of Packets packets was counted, in a boot of its own (a
	// plugin of QEMU's translator, interface of qemu-plugin.h); or BySampling: an estimate from
	// Samples of the CPU, taken every so many nanoseconds of the guest's time.
	Method  string `json:"method,omitempty"`
	Packets int    `json:"packets"`
	Samples int    `json:"samples"`
	// Check compares the sum with the guest's clock; absent for samples, which are shares of it.
	Check *AttributionCheck `json:"check,omitempty"`
	// Subsystems and Functions are by falling count.
	Subsystems []AttributedPart     `json:"subsystems"`
	Functions  []AttributedFunction `json:"functions"`
	// Calls are the call chains from the outermost functions inwards; of samples only.
	Calls []CallNode `json:"calls,omitempty"`
	// File is the profile in the format of pprof, in the run's folder: call chains of samples, or
	// the counts of functions, each under its subsystem.
	File string `json:"file"`
}

// AttributionCheck holds counts by a plugin to a figure that no plugin had a part in.
type AttributionCheck struct {
	// SumInstructions is that of all functions, per packet.
	SumInstructions float64 `json:"sum_instructions"`
	// MeasuredInstructions per packet are by the guest's clock, in the boot with the same seed and no plugin.
	MeasuredInstructions float64 `json:"measured_instructions"`
	// DifferenceRatio is how much greater the sum is; beyond 0.02 the cell has the warning attribution-differs.
	DifferenceRatio float64 `json:"difference_ratio"`
}

// AttributedPart is the share of a part of the kernel.
type AttributedPart struct {
	Name string `json:"name"`
	// InstructionsPerPacket lies in the interval from LowInstructions to HighInstructions with a
	// confidence of 95 %, by the scatter of 15 groups of packets, each with sampling periods of its
	// own; of counts by a plugin all three are the same.
	InstructionsPerPacket float64 `json:"instructions_per_packet"`
	LowInstructions       float64 `json:"low_instructions"`
	HighInstructions      float64 `json:"high_instructions"`
	// SinkOnlyInstructions are those of the scenario none with the same kernel and traffic: what is
	// more is the DUT's. Left out if it has none.
	SinkOnlyInstructions float64 `json:"sink_only_instructions,omitempty"`
}

// DUTInstructions are those that the DUT adds to generator and sink, per packet.
func (p AttributedPart) DUTInstructions() float64 {
	return p.InstructionsPerPacket - p.SinkOnlyInstructions
}

// AttributedFunction is the share of one function, without what it calls.
type AttributedFunction struct {
	AttributedPart
	Subsystem string `json:"subsystem"`
}
