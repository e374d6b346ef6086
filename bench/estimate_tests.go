package bench

import "github.com/linerate/linerate/plan"

// What the trials of the other tests take, for the estimate: a burst with its waits,
// and bursts of one search when the longest is some hundred frames.
const (
	burstSeconds    = 0.25
	burstsPerSearch = 17
	sweepShareOfAll = 0.6 // of the loads, until two trials in a row lose nothing
)

// testSeconds is the time of the tests besides the throughput, of the capture and of the cost for one cell.
func testSeconds(p plan.Plan) float64 {
	each := handlingSeconds(p)
	sum := 0.0
	if p.Has(plan.LossRate) && p.FrameLossRate.Step > 0 {
		sum += sweepShareOfAll / float64(p.FrameLossRate.Step) * (p.FrameLossRate.TrialDuration.Seconds() + each)
	}
	if p.Has(plan.Bursts) {
		sum += float64(p.BackToBack.Repeats) * burstsPerSearch * (burstSeconds + p.BackToBack.Idle.Seconds() + p.Trial.Settle.Seconds())
	}
	if p.Has(plan.Recovery) {
		sum += float64(p.SystemRecovery.Repeats) * (p.SystemRecovery.OverloadDuration.Seconds() + p.SystemRecovery.RecoveryDuration.Seconds() + each)
	}
	if p.Capture.Frames > 0 {
		sum += float64(p.Capture.Frames)/captureLoadPPS + each
	}
	if p.Cost.Enabled {
		sum += p.Cost.TrialDuration.Seconds() + each
	}
	return sum
}
