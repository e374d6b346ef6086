package contract

import (
	"testing"
	"time"

	"github.com/linerate/linerate/generator"
)

// step expects a load to change once, and every frame of both parts to be accounted for.
func step(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{flows: 10})
	load := generator.Load{PPS: 40_000, Duration: 300 * time.Millisecond, Step: generator.Step{PPS: 10_000, After: 100 * time.Millisecond}, Epoch: epoch}
	if got := load.Intended(); got != 6000 {
		t.Fatalf("40 kpps for 100 ms and 10 kpps for 200 ms intend %d frames", got)
	}
	counts, received := r.send(t.Context(), load)
	r.checkSum(load, counts)
	r.checkDelivered(counts, received)
	first := received[0].FirstNS
	if at := time.Duration(counts.StepNS - first); counts.StepNS < first || at > load.Step.After+20*time.Millisecond {
		t.Errorf("the step came %v after the first frame arrived, want about %v", at, load.Step.After)
	}
	// 4,000 of the gaps are 25 µs and 2,000 are 100 µs.
	if early, late := counts.Gaps.QuantileNS(0.4), counts.Gaps.QuantileNS(0.85); early > 60_000 || late < 60_000 || late > 250_000 {
		t.Errorf("gaps: the 40th percentile is %d ns and the 85th %d ns; want about 25,000 and 100,000", early, late)
	}
	// What follows has no step left over.
	load = generator.Load{PPS: 40_000, Duration: 100 * time.Millisecond, Epoch: epoch + 1}
	if counts, _ = r.send(t.Context(), load); counts.StepNS != 0 || counts.Streams[0].Intended != 4000 {
		t.Errorf("the load after: %+v", counts.Streams[0])
	}
	r.checkSum(load, counts)
}

func badSteps(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{})
	for _, load := range []generator.Load{
		{Duration: time.Second, Step: generator.Step{PPS: 1000, After: time.Millisecond}},
		{PPS: 1000, Duration: time.Second, Step: generator.Step{After: time.Millisecond}},
		{PPS: 1000, Duration: time.Second, Step: generator.Step{PPS: 1000, After: time.Second}},
	} {
		if _, err := r.generator.Send(t.Context(), load); err == nil {
			t.Errorf("%+v was sent", load)
		}
	}
}
