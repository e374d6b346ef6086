package kernels

import (
	"math"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// Compare sets each kernel beside each that comes before it, in each cell that both have.
// A change within the margin, a share of the value, is none.
func Compare(cells []result.Cell, margin float64) []result.KernelPair {
	pairs := []result.KernelPair{}
	for i, b := range cells {
		for _, a := range cells[:i] {
			if a.Kernel != b.Kernel && sameCell(a, b) && a.InstructionsPerPacket != nil && b.InstructionsPerPacket != nil {
				pairs = append(pairs, Pair(a, b, margin))
			}
		}
	}
	return pairs
}

// CompareWith sets each kernel of cells beside one kernel of another run.
func CompareWith(baseline []result.Cell, kernel string, cells []result.Cell, margin float64) []result.KernelPair {
	pairs := []result.KernelPair{}
	for _, b := range cells {
		for _, a := range baseline {
			if a.Kernel == kernel && sameCell(a, b) && a.InstructionsPerPacket != nil && b.InstructionsPerPacket != nil {
				pairs = append(pairs, Pair(a, b, margin))
			}
		}
	}
	return pairs
}

func sameCell(a, b result.Cell) bool {
	return a.Scenario == b.Scenario && a.Backend == b.Backend && sameTraffic(a, b) && sameTuning(a.Tuning, b.Tuning)
}

// Pair compares two cells that have counts. The counts of one seed repeat to the last
// digit, so that what scatters is the layout: a change has to be beyond the margin, and
// every boot of one kernel beyond every boot of the other.
func Pair(a, b result.Cell, margin float64) result.KernelPair {
	va, vb := a.InstructionsPerPacket, b.InstructionsPerPacket
	change := vb.Value - va.Value
	p := result.KernelPair{
		A: a.Kernel, B: b.Kernel, CellA: a.ID, CellB: b.ID, ChangeInstructions: change,
		ChangeRatio: change / va.Value, SinkOnlyChangeInstructions: vb.SinkOnly - va.SinkOnly,
	}
	apart := va.Max < vb.Min || vb.Max < va.Min
	switch {
	case math.Abs(p.ChangeRatio) <= margin:
		p.Verdict = string(stats.Equivalent)
	case apart:
		p.Verdict = string(stats.Changed)
	default:
		p.Verdict = string(stats.Inconclusive)
	}
	p.KernelBound = boundOfCounts(a, b, p.Verdict)
	return p
}
