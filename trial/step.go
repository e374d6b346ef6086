package trial

import (
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/sink"
)

// stepOf tells how long after the step of a load frames were still lost; nil without
// a step.
func (b *Bed) stepOf(r Request, counts generator.Counts, arrived []sink.Counts) *result.LoadStep {
	if r.Step.After == 0 {
		return nil
	}
	step := &result.LoadStep{AfterS: r.Step.After.Seconds(), LoadPPS: r.Step.PPS, AtNS: counts.StepNS}
	for i, d := range b.Directions {
		c := arrived[i]
		step.LastLossNS = max(step.LastLossNS, lastLossNS(c, counts.StepNS, r.Step.PPS, d.Sink.FlowCount()))
		if sent := counts.Streams[i].Sent; sent > c.Received+c.GapFrames {
			step.LossToTheEnd = true
			step.LastLossNS = float64(r.Duration - r.Step.After)
		}
	}
	return step
}
