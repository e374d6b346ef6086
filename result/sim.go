package result

// Sim says that a run is a simulation, and of what: the parameters of the model
// (package testbed/sim describes each) and what a search should have found.
type Sim struct {
	Preset string `json:"preset"`
	Seed   int64  `json:"seed"`
	// CapacityPPS is what the model forwards in each direction.
	CapacityPPS float64 `json:"capacity_pps"`
	QueueFrames uint64  `json:"queue_frames"`
	// Knee and Jitter are shares of the capacity.
	Knee   float64 `json:"knee"`
	Jitter float64 `json:"jitter"`
	// BackgroundLoss is a share of the frames, GlitchProbability one of the trials.
	BackgroundLoss    float64 `json:"background_loss"`
	GlitchProbability float64 `json:"glitch_probability"`
	// Collapse is in frames of capacity for each frame above it.
	Collapse float64 `json:"collapse"`
	// MaxLoadPPS is what the simulated tester offers in each direction.
	MaxLoadPPS float64 `json:"max_load_pps"`
	Truth      Truth   `json:"truth"`
}

// Truth is the true throughput of a model per direction, computed and not searched
// for: the load at which a trial as long as the plan's goal asks for (d), without
// jitter and glitches, just keeps to the goal's loss ratio.
type Truth struct {
	// NDRPPS is that of the goal named NDR. It is null if the plan has no such goal,
	// and where it is not defined, as with background loss.
	NDRPPS *float64 `json:"ndr_pps" jsonschema:"nullable"`
	// PDRPPS is that of the goal named PDR, null like NDRPPS.
	PDRPPS *float64 `json:"pdr_pps" jsonschema:"nullable"`
}
