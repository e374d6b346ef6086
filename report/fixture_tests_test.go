package report

import (
	"fmt"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// addEvent gives a cell two paths, one of which fails.
func addEvent(c *result.Cell) {
	c.Paths = []result.PathCounts{{Name: "r1", TxPackets: 180_000, Share: 0.36}, {Name: "r2", TxPackets: 320_000, Share: 0.64}}
	c.Event = &result.Event{Name: "path r1 fails (silent)", LoadPPS: 361_000, DurationS: 3, AtS: 1.004, TookNS: 7e6, Sent: 1_083_000, Received: 1_017_300, Lost: 65_700, LostBefore: 700,
		LossDerivedNS: 1.8e8, LastLossNS: 5.03e8, BinNS: 1e7}
	for i := range 300 {
		n := uint64(3610)
		if i >= 100 && i < 150 {
			n = 2310
		}
		c.Event.ReceivedPerBin = append(c.Event.ReceivedPerBin, n)
	}
}

// addTests gives a fixture's run the other tests of RFC 2544 and a capture.
func addTests(run *result.Run) {
	d := plan.Default()
	run.Plan.Tests, run.Plan.FrameLossRate, run.Plan.BackToBack, run.Plan.SystemRecovery = plan.Tests(), d.FrameLossRate, d.BackToBack, d.SystemRecovery
	run.Plan.Capture.Frames = 100
	for i := range run.Cells {
		c := &run.Cells[i]
		if c.Skipped != "" || c.Directions == plan.Bi {
			continue
		}
		capacity := c.Goals[1].LowerPPS
		for ratio := 1.0; ratio > 0.05; ratio -= 0.1 {
			load := ratio * c.CeilingPPS
			p := result.LossPoint{LoadPPS: load, LoadRatio: ratio, LossRatio: max(0, 1-capacity/load)}
			if c.BackgroundLossRatio != nil {
				p.LossRatio = max(p.LossRatio, *c.BackgroundLossRatio)
			}
			c.FrameLossRate = append(c.FrameLossRate, p)
			if n := len(c.FrameLossRate); n > 1 && p.LossRatio+c.FrameLossRate[n-2].LossRatio == 0 {
				break
			}
		}
	}
	one, last := &run.Cells[0], &run.Cells[len(run.Cells)-1]
	one.BackToBack = &result.BackToBack{Repeats: 5, LengthsFrames: []uint64{330, 342, 338, 351, 344}, MeanFrames: 341, MinFrames: 330, MaxFrames: 351, SigmaFrames: 7.7, StepFrames: 1,
		Bounded: true, BurstPPS: 3.0e6, ThroughputPPS: 0.722e6, ImpliedBufferNS: 113667, CorrectedBufferNS: 86311, Bursts: 84}
	last.BackToBack = &result.BackToBack{Repeats: 5, LengthsFrames: []uint64{1 << 20}, MeanFrames: 1 << 20, MinFrames: 1 << 20, MaxFrames: 1 << 20, StepFrames: 1, BurstPPS: 2.4e6, ImpliedBufferNS: 4.369e8, Bursts: 17}
	one.SystemRecovery = &result.SystemRecovery{Goal: "NDR", ThroughputPPS: 0.722e6, OverloadPPS: 0.7942e6, OverloadDurationS: 1, RecoveryPPS: 0.3971e6, TimesNS: []float64{0, 1.2e6, 3.4e5}, MeanNS: 513333, MaxNS: 1.2e6, ResolutionNS: 1e6}
	last.SystemRecovery = &result.SystemRecovery{Goal: "NDR", ThroughputPPS: 0.601e6, OverloadPPS: 0.6611e6, OverloadDurationS: 1, RecoveryPPS: 0.33055e6, TimesNS: []float64{1e9}, MeanNS: 1e9, MinNS: 1e9, MaxNS: 1e9, ResolutionNS: 1e6, Unrecovered: 1}
	addEvent(one)
	for _, port := range []string{"a", "b", "dut-a", "dut-b"} {
		one.Captures = append(one.Captures, result.Capture{Port: port, File: fmt.Sprintf("capture/route_ipv4_64B_1f_uni-%s.pcapng", port), Frames: 100})
	}
}
