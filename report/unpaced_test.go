package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// unpacedRun is a run of three scenarios by an engine that cannot be paced: the device of
// the last carried all that came.
func unpacedRun(sentPPS float64) *result.Run {
	run, _ := fixture()
	run.Cells = nil
	for _, c := range []struct {
		scenario string
		loss     float64
		verdict  result.Verdict
	}{{"none", 0, result.GeneratorBound}, {"route", 0.4, result.DUTBound}, {"bridge", 0.001, result.GeneratorBound}} {
		cell := fixtureCell(c.scenario, "", 1, plan.Uni, c.verdict, "engine testpmd sent as fast as it goes", "the reason of "+c.scenario)
		cell.Engine = "testpmd"
		cell.CPU = busy(0.9, 1500)
		cell.Unpaced = &result.Unpaced{Trials: 3, TrialDurationS: 1, SentPPS: sentPPS, ReceivedPPS: new(sentPPS * (1 - c.loss)), LossRatio: &c.loss}
		run.Cells = append(run.Cells, cell)
	}
	return run
}

func TestUnpacedIsInEveryFormat(t *testing.T) {
	run := unpacedRun(1e6)
	for format, wants := range map[string][]string{
		"text": {"route with 64-byte frames in one direction: 0.600 Mpps arrived of the 1.000 Mpps", "The limit is the device itself: the reason of route.",
			"Sent and received at one load", "1.000     0.600   40 %   0.90  1,500  dut-bound", ">= 0.999", "From the fastest to the dearest"},
		"markdown": {"| 1.000 | 0.600 | 40 % | 0.90 | 1,500 | dut-bound |", "no throughput"},
		"csv":      {",received,0.4,1,,exact,600000,0.6,", ",received,0.001,1,,at-least,999000,", ",1000000,"},
		"json":     {`"goal": "received"`, `"relation": "at-least"`},
		"html":     {`<section id="unpaced">`, "<td class=\"n\">≥ 0.999</td>", "0.600\u00a0Mpps arrived of the"},
	} {
		w, err := For(format)
		if err != nil {
			t.Fatal(err)
		}
		got := string(written(t, w, run, nil))
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
		for _, no := range []string{": not searched for", `id="throughput"`, "\nThroughput\n", "## Throughput"} {
			if strings.Contains(got, no) {
				t.Errorf("%s has %q", format, no)
			}
		}
	}
}

func TestUnpacedIsCompared(t *testing.T) {
	var runs [2][]StoredRun
	for side, base := range []float64{1e6, 1.1e6} {
		for i := range 8 {
			runs[side] = append(runs[side], StoredRun{Run: unpacedRun(base + 1e3*float64(i))})
		}
	}
	var out bytes.Buffer
	verdicts, err := Compare(&out, runs[0], runs[1], CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// What the bridge carried is a lower bound: the engines are not compared in its name.
	for i, want := range []string{"changed", "changed", "inconclusive"} {
		if i >= len(verdicts) || verdicts[i].Verdict != want {
			t.Fatalf("%+v, want changed, changed, inconclusive:\n%s", verdicts, out.String())
		}
	}
	if r := verdicts[1].Ratio; r < 1.09 || r > 1.11 {
		t.Errorf("B/A %.4f, want 1.10", r)
	}
	out.Reset()
	if _, err := Compare(&out, runs[0][:1], runs[1][:1], CompareOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"received  ", "0.660  1.100", ">= 0.999", "sent  ", "40 %"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the comparison of one run each lacks %q:\n%s", want, out.String())
		}
	}
}

// TestUnpacedBoundByTheTester: what the tester bounded is a lower bound, whatever was lost.
func TestUnpacedBoundByTheTester(t *testing.T) {
	for _, tt := range []struct {
		verdict result.Verdict
		want    Relation
		rate    string
	}{{result.GeneratorBound, AtLeast, ">= 0.600"}, {result.ReceiverBound, AtLeast, ">= 0.600"}, {result.DUTBound, Exact, "0.600"}} {
		c := unpacedRun(1e6).Cells[1]
		c.Verdict = tt.verdict
		if f := unpacedFigure(c); f.Relation != tt.want || unpacedRate(c) != tt.rate {
			t.Errorf("%s: %s %s, want %s %s", tt.verdict, f.Relation, unpacedRate(c), tt.want, tt.rate)
		}
		s := &sideFigures{cell: cell{Cell: c}}
		if s.addUnpaced(cell{Cell: c}); len(s.exact) == 1 != (tt.want == Exact) {
			t.Errorf("%s: %v is compared", tt.verdict, s.exact)
		}
	}
}

// TestUnpacedOfTheSenderAlone: absent figures are no zero, and a loss of all is one.
func TestUnpacedOfTheSenderAlone(t *testing.T) {
	for want, u := range map[string]result.Unpaced{
		"- -":     {SentPPS: 1e6},
		"0 100 %": {SentPPS: 1e6, ReceivedPPS: new(float64), LossRatio: new(1.0)},
	} {
		c := result.Cell{Scenario: "route", Unpaced: &u}
		if got := unpacedRate(c) + " " + unpacedLoss(c); got != want {
			t.Errorf("%+v: %q, want %q", u, got, want)
		}
	}
}
