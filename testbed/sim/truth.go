package sim

import "math"

// TruthPPS is the true throughput of the model for a goal: the load per direction
// at which a trial of the duration, without the model's noise (jitter, glitches),
// just keeps to the loss ratio. For a loss ratio of 0 (NDR) that is the highest load
// at which no whole frame is lost, for 0.005 (PDR) the one at which 0.5 % of the
// frames are. A queue makes it depend on the duration: what waits at the end of a
// trial is not lost. Where losses are drawn by chance, it is the load at which half
// of the trials keep to the loss ratio.
//
// It is not defined (false) if the device loses that share at any load: background
// loss leaves no NDR (RFC 9971 calls such a result irregular). It says nothing about
// the tester, so it may be above MaxLoadPPS.
func (m Model) TruthPPS(lossRatio, durationS float64) (pps float64, defined bool) {
	if m.BackgroundLoss > 0 && lossRatio <= m.BackgroundLoss {
		return 0, false
	}
	passes := func(load float64) bool {
		lost := math.Max(0, m.excess(load, durationS, m.CapacityPPS)-m.QueueFrames)
		limit := (lossRatio - m.BackgroundLoss) * load * durationS
		switch {
		case lossRatio == 0 && m.Drawn:
			limit = math.Ln2 // half of all draws with this mean are zero
		case lossRatio == 0:
			limit = 1 - roundingFrames
		}
		return lost <= limit
	}
	low, high := 0.0, 2*(m.CapacityPPS+(m.QueueFrames+1)/durationS)/(1-lossRatio)
	for range 100 {
		if load := (low + high) / 2; passes(load) {
			low = load
		} else {
			high = load
		}
	}
	return low, true
}
