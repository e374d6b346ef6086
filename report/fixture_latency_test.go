package report

import (
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

func fixtureLatencyPlan() plan.Latency {
	return plan.Latency{Enabled: true, Loads: []plan.Ratio{0.1, 1}, LoadsPPS: []float64{200_000}, TrialDuration: plan.Duration(time.Second), TrialsPerLoad: 1}
}

// latencyPoint is a latency trial whose typical frame took p50.
func latencyPoint(share, pps float64, p50 uint64) result.LatencyAt {
	l := latency(p50)
	return result.LatencyAt{LoadRatio: share, LoadPPS: pps, TrialDurationS: 1, Trial: 40, Trials: 1, Latency: l, PDVNS: l.P999NS - l.MinNS,
		IPDVMinNS: -int64(l.P999NS), IPDVMedianNS: -12, IPDVMaxNS: int64(l.P999NS) + 800, IPDVAmountP50NS: p50 / 3, IPDVAmountP99NS: 3 * p50, IPDVPairs: l.Frames - 10_000}
}

// addLatency gives the cells of the fixture, as far as they were measured, their latency trials.
func addLatency(run *result.Run) {
	for i := range run.Cells {
		c := &run.Cells[i]
		if c.Latency == nil || c.FrameSize != 64 || c.Flows != 10000 || c.Directions != plan.Uni {
			continue
		}
		pps := c.Goals[1].LowerPPS
		c.LatencyAt = []result.LatencyAt{latencyPoint(0.1, pps/10, c.Latency.P50NS/3), latencyPoint(1, pps, c.Latency.P50NS), latencyPoint(0, 200_000, c.Latency.P50NS/2)}
		c.LatencyAt[1].LossRatio, c.LatencyAt[1].Disturbed = 0.0012, "the hypervisor took CPU time away"
		c.LatencyAt[2].ReorderedRatio, c.LatencyAt[2].DuplicatedRatio = 3e-5, 1e-5
	}
	many := &run.Cells[1]
	many.LatencyAt = append(many.LatencyAt, result.LatencyAt{LoadPPS: 5e6, TrialDurationS: 1, Trial: 44, Trials: 1, LossRatio: 1})
	many.FlowFairness = &result.FlowFairness{LoadPPS: 705_200, Flows: 10000, MinFrames: 69, MedianFrames: 70, MaxFrames: 71, JainIndex: 0.99998}
	many.FlowFairnessOverload = &result.FlowFairness{LoadPPS: 3.1e6, Flows: 10000, MinFrames: 2, MedianFrames: 18, MaxFrames: 40, JainIndex: 0.91234}
	many.QueueShares = []result.QueueShare{{Device: "da", Queue: 0, CPU: 1, BusyRatio: 0.97, Frames: 705_100}, {Device: "db", Queue: 0, CPU: 1}}
	run.Calibration.Ceilings[0].LatencyFloor = []result.LatencyAt{latencyPoint(0, 70_000, 900), latencyPoint(0, 200_000, 1000), latencyPoint(0, 705_200, 1100)}
}
