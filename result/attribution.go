package result

// Attribution says which functions of the kernel the instructions of a packet are spent in. It is an
// estimate from samples of the CPU, taken every so many nanoseconds of the guest's time while packets
// were sent; the sum over the functions is the cell's instructions per packet.
type Attribution struct {
	// Packets were sent and Samples taken, in one boot.
	Packets int `json:"packets"`
	Samples int `json:"samples"`
	// Subsystems and Functions are by falling count.
	Subsystems []AttributedPart     `json:"subsystems"`
	Functions  []AttributedFunction `json:"functions"`
	// File is the profile with its call chains in the format of pprof, in the run's folder.
	File string `json:"file"`
}

// AttributedPart is the share of a part of the kernel.
type AttributedPart struct {
	Name string `json:"name"`
	// InstructionsPerPacket lies in the interval from LowInstructions to HighInstructions with a
	// confidence of 95 %, by the scatter of 15 groups of packets, each with sampling periods of its own.
	InstructionsPerPacket float64 `json:"instructions_per_packet"`
	LowInstructions       float64 `json:"low_instructions"`
	HighInstructions      float64 `json:"high_instructions"`
}

// AttributedFunction is the share of one function, without what it calls.
type AttributedFunction struct {
	AttributedPart
	Subsystem string `json:"subsystem"`
}
