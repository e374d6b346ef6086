package kernels

import (
	"math"
	"testing"

	"github.com/linerate/linerate/kernels/guest"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

func counted(kernel string, boots ...float64) result.Cell {
	p := plan.Default()
	p.Scenarios = []plan.Scenario{"route"}
	cells := newCells(p, kernel)
	for i, v := range boots {
		add(cells, boot{Seed: int64(i + 1), Cells: []guest.Measured{{
			Cell: guest.Cell{Scenario: "route", Flows: 1, FrameSize: 64}, Sent: 1000, Received: 1000, BusyNS: []uint64{uint64(v * 1000)},
		}}})
	}
	return cells[0]
}

func TestVerdicts(t *testing.T) {
	tests := []struct {
		name    string
		a, b    []float64
		change  float64
		verdict string
	}{
		{"the same", []float64{6352, 6355, 6357}, []float64{6352, 6355, 6357}, 0, "equivalent"},
		{"within the margin, and apart", []float64{6352, 6353, 6354}, []float64{6358, 6358, 6359}, 5, "equivalent"},
		{"beyond the margin, and apart", []float64{6352, 6353, 6354}, []float64{6405, 6406, 6407}, 53, "changed"},
		{"cheaper", []float64{6405, 6406, 6407}, []float64{6352, 6353, 6354}, -53, "changed"},
		{"beyond the margin, and overlapping", []float64{4820, 4820, 4884}, []float64{4840, 4880, 4881}, 60, "inconclusive"},
	}
	for _, tt := range tests {
		pairs := Compare([]result.Cell{counted("a", tt.a...), counted("b", tt.b...)}, 0.001)
		if len(pairs) != 1 {
			t.Fatalf("%s: %d pairs, want 1", tt.name, len(pairs))
		}
		p := pairs[0]
		if p.Verdict != tt.verdict || p.ChangeInstructions != tt.change || p.A != "a" || p.B != "b" {
			t.Errorf("%s: %+v, want a change of %g, %s", tt.name, p, tt.change, tt.verdict)
		}
		if want := tt.change / counted("a", tt.a...).InstructionsPerPacket.Value; math.Abs(p.ChangeRatio-want) > 1e-9 {
			t.Errorf("%s: ratio %g, want %g", tt.name, p.ChangeRatio, want)
		}
	}
}

func TestFailureInOneBootSkipsTheCell(t *testing.T) {
	p := plan.Default()
	cells := newCells(p, "k")
	m := guest.Measured{Cell: guest.Cell{Scenario: "route", Flows: 1, FrameSize: 64}, Sent: 1000, BusyNS: []uint64{6_000_000}}
	add(cells, boot{Seed: 1, Cells: []guest.Measured{m}})
	m.Failure = "999 of 1000 packets arrived"
	add(cells, boot{Seed: 2, Cells: []guest.Measured{m}})
	m.Failure = ""
	add(cells, boot{Seed: 3, Cells: []guest.Measured{m}})
	if c := cells[0]; c.InstructionsPerPacket != nil || c.Skipped != "with seed 2: 999 of 1000 packets arrived" {
		t.Errorf("instructions %v, skipped %q", c.InstructionsPerPacket, c.Skipped)
	}
}

func TestScenariosOfPlanAndGuestAgree(t *testing.T) {
	for _, s := range plan.GuestScenarios() {
		id := plan.Cell{Scenario: plan.Scenario(s).Name(), Backend: plan.Scenario(s).Backend()}.ScenarioID()
		if _, unknown := guest.Modules([]string{id}, plan.IptablesNft); unknown != "" {
			t.Errorf("a plan may say %s, and a guest does not know %s", s, unknown)
		}
	}
}
