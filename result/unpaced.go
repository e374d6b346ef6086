package result

// Unpaced is the outcome of a cell whose engine cannot be paced: it sends as fast as it
// goes, so that no throughput (RFC 1242 section 3.17) can be searched. Rates are per
// direction, those of the trial with the median ReceivedPPS.
type Unpaced struct {
	// Trials were made, each of TrialDurationS.
	Trials         int     `json:"trials"`
	TrialDurationS float64 `json:"trial_duration_s"`
	// SentPPS is what the engine sent, ReceivedPPS what arrived of it (the forwarding rate at
	// the maximum offered load, RFC 2285 section 3.6.2).
	SentPPS     float64 `json:"sent_pps"`
	ReceivedPPS float64 `json:"received_pps"`
	// LossRatio is the share of the frames sent that did not arrive.
	LossRatio float64 `json:"loss_ratio"`
}
