package sink_test

import (
	"math"
	"testing"

	"github.com/linerate/linerate/result"
)

func TestFairnessOfUnevenFlows(t *testing.T) {
	p := openDated(t, 4)
	var frames []dated
	for flow := range uint32(4) {
		for sequence := range 10 * (flow + 1) {
			frames = append(frames, dated{flow: flow, sequence: sequence})
		}
	}
	p.send(frames)
	perFlow, err := p.sink.PerFlow(p.epoch)
	if err != nil {
		t.Fatal(err)
	}
	f := result.FairnessOf(perFlow)
	if f.Flows != 4 || f.MinFrames != 10 || f.MedianFrames != 20 || f.MaxFrames != 40 || math.Abs(f.JainIndex-100.0*100/(4*3000)) > 1e-12 {
		t.Errorf("%+v of the frames %v", *f, perFlow)
	}
}
