package bench

import (
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed/sim"
)

// Of the latency of the tester alone, for each shape of traffic.
const (
	// floorsPerLoad is how many loads it is measured at for each load of a cell: the
	// cells of one shape have throughputs apart.
	floorsPerLoad = 1.5
	// floorSettingUpSeconds joins generator and sink without a DUT.
	floorSettingUpSeconds = 1
)

// latencyEstimate is the time of the latency trials of one cell, and of those of one
// shape of traffic without a DUT, in seconds; 0 if the plan asks for none.
func latencyEstimate(p plan.Plan) (perCell, perShape float64) {
	if !p.Latency.Enabled {
		return 0, 0
	}
	each := p.Latency.TrialDuration.Seconds() + sim.HandlingTime.Seconds() + p.Trial.Settle.Seconds()
	trials := float64(p.Latency.Trials())
	// At the throughput itself some frames are lost, and the drain waits for them.
	lossy := min(trials, float64(p.Latency.TrialsPerLoad)) * time.Duration(p.Trial.DrainQuiet).Seconds()
	return trials*each + lossy, floorsPerLoad*trials*each + floorSettingUpSeconds
}
