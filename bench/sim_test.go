package bench

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// simulate runs a plan on the simulated testbed and returns what was stored.
func simulate(t *testing.T, assignments ...string) (*result.Run, []result.Trial, string) {
	t.Helper()
	p := plan.Default()
	if err := p.Set(append([]string{"testbed=sim"}, assignments...)); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "run")
	if _, err := Run(t.Context(), Options{Plan: p, Out: out, Events: &listener{t: t}}); err != nil {
		t.Fatal(err)
	}
	run, trials, err := result.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if run.Outcome != result.Measured || run.Sim == nil || run.Testbed.Kind != "sim" || len(run.Warnings) == 0 || run.Warnings[0].Code != "simulated" {
		t.Errorf("the run does not say that it is a simulation: outcome %s, testbed %s, %v", run.Outcome, run.Testbed.Kind, run.Warnings)
	}
	return run, trials, out
}

func TestSimFindsTheTruth(t *testing.T) {
	run, trials, _ := simulate(t, "sim.preset=hard", "traffic.directions=uni,bi")
	truths := []*float64{run.Sim.Truth.NDRPPS, run.Sim.Truth.PDRPPS}
	for _, c := range run.Cells {
		for i, g := range c.Goals {
			if truths[i] == nil {
				t.Fatalf("no truth for %s", g.Name)
			}
			if truth := *truths[i]; g.LowerPPS > truth || g.UpperPPS < truth || (g.UpperPPS-g.LowerPPS)/g.UpperPPS > 0.005 {
				t.Errorf("%s %s: bounds %.0f to %.0f pps, the truth is %.0f", c.ID, g.Name, g.LowerPPS, g.UpperPPS, truth)
			}
		}
		if c.Verdict != result.DUTBound || c.Latency == nil || c.CPU != nil || c.Engine != "sim" {
			t.Errorf("%s: verdict %s, latency %v, CPU %v, engine %s", c.ID, c.Verdict, c.Latency, c.CPU, c.Engine)
		}
	}
	replay(t, run, trials)
}

func TestSimEveryPresetEnds(t *testing.T) {
	for _, preset := range plan.SimPresets() {
		run, _, _ := simulate(t, "sim.preset="+preset, "search.max_trial_time=120s")
		c, truth := run.Cells[0], run.Sim.Truth
		if len(c.Goals) != 2 || c.Verdict == "" {
			t.Errorf("%s: %d goals, verdict %q", preset, len(c.Goals), c.Verdict)
			continue
		}
		if preset == "background-loss" {
			if truth.NDRPPS != nil || c.BackgroundLossRatio == nil || c.Goals[0].Verdict != result.Undefined {
				t.Errorf("%s: true NDR %v, background %v, verdict on NDR %s; want none, some and undefined", preset, truth.NDRPPS, c.BackgroundLossRatio, c.Goals[0].Verdict)
			}
		} else if e := c.Goals[0].LowerPPS / *truth.NDRPPS - 1; math.Abs(e) > 0.03 {
			t.Errorf("%s: NDR is off by %.2f %%", preset, 100*e)
		}
		if e := c.Goals[1].LowerPPS / *truth.PDRPPS - 1; math.Abs(e) > 0.03 {
			t.Errorf("%s: PDR is off by %.2f %%", preset, 100*e)
		}
	}
}

func TestSimNone(t *testing.T) {
	run, _, _ := simulate(t, "scenarios=none", "sim.max_load_pps=3e6")
	if c := run.Cells[0]; c.CeilingPPS != 3e6 || c.Goals[0].LowerPPS != 3e6 || c.Verdict != result.GeneratorBound {
		t.Errorf("without a device: ceiling %.0f pps, NDR from %.0f pps, %s; want the tester's 3,000,000 and generator-bound", c.CeilingPPS, c.Goals[0].LowerPPS, c.Verdict)
	}
}

// Two runs with one seed have the same trials and differ in id and times alone; one
// with another seed has others.
func TestSimRepeats(t *testing.T) {
	read := func(seed string) (trials []byte, run result.Run) {
		r, _, dir := simulate(t, "sim.preset=linux-like", "sim.seed="+seed, "traffic.flows=1,100", "traffic.frame_size=imix")
		data, err := os.ReadFile(filepath.Join(dir, "trials.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		run = *r
		return data, run
	}
	first, a := read("3")
	second, b := read("3")
	if !bytes.Equal(first, second) {
		t.Error("two runs with one seed have other trials")
	}
	b.ID, b.Started, b.Finished = a.ID, a.Started, a.Finished
	if got, want := asJSON(t, b), asJSON(t, a); !bytes.Equal(got, want) {
		t.Errorf("two runs with one seed differ:\n%s\n%s", got, want)
	}
	if other, _ := read("4"); bytes.Equal(first, other) {
		t.Error("two runs with different seeds have the same trials")
	}
}

func TestSimEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := plan.Default()
	p.Testbed = "sim"
	run, err := Run(ctx, Options{Plan: p, Out: filepath.Join(t.TempDir(), "run"), Events: &listener{t: t}})
	if err == nil || run.Outcome != result.Interrupted {
		t.Errorf("outcome %s, error %v; want interrupted", run.Outcome, err)
	}
}
