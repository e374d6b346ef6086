package result

// Unpaced is the outcome of a cell of one load: its engine cannot be paced and sends as fast
// as it goes, or the figures are imported from another program. No throughput (RFC 1242
// section 3.17) was searched for. Rates are per direction, those of the trial with the
// median ReceivedPPS.
type Unpaced struct {
	// Trials were made, each of TrialDurationS; 0 s if an imported output does not tell.
	Trials         int     `json:"trials"`
	TrialDurationS float64 `json:"trial_duration_s"`
	// SentPPS is what the engine sent, ReceivedPPS what arrived of it (the forwarding rate at
	// the maximum offered load, RFC 2285 section 3.6.2). ReceivedPPS is 0 where only the
	// sender's figures were imported.
	SentPPS     float64 `json:"sent_pps"`
	ReceivedPPS float64 `json:"received_pps"`
	// LossRatio is the share of the frames sent that did not arrive; 0 also where that is not known.
	LossRatio float64 `json:"loss_ratio"`
}
