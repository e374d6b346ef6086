package result

import "github.com/linerate/linerate/plan"

// Purposes of the trials of the tests besides the throughput search.
const (
	ForLossRate Purpose = "frame-loss-rate"
	ForBursts   Purpose = "back-to-back"
	ForRecovery Purpose = "system-recovery"
)

// BesidesSearch tells whether trials of a purpose belong to another test than the
// throughput search, to the calibration, to a capture or to a profile: they are no points of the
// search's loss curve.
func (p Purpose) BesidesSearch() bool {
	switch p {
	case ForCalibration, ForLossRate, ForBursts, ForRecovery, ForCapture, ForEvent, ForCost:
		return true
	}
	return false
}

// LossPoint is the loss at one load (RFC 2544 section 26.3).
type LossPoint struct {
	// LoadPPS is the intended load per direction, and LoadRatio its share of the
	// maximum load, which is the ceiling of the testbed or the plan's search.max_load_pps.
	LoadPPS   float64 `json:"load_pps"`
	LoadRatio float64 `json:"load_ratio"`
	// LossRatio is (sent - received) / sent: of what was offered, as the RFC has it.
	LossRatio float64 `json:"loss_ratio"`
	// UnsentRatio is the share of the intended frames that the generator could not offer.
	UnsentRatio float64 `json:"unsent_ratio"`
}

// BackToBack is the longest burst without loss (RFC 9004). Frames are per direction.
type BackToBack struct {
	// Repeats is N, the number of searches; LengthsFrames has the result of each.
	Repeats       int      `json:"repeats"`
	LengthsFrames []uint64 `json:"lengths_frames"`
	MeanFrames    float64  `json:"mean_frames"`
	MinFrames     float64  `json:"min_frames"`
	MaxFrames     float64  `json:"max_frames"`
	// SigmaFrames is the standard deviation over the repeats.
	SigmaFrames float64 `json:"sigma_frames"`
	// StepFrames is the resolution of the search.
	StepFrames uint64 `json:"step_frames"`
	// Bounded is false if some search found no burst that lost frames: the result is
	// then a lower bound, the longest burst that was tried.
	Bounded bool `json:"bounded"`
	// BurstPPS is the rate at which bursts of about that length left the generator, as
	// measured. It stands for the maximum theoretical frame rate of RFC 9004: a veth has none.
	BurstPPS float64 `json:"burst_pps"`
	// ThroughputPPS is the throughput that corrects the buffer time; 0 if it was not measured.
	ThroughputPPS float64 `json:"throughput_pps"`
	// ImpliedBufferNS is the mean burst at BurstPPS, and CorrectedBufferNS leaves out
	// what the DUT forwarded meanwhile at its throughput (RFC 9004 section 6.4).
	ImpliedBufferNS   float64 `json:"implied_buffer_ns"`
	CorrectedBufferNS float64 `json:"corrected_buffer_ns"`
	// Bursts counts the bursts that were sent.
	Bursts int `json:"bursts"`
}

// SystemRecovery is the recovery from an overload (RFC 2544 section 26.5).
type SystemRecovery struct {
	// Goal names the goal whose throughput, ThroughputPPS per direction, is the base.
	Goal          string  `json:"goal"`
	ThroughputPPS float64 `json:"throughput_pps"`
	// OverloadPPS is offered for OverloadDurationS, and then RecoveryPPS.
	OverloadPPS       float64 `json:"overload_pps"`
	OverloadDurationS float64 `json:"overload_duration_s"`
	RecoveryPPS       float64 `json:"recovery_pps"`
	// TimesNS has for each repeat the time from the step to the departure of the last
	// frame that was lost; 0 if none was lost after it.
	TimesNS []float64 `json:"times_ns"`
	MeanNS  float64   `json:"mean_ns"`
	MinNS   float64   `json:"min_ns"`
	MaxNS   float64   `json:"max_ns"`
	// ResolutionNS is how precisely the departure of a lost frame is known.
	ResolutionNS float64 `json:"resolution_ns"`
	// Unrecovered counts the repeats in which frames were lost until the end: their
	// time is that of the whole second part.
	Unrecovered int `json:"unrecovered"`
}

// LoadStep is the step of a trial's load, and the loss after it.
type LoadStep struct {
	// AfterS is when the load changed to LoadPPS, counted from the start.
	AfterS  float64 `json:"after_s"`
	LoadPPS float64 `json:"load_pps"`
	// AtNS is when the load changed, on CLOCK_MONOTONIC.
	AtNS uint64 `json:"at_ns"`
	// LastLossNS is the time from the step to the departure of the last lost frame; 0
	// if none was lost after the step.
	LastLossNS float64 `json:"last_loss_ns"`
	// LossToTheEnd is true if frames at the end of a flow are missing.
	LossToTheEnd bool `json:"loss_to_the_end"`
}

// Direct tells that the cell has no DUT: generator and sink joined directly.
func (c Cell) Direct() bool { return c.Scenario == plan.NoDUT }

// HasResults tells whether any test of the cell came to a result.
func (c Cell) HasResults() bool {
	return len(c.Goals) > 0 || len(c.FrameLossRate) > 0 || c.BackToBack != nil || c.SystemRecovery != nil || len(c.Streams) > 0 || c.InstructionsPerPacket != nil || c.Event != nil || c.Unpaced != nil
}
