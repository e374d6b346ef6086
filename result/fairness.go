package result

import (
	"math"
	"slices"
)

// FlowFairness says how evenly the frames that arrived in a trial are spread over the
// flows, each of which was sent as often.
type FlowFairness struct {
	// LoadPPS is the intended load of the trial per direction.
	LoadPPS float64 `json:"load_pps"`
	// Flows are those of all directions together.
	Flows        int    `json:"flows"`
	MinFrames    uint64 `json:"min_frames"`
	MedianFrames uint64 `json:"median_frames"`
	MaxFrames    uint64 `json:"max_frames"`
	// JainIndex is (sum x)^2 / (n * sum x^2) over the frames x of each flow: 1 if all flows got the same, 1/n if one
	// got everything (R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984).
	JainIndex float64 `json:"jain_index"`
}

// FairnessOf is nil without flows. Where nothing arrived, the index is 0.
func FairnessOf(frames []uint32) *FlowFairness {
	if len(frames) == 0 {
		return nil
	}
	sorted := slices.Clone(frames)
	slices.Sort(sorted)
	f := &FlowFairness{
		Flows: len(sorted), MinFrames: uint64(sorted[0]), MaxFrames: uint64(sorted[len(sorted)-1]),
		MedianFrames: uint64(sorted[(len(sorted)-1)/2]),
	}
	var sum, squares float64
	for _, x := range sorted {
		sum += float64(x)
		squares += float64(x) * float64(x)
	}
	if squares > 0 {
		f.JainIndex = math.Min(1, sum*sum/(float64(len(sorted))*squares))
	}
	return f
}

// QueueShare is the work that one receive queue of the DUT did in a trial.
type QueueShare struct {
	// Device is the DUT's, by its part in the lab: da faces the tester's port a, db its port b.
	Device string `json:"device"`
	Queue  int    `json:"queue"`
	// CPU is where the queue's NAPI thread runs.
	CPU int `json:"cpu"`
	// BusyRatio is the thread's time on its CPU as a share of the time that traffic flowed.
	BusyRatio float64 `json:"busy_ratio"`
	// Frames are those that the thread took off the queue, as the driver counts (ethtool -S); 0 where it does not.
	Frames uint64 `json:"frames"`
}

// CPUFrames are the frames that arrived at a sink on one CPU.
type CPUFrames struct {
	CPU    int    `json:"cpu"`
	Frames uint64 `json:"frames"`
}
