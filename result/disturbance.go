package result

// Codes of Disturbance: what can make a trial say nothing about the DUT.
const (
	// GeneratorShort is the share of the intended frames that were not offered in time.
	GeneratorShort = "generator-short"
	// GeneratorHeld is the longest time in nanoseconds in which a paced stream sent
	// nothing; what it missed left as a burst.
	GeneratorHeld = "generator-held"
	// Stolen is the share of a CPU that the hypervisor took.
	Stolen = "steal"
	// ForeignLoad is the share of a CPU that other programs took, in user mode or in the kernel.
	ForeignLoad = "foreign-load"
	// ForeignSoftIRQ is the share of a CPU that soft interrupts took; the testbed's own
	// packets are handled by threads.
	ForeignSoftIRQ = "foreign-softirq"
	// FrequencyChanged is the clock frequency of a CPU after the trial, relative to before it.
	FrequencyChanged = "frequency"
	// ClockSourceChanged means that the kernel changed the source of its clocks in mid-trial.
	ClockSourceChanged = "clock-source"
	// ClockSlewed is by how much, in parts per million, CLOCK_MONOTONIC ran off the
	// hardware clock (CLOCK_MONOTONIC_RAW) during the trial.
	ClockSlewed = "clock-slewed"
	// Suspended is the time in nanoseconds that the machine slept in mid-trial.
	Suspended = "suspended"
	// ImpossibleLatency counts frames that arrived before they were sent, or later than
	// a trial waits for them.
	ImpossibleLatency = "impossible-latency"
)

// Disturbance is something that went wrong on the machine, not in the DUT, during a
// trial, and that is above the limit at which the trial says nothing about the DUT.
type Disturbance struct {
	// Code is one of the constants above, stable and for programs.
	Code string `json:"code"`
	// Text is a sentence for people.
	Text string `json:"text"`
	// Value is how much, in Unit: "share" (0 to 1), "ratio", "ns", "ppm", "frames" or "changes".
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// StayedDisturbed is the code of a cell's warning that most trials which decide its
// figure were disturbed, also when made again.
const StayedDisturbed = "stayed-disturbed"

// Disturbed tells whether the trials that decide the cell's figure stayed disturbed.
// Its figures are then lower bounds: undisturbed, the DUT may carry more.
func (c Cell) Disturbed() bool {
	for _, w := range c.Warnings {
		if w.Code == StayedDisturbed {
			return true
		}
	}
	return false
}
