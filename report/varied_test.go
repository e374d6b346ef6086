package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/result"
)

// comparedRun is a run with a comparison of two cells: one changed, one inconclusive.
func comparedRun() *result.Run {
	run, _ := fixture()
	run.Cells = run.Cells[:1]
	pairs := func(center float64, scatter ...float64) (list []result.Pair) {
		for i, s := range scatter {
			list = append(list, result.Pair{BFirst: i%2 == 1, APPS: 1.5e6, BPPS: 1.5e6 * center * (1 + s)})
		}
		list[1].Disturbed = "the hypervisor took CPU time away"
		return list
	}
	aa := []result.AAPair{{FirstPPS: 1.5e6, SecondPPS: 1.51e6}, {FirstPPS: 1.49e6, SecondPPS: 1.5e6}, {FirstPPS: 1.52e6, SecondPPS: 1.5e6}}
	run.Comparison = &result.Comparison{
		A: []string{}, B: []string{"scenarios=conntrack-nft", "limit.pps=5"}, Figure: "forwarding-rate", AlphaRatio: 0.05, LeastChangeRatio: 0.01, PairsPlanned: 10,
		Cells: []result.ComparedCell{
			{CellA: "route/ipv4/64B/1f/uni/A", CellB: "conntrack-nft/ipv4/64B/1f/uni/B", LoadPPS: 2.86e6, Pairs: pairs(0.77, -0.02, 0.01, 0, 0.004, -0.011, 0.02, 0.003, -0.006, 0.012, 0.001), AAPairs: aa,
				EstimateRatio: 0.7705, IntervalLowRatio: 0.762, IntervalHighRatio: 0.779, PValue: 0.0039, NoiseFloorRatio: 0.0155, MarginRatio: 0.0155, Verdict: "changed"},
			{CellA: "route/ipv4/64B/100f/uni/A", CellB: "conntrack-nft/ipv4/64B/100f/uni/B", LoadPPS: 2.86e6, Pairs: pairs(0.985, -0.03, 0.04, 0.02, -0.01, -0.02, 0.03, 0, 0.01, -0.04, 0), AAPairs: aa,
				EstimateRatio: 0.985, IntervalLowRatio: 0.969, IntervalHighRatio: 1.014, PValue: 0.484, NoiseFloorRatio: 0.029, MarginRatio: 0.029, Verdict: "inconclusive", PairsNeeded: 159},
		}}
	return run
}

// sweptRun is a run with one curve that rises, stays and falls.
func sweptRun() *result.Run {
	run, _ := fixture()
	run.Cells = run.Cells[:1]
	point := func(value string, pps, gain float64, good bool) result.CurvePoint {
		return result.CurvePoint{Value: value, Cell: "route/ipv4/64B/1f/uni/dut.gro_flush_timeout=" + value, PPS: []float64{pps * 0.99, pps, pps * 1.01},
			EstimatePPS: pps, IntervalLowPPS: pps * 0.98, IntervalHighPPS: pps * 1.02, GainRatio: gain, AsGood: good}
	}
	run.Sweep = &result.Sweep{Field: "dut.gro_flush_timeout", Values: []string{"0s", "20us", "50us", "500us"}, Figure: "throughput", RepeatsPlanned: 3,
		Curves: []result.Curve{{Title: "route, IPv4, 64 B, 1 flow, one direction", NoiseFloorRatio: 0.021, MarginRatio: 0.021, BestValue: "50us", EnoughValue: "20us",
			Points: []result.CurvePoint{point("0s", 1.2e6, 0.25, false), point("20us", 1.49e6, 0.007, true), point("50us", 1.5e6, 0, true), point("500us", 0.4e6, 2.75, false)}}}}
	run.Sweep.Curves[0].Points[0].Disturbed = 1
	return run
}

func TestGoldenVariedReports(t *testing.T) {
	for name, run := range map[string]*result.Run{"ab": comparedRun(), "sweep": sweptRun()} {
		for _, format := range []string{"text", "markdown", "html"} {
			w, err := For(format)
			if err != nil {
				t.Fatal(err)
			}
			if format == "text" {
				w = Text{SummaryOnly: true}
			}
			golden(t, name+map[string]string{"text": ".txt", "markdown": ".md", "html": ".html"}[format], written(t, w, run, nil))
		}
	}
}

