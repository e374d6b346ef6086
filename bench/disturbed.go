package bench

import (
	"fmt"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
)

// stayedDisturbed says that most trials at the bounds of a goal were disturbed,
// also when they were made again; empty if most were sound. Without any bound all
// trials of the search count. A short generator is no disturbance here: that it is
// short every time is what a verdict is about.
func stayedDisturbed(b search.Bounds, trials []result.Trial) string {
	n, disturbed, example := 0, 0, ""
	for _, t := range trials {
		if t.Purpose != result.ForSearch || t.Discarded != "" || !near(b, t.IntendedLoadPPS) {
			continue
		}
		n++
		if d := worst(t.Disturbances); d != nil {
			disturbed++
			example = d.Text
		}
	}
	if disturbed == 0 || 2*disturbed <= n {
		return ""
	}
	return fmt.Sprintf("%d of the %d trials that decide %s were disturbed, also when made again, for example: %s", disturbed, n, b.Goal.Name, example)
}

// near tells whether trials at the load decide the goal.
func near(b search.Bounds, loadPPS float64) bool {
	if !b.HasLower && !b.HasUpper {
		return true
	}
	return b.HasLower && loadPPS == b.LowerPPS || b.HasUpper && loadPPS == b.UpperPPS
}

// worst is the disturbance with the greatest value of those that are not the
// generator's; nil if there is none.
func worst(list []result.Disturbance) *result.Disturbance {
	var most *result.Disturbance
	for i, d := range list {
		if d.Code == result.GeneratorShort || d.Code == result.GeneratorHeld {
			continue
		}
		if most == nil || d.Value > most.Value {
			most = &list[i]
		}
	}
	return most
}
