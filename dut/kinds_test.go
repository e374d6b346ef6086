package dut

import (
	"slices"
	"testing"

	"github.com/linerate/linerate/plan"
)

// TestEveryScenarioOfPlansIsMade compares the names that a plan may hold with those
// that have steps.
func TestEveryScenarioOfPlansIsMade(t *testing.T) {
	var names []string
	for _, info := range plan.Scenarios() {
		if info.Name != plan.NoDUT {
			names = append(names, info.Name)
		}
	}
	slices.Sort(names)
	if got := Kinds(); !slices.Equal(got, names) {
		t.Errorf("dut makes %v, plans name %v", got, names)
	}
}