func TestABSentences(t *testing.T) {
	run := comparedRun()
	c := *run.Comparison
	cell := c.Cells[0]
	for verdict, want := range map[string]string{
		"changed":      "B (scenarios=conntrack-nft, limit.pps=5) is 23 % lower than that of A (the plan as it stands)",
		"equivalent":   "are equivalent: whatever their forwarding rate at 2.860 Mpps offered differs by, it is less than the 1.55 % that count here",
		"inconclusive": "no number of pairs up to 1000 would decide it",
		"":             "was not finished (10 of 10 pairs)",
	} {
		cell.Verdict = verdict
		if got := abSentence(c, cell); !strings.Contains(got, want) {
			t.Errorf("%s: %q lacks %q", verdict, got, want)
		}
	}
	if got := abSentence(c, result.ComparedCell{}); !strings.Contains(got, "No pair") || abPicture(result.ComparedCell{}) != nil {
		t.Errorf("no pair: %q", got)
	}
}

func TestSweepSentences(t *testing.T) {
	run := sweptRun()
	s := *run.Sweep
	for _, tt := range []struct {
		change func(*result.Curve)
		want   string
	}{
		{func(*result.Curve) {}, "Beyond dut.gro_flush_timeout=20us nothing is gained: the throughput is 1.490 Mpps there, and no later value is better by more than 2.1 %; 500us (0.400 Mpps) is worse again."},
		{func(c *result.Curve) { c.Flat, c.EnoughValue = true, "0s" }, "makes no difference here"},
		{func(c *result.Curve) { c.EnoughValue, c.BestValue = "500us", "500us" }, "still rises at the last value"},
		{func(c *result.Curve) { c.BestValue = "" }, "was not finished"},
	} {
		c := s.Curves[0]
		tt.change(&c)
		if got := sweepSentence(s, c); !strings.Contains(got, tt.want) {
			t.Errorf("%q lacks %q", got, tt.want)
		}
	}
}

// manyRuns are runs whose PDR is the fixture's times a factor each, a day apart.
func manyRuns(after time.Duration, factors ...float64) []StoredRun {
	var runs []StoredRun
	for i, f := range factors {
		run, _ := fixture()
		run.Started = run.Started.Add(after + time.Duration(i)*24*time.Hour)
		for j := range run.Cells {
			run.Cells[j].Goals = append([]result.Goal{}, run.Cells[j].Goals...)
			for k := range run.Cells[j].Goals {
				run.Cells[j].Goals[k].ConditionalPPS *= f
			}
		}
		runs = append(runs, StoredRun{Run: run})
	}
	return runs
}

func TestCompareManyRuns(t *testing.T) {
	a := manyRuns(0, 1, 1.002, 0.999, 1.001, 0.998, 1.003, 1)
	b := manyRuns(12*time.Hour, 0.9, 0.902, 0.899, 0.901, 0.9, 0.898, 0.903)
	var out bytes.Buffer
	verdicts, err := Compare(&out, a, b, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "compare-many.txt", out.Bytes())
	changed := 0
	for _, v := range verdicts {
		if v.Verdict == "changed" {
			changed++
			if math.Abs(v.Ratio-0.9) > 0.01 {
				t.Errorf("%s: ratio %v", v.Cell, v.Ratio)
			}
		}
	}
	if changed == 0 {
		t.Errorf("no cell has changed: %+v", verdicts)
	}
	if strings.Contains(out.String(), "All runs of") {
		t.Error("runs made in turn are called apart")
	}
	out.Reset()
	if verdicts, err = Compare(&out, a[:3], manyRuns(1000*time.Hour, 0.5, 0.501, 0.499), CompareOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, v := range verdicts {
		if v.Verdict == "changed" {
			t.Errorf("%s: three runs of each side have shown a change", v.Cell)
		}
	}
	for _, want := range []string{"With 3 runs on a side", "All runs of A were made before the first of B"} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("the notes lack %q", want)
		}
	}
}
