package trial

import (
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/sink"
)

// stepOf tells how long after the step of a load frames were still lost; nil without
// a step. A lost frame is noticed when the next frame of its flow arrives, and left
// one round of the flows before that one: the sink knows when that one left, and
// every flow has one frame in each round.
func (b *Bed) stepOf(r Request, counts generator.Counts, arrived []sink.Counts) *result.LoadStep {
	if r.Step.After == 0 {
		return nil
	}
	step := &result.LoadStep{AfterS: r.Step.After.Seconds(), LoadPPS: r.Step.PPS, AtNS: counts.StepNS}
	for i, d := range b.Directions {
		c := arrived[i]
		round := 1e9 * float64(d.Sink.FlowCount()) / r.Step.PPS
		if c.GapNS > counts.StepNS {
			step.LastLossNS = max(step.LastLossNS, float64(c.GapNS-counts.StepNS)-round)
		}
		if sent := counts.Streams[i].Sent; sent > c.Received+c.GapFrames {
			step.LossToTheEnd = true
			step.LastLossNS = float64(r.Duration - r.Step.After)
		}
	}
	return step
}
