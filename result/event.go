package result

// ForEvent trials have an event in the middle.
const ForEvent Purpose = "event"

// Event is something that was done to the DUT in the middle of a trial, such as taking
// away a path, and what became of the frames. Counts are over all directions.
type Event struct {
	// Name says what was done.
	Name string `json:"name"`
	// LoadPPS is the load per direction, for DurationS.
	LoadPPS   float64 `json:"load_pps"`
	DurationS float64 `json:"duration_s"`
	// AtS is when it was begun, counted from the beginning of ReceivedPerBin, and TookNS how
	// long it took to do.
	AtS    float64 `json:"at_s"`
	TookNS uint64  `json:"took_ns"`
	// Lost are the frames of the trial that did not arrive, LostBefore those of them that
	// were known to be missing before the event.
	Sent       uint64 `json:"sent"`
	Received   uint64 `json:"received"`
	Lost       uint64 `json:"lost"`
	LostBefore uint64 `json:"lost_before"`
	// LossDerivedNS is the time in which the load has as many frames as were lost from the
	// event on (the loss-derived method of RFC 6412): how long the traffic as a whole would
	// have been interrupted.
	LossDerivedNS float64 `json:"loss_derived_ns"`
	// LastLossNS is the time from the event to the departure of the last frame that was
	// lost: the convergence time. 0 if none was lost after the event.
	LastLossNS float64 `json:"last_loss_ns"`
	// LossToTheEnd is true if frames at the end of a flow are missing: the DUT had not
	// converged when the trial ended, and LastLossNS is the time that there was.
	LossToTheEnd bool `json:"loss_to_the_end"`
	// BinNS is the width of the bins, and ReceivedPerBin the frames by the time of their
	// arrival, from the first frame on.
	BinNS          uint64   `json:"bin_ns"`
	ReceivedPerBin []uint64 `json:"received_per_bin"`
}
