package result

import "time"

// Purpose says what a trial was made for.
type Purpose string

// The values of Purpose.
const (
	ForCalibration Purpose = "calibration"
	ForWarmUp      Purpose = "warm-up"
	ForSearch      Purpose = "search"
	ForLatency     Purpose = "latency"
	// ForLedger trials are made at the upper bound after the search, with the kernel's
	// drops traced, where counters leave frames unexplained.
	ForLedger Purpose = "ledger"
	// ForComparison is a forwarding rate at a fixed load, for a comparison or a sweep.
	ForComparison Purpose = "comparison"
)

// Trial is one line of trials.jsonl: one load for one duration, as counts over all
// directions together. Ratios are methods.
type Trial struct {
	Cell    string    `json:"cell"`
	Number  int       `json:"number"`
	Purpose Purpose   `json:"purpose"`
	Started time.Time `json:"started"`
	Epoch   uint16    `json:"epoch"`
	// IntendedLoadPPS is per direction.
	IntendedLoadPPS   float64 `json:"intended_load_pps"`
	IntendedDurationS float64 `json:"intended_duration_s"`
	ActualDurationS   float64 `json:"actual_duration_s"`
	Directions        int     `json:"directions"`

	Intended   uint64 `json:"intended"`
	Sent       uint64 `json:"sent"`
	Unsent     uint64 `json:"unsent"`
	Received   uint64 `json:"received"`
	Lost       uint64 `json:"lost"`
	Duplicated uint64 `json:"duplicated"`
	Reordered  uint64 `json:"reordered"`
	Late       uint64 `json:"late"`
	Foreign    uint64 `json:"foreign"`
	// WrongSize frames had another length than was sent; WrongRewrite frames had other addresses than the DUT should have given them.
	WrongSize    uint64 `json:"wrong_size"`
	WrongRewrite uint64 `json:"wrong_rewrite"`
	// WrongFlow frames had the signature and the epoch of the trial, but a flow number that no stream has.
	WrongFlow     uint64 `json:"wrong_flow"`
	SentBytes     uint64 `json:"sent_bytes"`
	ReceivedBytes uint64 `json:"received_bytes"`
	// TesterDrops are frames that the tester's own receive queue refused: not the DUT's loss.
	TesterDrops uint64 `json:"tester_drops"`
	// DUTInputDrops are frames that the DUT's receive queue refused: the DUT's loss.
	DUTInputDrops uint64 `json:"dut_input_drops"`

	// Interruptions is how often the system ended the sending call before the whole batch was sent.
	Interruptions int `json:"interruptions"`

	Ports     []PortCounts `json:"ports"`
	CPU       *CPU         `json:"cpu,omitempty"`
	Latency   *Latency     `json:"latency,omitempty"`
	Gaps      *Gaps        `json:"gaps,omitempty"`
	Step      *LoadStep    `json:"step,omitempty"`
	Conntrack *Conntrack   `json:"conntrack,omitempty"`
	// Ledger says where the frames went that did not arrive; absent when all did.
	Ledger   *Ledger   `json:"ledger,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
	// Disturbances are what happened on the machine that makes the trial doubtful; such a
	// trial is made again, a few times at most.
	Disturbances []Disturbance `json:"disturbances,omitempty"`
	// Discarded is why the trial was repeated and not given to the search; empty if it was.
	Discarded string `json:"discarded,omitempty"`

	// Variation is measured in latency trials only, FlowFairness if the plan asks for it.
	Variation    *Variation    `json:"variation,omitempty"`
	FlowFairness *FlowFairness `json:"flow_fairness,omitempty"`
	// QueueShares are what each receive queue of the DUT did.
	QueueShares []QueueShare `json:"queue_shares,omitempty"`
	// Event is what was done to the DUT in the middle of the trial, and what it cost.
	Event *Event `json:"event,omitempty"`
	// Paths are the frames on each of several paths through the DUT.
	Paths []PathCounts `json:"paths,omitempty"`
}

// PortCounts are the counts of one tester port, over both directions of traffic
// that touch it: Sent, Unsent and InterfaceTx are what left by it, Received,
// Foreign and InterfaceRx what arrived at it.
type PortCounts struct {
	Port     string `json:"port"`
	Sent     uint64 `json:"sent"`
	Unsent   uint64 `json:"unsent"`
	Received uint64 `json:"received"`
	Foreign  uint64 `json:"foreign"`
	// InterfaceTx and InterfaceRx are the kernel's own counters of the interface over the trial.
	InterfaceTx uint64 `json:"interface_tx"`
	InterfaceRx uint64 `json:"interface_rx"`
	// InterfaceTxErrors are frames that left the port and that the peer's receive ring refused.
	InterfaceTxErrors uint64 `json:"interface_tx_errors"`
	// ReceivedPerCPU divides Received by the CPU that the sink's program ran on; CPUs without a frame are left out.
	ReceivedPerCPU []CPUFrames `json:"received_per_cpu,omitempty"`
}

// Gaps are the times between two departures of one stream on one sending thread,
// as achieved, and what they should be.
type Gaps struct {
	TargetNS uint64 `json:"target_ns"`
	P50NS    uint64 `json:"p50_ns"`
	P99NS    uint64 `json:"p99_ns"`
	MaxNS    uint64 `json:"max_ns"`
}

// LossRatio is (sent - received + unsent) / intended: load that the generator
// could not offer is never passed over in silence.
func (t Trial) LossRatio() float64 {
	if t.Intended == 0 {
		return 0
	}
	return float64(t.Lost+t.Unsent) / float64(t.Intended)
}

// UnsentRatio is the share of the intended frames that the generator could not offer.
func (t Trial) UnsentRatio() float64 {
	if t.Intended == 0 {
		return 0
	}
	return float64(t.Unsent) / float64(t.Intended)
}

// ReceivedPPS is the forwarding rate (RFC 2285 section 3.6.1) over all directions.
func (t Trial) ReceivedPPS() float64 {
	if t.ActualDurationS == 0 {
		return 0
	}
	return float64(t.Received) / t.ActualDurationS
}
