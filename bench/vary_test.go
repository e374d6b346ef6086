package bench

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

func TestPairsAreDealtByCoins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	const rounds = 200
	bFirst, aaFirst := 0, 0
	for range rounds {
		list := pairsOf(2, 10, 6, r)
		count := map[pairPlan]int{}
		for i, p := range list {
			if p.aa && i < len(list)/2 {
				aaFirst++
			}
			if p.bFirst {
				bFirst++
			}
			p.bFirst = false
			count[p]++
		}
		for cell := range 2 {
			if count[pairPlan{cell: cell}] != 10 || count[pairPlan{cell: cell, aa: true}] != 6 {
				t.Fatalf("pairs %v", count)
			}
		}
	}
	for what, share := range map[string]float64{"B first": float64(bFirst) / (rounds * 32), "A/A pairs in the first half": float64(aaFirst) / (rounds * 12)} {
		if share < 0.45 || share > 0.55 {
			t.Errorf("%s in %.0f %%", what, 100*share)
		}
	}
}

// quickly makes a lab's comparison short: the figures are of a limit that is known.
var quickly = []string{"scenarios=limit", "traffic.flows=100", "search.max_trial_time=2s", "trial.drain_quiet=20ms",
	"repeated.figure=forwarding-rate", "repeated.load_pps=200000", "repeated.trials=1", "repeated.trial_duration=200ms"}

// TestABFindsAKnownChange compares two limits, of which B lets 10 % more through. With a
// burst of 64 packets and trials of 200 ms the true ratio is 11064/10064.
func TestABFindsAKnownChange(t *testing.T) {
	run, trials, l, err := runPlan(t, t.Context(), append(quickly, "ab.a=limit.pps=50000", "ab.b=limit.pps=55000", "ab.pairs=6", "ab.aa_pairs=3")...)
	if err != nil {
		t.Fatal(err)
	}
	c := run.Comparison
	if c == nil || len(c.Cells) != 1 || len(c.Cells[0].Pairs) != 6 || len(c.Cells[0].AAPairs) != 3 {
		t.Fatalf("comparison %+v", c)
	}
	cell := c.Cells[0]
	t.Logf("%+v", cell)
	if cell.Verdict != "changed" || math.Abs(cell.EstimateRatio/(11064.0/10064)-1) > 0.005 {
		t.Errorf("%s, B/A %.4f", cell.Verdict, cell.EstimateRatio)
	}
	if len(run.Cells) != 2 || run.Cells[0].Variant != "A" || run.Cells[1].Variant != "B" || l.calibrated != 1 {
		t.Errorf("%d cells, %d ceilings", len(run.Cells), l.calibrated)
	}
	counted := map[string]int{}
	for _, tr := range trials {
		if tr.Purpose == result.ForComparison && tr.Discarded == "" {
			counted[tr.Cell]++
		}
	}
	if counted[cell.CellA] != 6+2*3 || counted[cell.CellB] != 6 {
		t.Errorf("trials that count: %v", counted)
	}
}

func TestSweepFollowsAKnownLimit(t *testing.T) {
	run, _, _, err := runPlan(t, t.Context(), append(quickly, "sweep.field=limit.pps", "sweep.values=20000,40000,80000", "sweep.repeats=2")...)
	if err != nil {
		t.Fatal(err)
	}
	if run.Sweep == nil || len(run.Sweep.Curves) != 1 {
		t.Fatalf("sweep %+v", run.Sweep)
	}
	curve := run.Sweep.Curves[0]
	for i, limit := range []float64{20_000, 40_000, 80_000} {
		p := curve.Points[i]
		want := limit + 64/0.2
		if len(p.PPS) != 2 || math.Abs(p.EstimatePPS/want-1) > 0.01 || p.IntervalLowPPS > p.EstimatePPS || p.IntervalHighPPS < p.EstimatePPS {
			t.Errorf("limit %.0f: %+v", limit, p)
		}
	}
	if curve.BestValue != "80000" || curve.EnoughValue != "80000" || curve.Flat {
		t.Errorf("best %s, enough %s", curve.BestValue, curve.EnoughValue)
	}
}

// TestTuningIsUndone tunes the DUT of a lab, reads it back, and finds it as before.
func TestTuningIsUndone(t *testing.T) {
	p := testPlan()
	p.DUT = plan.DUT{Sysctls: plan.Sysctls{"net.ipv4.ip_early_demux": "0"}, GROFlushTimeout: 20_000, NAPIDeferHardIRQs: 3}
	cell := cellOf("route", 4, 1, plan.Uni)
	b := openBare(t, p, cell)
	read := func() map[string]string {
		values := map[string]string{}
		var err error
		if values["demux"], err = journal.ReadSysctl(b.lab.DUT.Netns, "net.ipv4.ip_early_demux"); err != nil {
			t.Fatal(err)
		}
		for _, device := range []string{b.lab.DUT.A.Interface, b.lab.DUT.B.Interface} {
			for _, name := range []string{"gro_flush_timeout", "napi_defer_hard_irqs"} {
				if values[device+name], err = journal.ReadDevice(b.lab.DUT.Netns, device+"/"+name); err != nil {
					t.Fatal(err)
				}
			}
		}
		return values
	}
	before := read()
	scenario := dut.Scenario{Cell: cell, DUT: b.lab.DUT}
	applied, err := dut.Apply(scenario.Tuning(p.DUT), b.journal)
	if err != nil {
		t.Fatal(err)
	}
	tuned := read()
	for key, want := range map[string]string{"demux": "0", b.lab.DUT.A.Interface + "gro_flush_timeout": "20000", b.lab.DUT.B.Interface + "napi_defer_hard_irqs": "3"} {
		if tuned[key] != want {
			t.Errorf("%s is %s, want %s", key, tuned[key], want)
		}
	}
	if len(applied.Setup) != 5 {
		t.Errorf("setup %q", applied.Setup)
	}
	if err := applied.Undo(); err != nil {
		t.Fatal(err)
	}
	for key, value := range read() {
		if value != before[key] {
			t.Errorf("%s is %s after the undo, and was %s", key, value, before[key])
		}
	}
	cell.Scenario = "none"
	if steps := (dut.Scenario{Cell: cell, DUT: b.lab.DUT}).Tuning(p.DUT); len(steps) != 0 {
		t.Error("there is a DUT to tune in scenario none")
	}
}
