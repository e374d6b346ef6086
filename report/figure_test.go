package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

func TestFigureOf(t *testing.T) {
	background := 0.001
	pdr := result.Goal{Name: "PDR", LossRatio: 0.005, LowerPPS: 1e6, UpperPPS: 1.1e6, ConditionalPPS: 0.99e6}
	ndr := result.Goal{Name: "NDR", LowerPPS: 0.9e6, UpperPPS: 0.91e6, ConditionalPPS: 0.8e6}
	with := func(g result.Goal, change func(*result.Goal)) result.Goal { change(&g); return g }
	noLower := func(g *result.Goal) { g.LowerPPS, g.ConditionalPPS = 0, 0 }
	verdict := func(v result.Verdict) func(*result.Goal) { return func(g *result.Goal) { g.Verdict = v } }
	disturbed := result.Cell{Warnings: []result.Warning{{Code: result.StayedDisturbed, Text: "others ran"}}}
	tests := []struct {
		name string
		cell result.Cell
		goal result.Goal
		want Relation
		pps  float64
	}{
		{"PDR is the conditional throughput", result.Cell{Verdict: result.DUTBound}, pdr, Exact, 0.99e6},
		{"NDR is the lower bound", result.Cell{Verdict: result.DUTBound}, ndr, Exact, 0.9e6},
		{"generator-bound", result.Cell{Verdict: result.GeneratorBound}, pdr, AtLeast, 0.99e6},
		{"receiver-bound", result.Cell{Verdict: result.ReceiverBound}, pdr, AtLeast, 0.99e6},
		{"disturbed", disturbed, with(pdr, verdict(result.Unstable)), AtLeast, 0.99e6},
		{"disturbed, and another goal is sound", disturbed, with(ndr, verdict(result.DUTBound)), Exact, 0.9e6},
		{"disturbed, and no load passed", disturbed, with(with(ndr, noLower), verdict(result.Unstable)), Absent, 0},
		{"disturbed, and above the ceiling", result.Cell{CeilingPPS: 0.5e6, Warnings: disturbed.Warnings}, with(pdr, verdict(result.Unstable)), AtLeast, 0.5e6},
		{"unstable for another reason", result.Cell{}, with(pdr, verdict(result.Unstable)), Exact, 0.99e6},
		{"link-bound is exact", result.Cell{Verdict: result.LinkBound}, pdr, Exact, 0.99e6},
		{"the maximum load passed", result.Cell{Verdict: result.DUTBound}, with(pdr, func(g *result.Goal) { g.UpperPPS = 0 }), AtLeast, 0.99e6},
		{"above the ceiling", result.Cell{Verdict: result.DUTBound, CeilingPPS: 0.5e6}, pdr, AtLeast, 0.5e6},
		{"at the ceiling", result.Cell{Verdict: result.DUTBound, CeilingPPS: 0.99e6}, pdr, Exact, 0.99e6},
		{"no load passed", result.Cell{Verdict: result.DUTBound}, with(ndr, func(g *result.Goal) { g.LowerPPS = 0 }), Below, 0.91e6},
		{"no load passed, and the tester is the limit", result.Cell{Verdict: result.GeneratorBound}, with(ndr, func(g *result.Goal) { g.LowerPPS = 0 }), Absent, 0},
		{"an upper bound above the ceiling says nothing", result.Cell{CeilingPPS: 0.5e6}, with(ndr, func(g *result.Goal) { g.LowerPPS = 0 }), Absent, 0},
		{"nothing found", result.Cell{}, result.Goal{}, Absent, 0},
		{"NDR under background loss", result.Cell{Verdict: result.Undefined, BackgroundLossRatio: &background}, ndr, UndefinedThroughput, 0},
		{"PDR under background loss", result.Cell{Verdict: result.Undefined, BackgroundLossRatio: &background}, pdr, Exact, 0.99e6},
		{"a goal below the background loss", result.Cell{BackgroundLossRatio: &background}, with(pdr, func(g *result.Goal) { g.LossRatio = 0.0005 }), UndefinedThroughput, 0},
		{"undefined without a ratio", result.Cell{Verdict: result.Undefined}, with(ndr, noLower), Below, 0.91e6},
		{"undefined by its ratio", result.Cell{Verdict: result.Undefined, BackgroundLossRatio: &background}, with(pdr, noLower), UndefinedThroughput, 0},
		{"the goal is generator-bound, the cell is not", result.Cell{Verdict: result.DUTBound}, with(ndr, verdict(result.GeneratorBound)), AtLeast, 0.9e6},
		{"the cell is receiver-bound, the goal is not", result.Cell{Verdict: result.ReceiverBound}, with(ndr, verdict(result.DUTBound)), Exact, 0.9e6},
		{"only the cell is undefined", result.Cell{Verdict: result.Undefined, BackgroundLossRatio: &background}, with(with(pdr, noLower), verdict(result.DUTBound)), Below, 1.1e6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := figureOf(tt.cell, tt.goal)
			if f.Relation != tt.want || f.PerDirectionPPS != tt.pps {
				t.Errorf("got %s %v, want %s %v", f.Relation, f.PerDirectionPPS, tt.want, tt.pps)
			}
			if f.Relation != Exact && f.Note == "" {
				t.Error("a figure that is not exact says no reason")
			}
			if strings.Contains(f.Note, "does not depend on the load") && tt.cell.BackgroundLossRatio == nil {
				t.Errorf("%q, and no background loss was found", f.Note)
			}
		})
	}
}

