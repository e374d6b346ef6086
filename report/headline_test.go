package report

import (
	"strings"
	"testing"

	"github.com/linerate/linerate/result"
)

// runOf is a run of one routed cell with a lower bound.
func runOf(verdict result.Verdict, lowerPPS, upperPPS float64) *result.Run {
	return &result.Run{Cells: []result.Cell{{ID: "a", Scenario: "route", FrameSize: 64, Flows: 1, Directions: "uni", Verdict: verdict,
		Goals: []result.Goal{{Name: "NDR", TrialDurationS: 1, DurationSumS: 5, LowerPPS: lowerPPS, UpperPPS: upperPPS}}}}}
}

func TestHeadlineAnswers(t *testing.T) {
	skipped := &result.Run{Cells: []result.Cell{{ID: "a", Skipped: "nft was not found"}}}
	alone := runOf(result.DUTBound, 4e6, 4.1e6)
	alone.Cells[0].Scenario = "none"
	nothing := runOf(result.DUTBound, 0, 0.1e6)
	nothing.Cells = append(nothing.Cells, alone.Cells[0])
	tests := []struct {
		name        string
		run         *result.Run
		starts, has string
	}{
		{"below line rate", runOf(result.DUTBound, 0.7e6, 0.71e6), "No, not at 10 Gbit/s", "1 Gbit/s would take 1.488 Mpps"},
		{"fills a smaller link", runOf(result.DUTBound, 2e6, 2.1e6), "No, not at 10 Gbit/s", "does fill 1 Gbit/s"},
		{"line rate", runOf(result.LinkBound, 14.88e6, 15e6), "Yes, at 10 Gbit/s", "The limit is the link"},
		{"at least line rate", runOf(result.GeneratorBound, 15e6, 0), "Yes, at 10 Gbit/s", "at least"},
		{"the generator ended it", runOf(result.GeneratorBound, 3e6, 0), "Not decided", "not the device"},
		{"no load passed", runOf(result.DUTBound, 0, 0.1e6), "No throughput was found", "curves"},
		{"no device", alone, "No device was measured.", "Generator and sink alone, with no device between them, carry 4.000 Mpps"},
		{"a device that passes nothing, and none", nothing, "No throughput was found", "alone, with no device"},
		{"all skipped", skipped, "Nothing was measured", "nft was not found."},
		{"no cells", &result.Run{}, "Nothing was measured", "no cells"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Join(digestOf(tt.run, nil).Headline, " ")
			if tt.run == alone && strings.Contains(text, "the device") {
				t.Errorf("headline %q speaks of a device", text)
			}
			if !strings.HasPrefix(text, tt.starts) || !strings.Contains(text, tt.has) {
				t.Errorf("headline %q, want it to start with %q and to have %q", text, tt.starts, tt.has)
			}
		})
	}
}

func TestHeadlineComparesExactFiguresOnly(t *testing.T) {
	run := runOf(result.DUTBound, 1e6, 1.01e6)
	other := run.Cells[0]
	other.ID, other.Scenario, other.Goals = "b", "conntrack", []result.Goal{{Name: "NDR", LowerPPS: 0.75e6, UpperPPS: 0.76e6}}
	bound := other
	bound.ID, bound.Scenario, bound.Verdict = "c", "xdp", result.GeneratorBound
	run.Cells = append(run.Cells, other, bound)
	text := strings.Join(digestOf(run, nil).Headline, " ")
	if !strings.Contains(text, "conntrack carries 25 % less") || strings.Contains(text, "xdp") {
		t.Errorf("headline %q", text)
	}
}

func TestWarningsAreCountedByCode(t *testing.T) {
	run := runOf(result.DUTBound, 1e6, 2e6)
	run.Warnings = []result.Warning{{Code: "steal", Text: "run"}}
	run.Cells[0].Warnings = []result.Warning{{Code: "cold", Text: "cell"}}
	var trials []result.Trial
	for _, text := range []string{"1 %", "2 %", "1 %", "3 %", "4 %"} {
		trials = append(trials, result.Trial{Cell: "a", Warnings: []result.Warning{{Code: "steal", Text: text}}})
	}
	d := digestOf(run, trials)
	if len(d.Warnings) != 2 || d.Warnings[0].Code != "steal" || d.Warnings[0].Count != 6 || d.Warnings[0].Where() != "the run, 5 trials" {
		t.Errorf("all: %+v", d.Warnings)
	}
	if got := strings.Join(d.Warnings[0].Texts, ","); got != "run,1 %,2 %" {
		t.Errorf("texts %q", got)
	}
	if c := d.Cells[0].Warnings; len(c) != 2 || c[0].Count != 5 || c[1].Code != "cold" {
		t.Errorf("of the cell: %+v", c)
	}
}

// TestWhyIsThatOfTheGoal has a verdict for the headline's goal that is not the cell's.
func TestWhyIsThatOfTheGoal(t *testing.T) {
	run := runOf(result.DUTBound, 1e6, 1.01e6)
	run.Cells[0].Evidence = []string{"the DUT lost them"}
	run.Cells[0].Goals[0].Verdict = result.GeneratorBound
	text := strings.Join(digestOf(run, nil).Headline, " ")
	if !strings.Contains(text, "at least 1.000 Mpps") || !strings.Contains(text, "The limit is the generator") || strings.Contains(text, "the DUT lost them") {
		t.Errorf("headline %q", text)
	}
}
