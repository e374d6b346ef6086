package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// rateRun is the run of kernels with rates beside its counts, or in their place.
func rateRun(metric string) *result.Run {
	run := kernelRun()
	run.Plan.VM.Metric = metric
	rates := map[string][2]float64{"old": {300000, 140000}, "new": {298000, 100000}}
	for i, c := range run.Cells {
		f, measured := rates[c.Kernel]
		if !measured {
			continue
		}
		pps := f[i%2]
		run.Cells[i].ForwardingRate = &result.ForwardingRate{MedianPPS: pps, MinPPS: pps - 1000, MaxPPS: pps + 1000, SinkOnlyPPS: f[0], EndHostShareRatio: pps / f[0],
			Trials: []result.KernelTrial{{Round: 1, Order: 1, Sent: 1, Received: 1, DurationS: 1, Disturbed: "something else had the CPU"}, {Round: 1, Order: 2, Twin: true, DurationS: 1}}}
		run.Cells[i].Verdict = result.DUTBound
		if metric == plan.MetricRate {
			run.Cells[i].InstructionsPerPacket = nil
		}
	}
	if metric == plan.MetricRate {
		run.KernelPairs, run.Cells[3].Attribution = nil, nil
	}
	run.KernelRates = &result.KernelRates{Accelerator: result.Accelerator{Used: "tcg", Reason: "a virtual CPU crawls"}, RoundsPlanned: 6, RoundsMeasured: 6, AlphaRatio: 0.05, LeastChangeRatio: 0.01,
		Pairs: []result.KernelRatePair{{A: "old", B: "new",
			ComparedCell: result.ComparedCell{CellA: run.Cells[1].ID, CellB: run.Cells[3].ID, Pairs: make([]result.Pair, 6), EstimateRatio: 0.714, IntervalLowRatio: 0.71, IntervalHighRatio: 0.72,
				PValue: 0.031, NoiseFloorRatio: 0.004, MarginRatio: 0.01, Verdict: "changed"},
			KernelBound: result.KernelBound{Bound: result.GeneratorBound, BoundReason: "most of it is the end hosts'"}}}}
	return run
}

func TestKernelRatesInEveryFormat(t *testing.T) {
	for _, metric := range []string{plan.MetricRate, plan.MetricBoth} {
		run := rateRun(metric)
		for _, format := range []string{"text", "markdown", "html"} {
			w, err := For(format)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := w.Write(&b, run, nil); err != nil {
				t.Fatal(err)
			}
			text := strings.Join(strings.Fields(strings.NewReplacer("&#43;", "+", "&#39;", "'").Replace(b.String())), " ")
			for _, want := range []string{"140,000", "139,000 to 141,000", "7143", "3810", "28.6 %", "fewer packets a second", "0.710 to 0.720", "generator-bound", "most of it is the end hosts'", "a virtual CPU crawls", "4 of 8 measurements"} {
				if !strings.Contains(text, want) {
					t.Errorf("the %s report of metric %s does not have %q", format, metric, want)
				}
			}
			if counts := strings.Contains(text, "6,412.5"); counts != (metric == plan.MetricBoth) {
				t.Errorf("the %s report of metric %s: has counts: %t", format, metric, counts)
			}
		}
	}
}

func TestKernelRatesAsCSV(t *testing.T) {
	var b bytes.Buffer
	if err := (CSV{}).Write(&b, rateRun(plan.MetricBoth), nil); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("%d rows, error %v, want a heading and 6", len(rows), err)
	}
	if got := strings.Join(rows[4][13:], ","); got != "100000,298000,99000,101000,1,0.33557,dut-bound," {
		t.Errorf("row %q", got)
	}
}

// TestCellWithoutARate says why, once, in every format and for both ways to lose it.
func TestCellWithoutARate(t *testing.T) {
	for _, metric := range []string{plan.MetricRate, plan.MetricBoth} {
		run := rateRun(metric)
		failed, missing := &run.Cells[0], &run.Cells[1]
		failed.ForwardingRate = &result.ForwardingRate{Trials: []result.KernelTrial{}, Failure: "in round 3: the scenario does not forward"}
		missing.ForwardingRate, missing.InstructionsPerPacket, missing.Skipped = nil, nil, "a module is missing here"
		for _, format := range []string{"text", "markdown", "html", "csv"} {
			w, err := For(format)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := w.Write(&b, run, nil); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"in round 3: the scenario does not forward", "a module is missing here"} {
				if n := strings.Count(strings.Join(strings.Fields(b.String()), " "), want); n != 1 {
					t.Errorf("the %s report of metric %s has %d times %q, want it once:\n%s", format, metric, n, want, b.String())
				}
			}
		}
	}
}

// TestNoRate says why there is none.
func TestNoRate(t *testing.T) {
	run := rateRun(plan.MetricBoth)
	run.KernelRates = &result.KernelRates{Accelerator: result.Accelerator{Reason: "a virtual CPU hangs"}}
	var b bytes.Buffer
	w, err := For("text")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&b, run, nil); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "No rate was measured: a virtual CPU hangs.") || strings.Contains(text, "Forwarding rate") {
		t.Errorf("%s", text)
	}
}
