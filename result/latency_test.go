package result

import (
	"math"
	"testing"

	"github.com/linerate/linerate/plan"
)

func TestFairnessIndex(t *testing.T) {
	for _, tt := range []struct {
		frames []uint32
		want   FlowFairness
	}{
		{[]uint32{7, 7, 7}, FlowFairness{Flows: 3, MinFrames: 7, MedianFrames: 7, MaxFrames: 7, JainIndex: 1}},
		{[]uint32{0, 0, 0, 8}, FlowFairness{Flows: 4, MaxFrames: 8, JainIndex: 0.25}},
		{[]uint32{3, 1}, FlowFairness{Flows: 2, MinFrames: 1, MedianFrames: 1, MaxFrames: 3, JainIndex: 0.8}},
		{[]uint32{0, 0}, FlowFairness{Flows: 2}},
	} {
		got := FairnessOf(tt.frames)
		if math.Abs(got.JainIndex-tt.want.JainIndex) > 1e-12 {
			t.Errorf("%v: Jain's index %g, want %g", tt.frames, got.JainIndex, tt.want.JainIndex)
		}
		got.JainIndex = tt.want.JainIndex
		if *got != tt.want {
			t.Errorf("%v: %+v, want %+v", tt.frames, *got, tt.want)
		}
	}
	if FairnessOf(nil) != nil {
		t.Error("no flows have a fairness")
	}
}

func TestTrialAsLatencyPoint(t *testing.T) {
	trial := Trial{Number: 9, IntendedLoadPPS: 1000, IntendedDurationS: 2, Intended: 2000, Sent: 2000, Received: 1600, Lost: 400, Reordered: 16, Duplicated: 4,
		Latency: &Latency{MinNS: 100, P999NS: 900}, Variation: &Variation{Pairs: 5, MinNS: -7, MedianNS: 1, MaxNS: 8, AmountP50NS: 3, AmountP99NS: 8}}
	got := trial.LatencyAt()
	if got.PDVNS != 800 || got.LossRatio != 0.2 || got.ReorderedRatio != 0.01 || got.DuplicatedRatio != 0.0025 || got.Trial != 9 || got.TrialDurationS != 2 {
		t.Errorf("%+v", got)
	}
	if got.IPDVMinNS != -7 || got.IPDVMedianNS != 1 || got.IPDVMaxNS != 8 || got.IPDVPairs != 5 || got.IPDVAmountP50NS != 3 || got.IPDVAmountP99NS != 8 {
		t.Errorf("%+v", got)
	}
	if nothing := (Trial{IntendedLoadPPS: 5, Intended: 5, Lost: 5}).LatencyAt(); nothing.Latency != nil || nothing.LossRatio != 1 || nothing.ReorderedRatio != 0 {
		t.Errorf("a trial from which nothing came: %+v", nothing)
	}
}

func TestLatencyFloorIsTheNearest(t *testing.T) {
	cell := Cell{IPVersion: 4, FrameSize: 64, Flows: 10, Directions: plan.Uni}
	other := Ceiling{IPVersion: 4, FrameSize: 128, Flows: 10, Directions: plan.Uni, LatencyFloor: []LatencyAt{{LoadPPS: 100}}}
	mine := Ceiling{IPVersion: 4, FrameSize: 64, Flows: 10, Directions: plan.Uni, LatencyFloor: []LatencyAt{{LoadPPS: 100}, {LoadPPS: 1000}}}
	r := Run{Calibration: Calibration{Ceilings: []Ceiling{other, mine}}}
	for load, want := range map[float64]float64{1: 100, 250: 100, 400: 1000, 9e9: 1000} {
		if f, ok := r.LatencyFloor(cell, load); !ok || f.LoadPPS != want {
			t.Errorf("floor at %.0f pps is that at %.0f pps (%t), want %.0f", load, f.LoadPPS, ok, want)
		}
	}
	cell.Flows = 11
	if _, ok := r.LatencyFloor(cell, 100); ok {
		t.Error("another shape of traffic has this floor")
	}
}
