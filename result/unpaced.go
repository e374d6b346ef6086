package result

// CarriedLossRatio is the loss up to which all that was sent counts as carried: a tester's
// ceiling is searched with it, and what a device would carry of more is then not known.
const CarriedLossRatio = 0.005

// Unpaced is the outcome of a cell of one load: its engine cannot be paced and sends as fast
// as it goes, or the figures are imported from another program. No throughput (RFC 1242
// section 3.17) was searched for. Rates are per direction, those of the trial with the
// median of what arrived.
type Unpaced struct {
	// Trials were made, each of TrialDurationS; 0 s if an imported output does not tell.
	Trials         int     `json:"trials"`
	TrialDurationS float64 `json:"trial_duration_s"`
	// SentPPS is what the engine sent.
	SentPPS float64 `json:"sent_pps"`
	// ReceivedPPS is what arrived of it: the forwarding rate at the maximum offered load (RFC 2285
	// section 3.6.2). LossRatio is the share of the frames sent that did not. Both are absent
	// where only the sender's figures were imported.
	ReceivedPPS *float64 `json:"received_pps,omitempty"`
	LossRatio   *float64 `json:"loss_ratio,omitempty"`
}

// Arrival is what arrived per direction and what was lost. It is not known where one of them is
// absent or both are 0: where nothing arrives of what was sent, all is lost.
func (u Unpaced) Arrival() (receivedPPS, lossRatio float64, known bool) {
	if u.ReceivedPPS == nil || u.LossRatio == nil {
		return 0, 0, false
	}
	receivedPPS, lossRatio = *u.ReceivedPPS, *u.LossRatio
	return receivedPPS, lossRatio, receivedPPS > 0 || lossRatio > 0
}

// CarriedAll tells whether next to nothing of what was sent was lost, as far as that is known.
func (u Unpaced) CarriedAll() bool {
	_, loss, known := u.Arrival()
	return known && loss <= CarriedLossRatio
}
