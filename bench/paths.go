package bench

import (
	"fmt"

	"github.com/linerate/linerate/result"
)

// unevenPath is how far above its even share a path may be: 60 % of two.
const unevenPath = 1.2

// describePaths sets how the trials at the throughput used the paths through the DUT, and
// the doubts about it.
func (m *measurement) describePaths(cell *result.Cell, atThroughput []result.Trial) {
	cell.Paths = result.SumPaths(atThroughput)
	if len(cell.Paths) < 2 {
		return
	}
	even := 1 / float64(len(cell.Paths))
	busiest, used := cell.Paths[0], 0
	for _, p := range cell.Paths {
		if p.Share > busiest.Share {
			busiest = p
		}
		if p.Share > 0 {
			used++
		}
	}
	switch {
	case cell.Flows == 1:
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "one-path", Text: fmt.Sprintf("one flow always takes the same path, here %s: the figure is that of one of the %d paths; 16 flows or more use all of them", busiest.Name, len(cell.Paths))})
	case used < len(cell.Paths):
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "unused-path", Text: fmt.Sprintf("only %d of the %d paths carried frames: the hash of the %d flows leaves the others out; more flows, or ecmp.hash_policy=1, which looks at ports too", used, len(cell.Paths), cell.Flows)})
	case busiest.Share > unevenPath*even:
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "uneven-paths", Text: fmt.Sprintf("path %s took %.0f %% of the frames from A to B, where %.0f %% would be even: it is full before the others are; more flows spread more evenly", busiest.Name, 100*busiest.Share, 100*even)})
	}
}