func TestRatesOfBothDirections(t *testing.T) {
	f := figureOf(result.Cell{FrameSize: 64, Directions: plan.Bi}, result.Goal{LowerPPS: 14880952, UpperPPS: 15e6})
	if f.TotalPPS != 2*14880952 || math.Abs(f.PerDirL1BPS-10e9) > 1000 || math.Abs(f.TotalL1BPS-20e9) > 2000 {
		t.Errorf("%+v", f)
	}
}

// TestNothingAboveTheCeilingIsPrinted measures 9.8765 Mpps under a ceiling of 3.1 Mpps.
func TestNothingAboveTheCeilingIsPrinted(t *testing.T) {
	run, _ := fixture()
	c := &run.Cells[1]
	c.Goals = goals(9.8765e6, 9.9765e6, 9.8765e6, 9.9765e6, 10)
	for _, format := range Formats() {
		w, err := For(format)
		if err != nil {
			t.Fatal(err)
		}
		out := string(written(t, w, run, nil))
		if format == "json" {
			var doc map[string]json.RawMessage
			if err := json.Unmarshal([]byte(out), &doc); err != nil {
				t.Fatal(err)
			}
			out = string(doc["derived"])
		}
		for _, number := range []string{"9.876", "9.877", "9.85", "9.976", "9.977", "9876", "9856"} {
			if strings.Contains(out, number) {
				t.Errorf("%s prints %s", format, number)
			}
		}
		said := map[string]string{"text": ">= 3.100", "markdown": "&gt;= 3.100", "csv": "at-least,3100000", "json": `"at-least"`, "html": "≥ 3.100"}[format]
		if !strings.Contains(out, said) {
			t.Errorf("%s does not say %q", format, said)
		}
	}
}

func TestCoresNeeded(t *testing.T) {
	c := cell{MeanBytes: 64, Cell: result.Cell{CPU: &result.CPU{NSPerPacket: 1000}}}
	want := []float64{1, 1.488, 14.88, 37.2}
	for i, n := range coresNeededBy(c) {
		if math.Abs(n.Cores-want[i]) > 0.001*want[i] {
			t.Errorf("%s: %v cores, want %v", n.Rate, n.Cores, want[i])
		}
	}
	imix := cell{MeanBytes: meanBytes(result.Cell{IPVersion: 4, FrameSize: plan.IMIX}), Cell: c.Cell}
	if math.Abs(imix.MeanBytes-353.83) > 0.01 || math.Abs(coresNeededBy(imix)[2].PPS-3343670) > 1000 {
		t.Errorf("IMIX: mean %v, %v pps at 10 Gbit/s", imix.MeanBytes, coresNeededBy(imix)[2].PPS)
	}
	if coresNeededBy(cell{}) != nil || coresNeededBy(cell{Cell: result.Cell{CPU: &result.CPU{}}}) != nil {
		t.Error("cores without a CPU time per packet")
	}
}

func TestFigureInASentence(t *testing.T) {
	background := 0.01
	c := result.Cell{CeilingPPS: 3.1e6, Verdict: result.DUTBound, BackgroundLossRatio: &background}
	g := result.Goal{LossRatio: 0.02, LowerPPS: 612e3, UpperPPS: 615e3}
	for want, change := range map[string]func(*result.Goal){
		"0.612 Mpps":    func(*result.Goal) {},
		">= 3.100 Mpps": func(g *result.Goal) { g.LowerPPS = 4e6 },
		"< 0.615 Mpps":  func(g *result.Goal) { g.LowerPPS = 0 },
		"undefined":     func(g *result.Goal) { g.LossRatio = 0 },
		"not found":     func(g *result.Goal) { g.LowerPPS, g.UpperPPS = 0, 0 },
	} {
		g := g
		change(&g)
		c.Goals = []result.Goal{g}
		f := Figures(c)[0]
		if f.String() != want {
			t.Errorf("got %q, want %q", f, want)
		}
		if found := f.Relation == Exact || f.Relation == AtLeast; f.Reaches(612e3) != found || f.Reaches(3.2e6) {
			t.Errorf("%s: reaches 0.612 Mpps: %v, 3.2 Mpps: %v", want, f.Reaches(612e3), f.Reaches(3.2e6))
		}
	}
}
