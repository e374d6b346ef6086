package bench

import "github.com/linerate/linerate/plan"

// perTakeSeconds is what a take lasts besides its seconds of streams: to start two
// programs, connect, and exchange results.
const perTakeSeconds = 0.5

// estimateStreams is exact but for takes that are disturbed and made again.
func estimateStreams(p plan.Plan) Estimate {
	cells := p.Cells()
	repeats, seconds := p.StreamsBudget()
	take := seconds + perTakeSeconds
	shapes := map[streamShape]bool{}
	for _, c := range cells {
		shapes[streamShapeOf(c)] = true
	}
	for _, c := range cells {
		if c.Direct() {
			delete(shapes, streamShapeOf(c)) // it is its own direct link
		}
	}
	traffic, wall := float64(repeats)*seconds, float64(repeats)*take+settingUpSeconds
	return Estimate{
		Cells: len(cells), BeforeSeconds: openingSeconds + float64(len(shapes))*wall,
		TrialSeconds: always(traffic), WallSeconds: always(wall),
	}
}
