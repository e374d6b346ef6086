package report

import (
	"fmt"
	"strings"

	"github.com/linerate/linerate/result"
)

// queueLine says how the DUT's work is spread over its receive queues.
func queueLine(c result.Cell) string {
	var parts []string
	idle := 0
	for _, q := range c.QueueShares {
		if q.Frames == 0 && q.BusyRatio < 0.0005 {
			idle++
			continue
		}
		parts = append(parts, fmt.Sprintf("%s queue %d on CPU %d took %s frames and %.0f %% of its time", q.Device, q.Queue, q.CPU, Thousands(q.Frames), 100*q.BusyRatio))
	}
	if len(parts) == 0 {
		return ""
	}
	text := "Receive queues of the DUT in a trial at the throughput: " + strings.Join(parts, "; ")
	if idle > 0 {
		text += fmt.Sprintf("; %d without work", idle)
	}
	return text + "."
}

// fairnessLine says how evenly the frames are spread over the flows.
func fairnessLine(c result.Cell) string {
	if c.FlowFairness == nil && c.FlowFairnessOverload == nil {
		return ""
	}
	var parts []string
	for _, f := range []struct {
		of *result.FlowFairness
		at string
	}{{c.FlowFairness, "at the throughput"}, {c.FlowFairnessOverload, "at the highest load tried"}} {
		if f.of != nil {
			parts = append(parts, fmt.Sprintf("%s (%s Mpps) Jain's index %.4f, %s to %s frames of a flow arrived, %s in the median",
				f.at, Mpps(f.of.LoadPPS), f.of.JainIndex, Thousands(f.of.MinFrames), Thousands(f.of.MaxFrames), Thousands(f.of.MedianFrames)))
		}
	}
	return fmt.Sprintf("Fairness over %s: %s. The index is 1 if every flow gets as much, and 1/n if one of n flows gets all.", flows(max(fairFlows(c.FlowFairness), fairFlows(c.FlowFairnessOverload))), strings.Join(parts, "; "))
}

func fairFlows(f *result.FlowFairness) int {
	if f == nil {
		return 0
	}
	return f.Flows
}
