package bench

import "github.com/linerate/linerate/result"

// describeShares sets what the trials at the throughput say about the DUT's queues and
// the flows, and about the flows at the highest load.
func (m *measurement) describeShares(cell *result.Cell, atThroughput []result.Trial) {
	cell.QueueShares = meanShares(atThroughput)
	for _, t := range atThroughput {
		if f := t.FlowFairness; f != nil && (cell.FlowFairness == nil || f.JainIndex < cell.FlowFairness.JainIndex) {
			cell.FlowFairness = f
		}
	}
	for _, t := range m.trials {
		f := t.FlowFairness
		if f == nil || t.Purpose != result.ForSearch || t.Discarded != "" {
			continue
		}
		if o := cell.FlowFairnessOverload; o == nil || f.LoadPPS > o.LoadPPS {
			cell.FlowFairnessOverload = f
		}
	}
}

// meanShares are the mean busy time and frames of each queue.
func meanShares(trials []result.Trial) []result.QueueShare {
	var sum []result.QueueShare
	n := 0.0
	for _, t := range trials {
		switch {
		case len(t.QueueShares) == 0:
			continue
		case sum == nil:
			sum = append(sum, t.QueueShares...)
		case len(sum) == len(t.QueueShares):
			for i, q := range t.QueueShares {
				sum[i].BusyRatio += q.BusyRatio
				sum[i].Frames += q.Frames
			}
		}
		n++
	}
	for i := range sum {
		sum[i].BusyRatio /= n
		sum[i].Frames /= uint64(n)
	}
	return sum
}
