package bench

import (
	"slices"

	"github.com/linerate/linerate/plan"
)

// estimateVaried is the estimate for a comparison or a sweep, whose figures each take
// about the same time.
func estimateVaried(p plan.Plan, variants []plan.Variant) Estimate {
	shapes := map[shape]bool{}
	for _, v := range variants {
		for _, c := range v.Cells {
			shapes[shapeOf(v.Plan, c)] = true
		}
	}
	e := Estimate{Cells: len(p.Measurements())}
	if p.Testbed == "sim" {
		return e
	}
	e.BeforeSeconds = openingSeconds + calibrationSeconds*float64(len(shapes))
	s := p.RepeatedSeconds()
	if p.Figure() == plan.FigureThroughput && !slices.ContainsFunc(p.Cells(), func(c plan.Cell) bool { return !c.Direct() }) {
		s = joiningSeconds + directSearchSeconds(p.Short())
	}
	e.WallSeconds = always(s)
	return e
}
