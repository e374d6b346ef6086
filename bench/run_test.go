package bench

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
)

// listener notes what a run tells.
type listener struct {
	t          *testing.T
	calibrated int
	cells      []result.Cell
	ended      int
	folder     string
}

func (l *listener) Opened(*result.Run, []plan.Cell)             {}
func (l *listener) Calibrated(result.Ceiling)                   { l.calibrated++ }
func (l *listener) CellStarted(int, int, plan.Cell)             {}
func (l *listener) TrialStarted(TrialStart)                     {}
func (l *listener) TrialProgress(uint64, uint64, time.Duration) {}
func (l *listener) TrialEnded(result.Trial, []search.Bounds)    { l.ended++ }
func (l *listener) CellEnded(c result.Cell)                     { l.cells = append(l.cells, c) }
func (l *listener) Doubt(w result.Warning)                      { l.t.Logf("%s: %s", w.Code, w.Text) }

func runPlan(t *testing.T, ctx context.Context, assignments ...string) (*result.Run, []result.Trial, *listener, error) {
	t.Helper()
	testenv.NeedRoot(t)
	p := plan.Default()
	if err := p.Set(assignments); err != nil {
		t.Fatal(err)
	}
	l := &listener{t: t}
	out := filepath.Join(t.TempDir(), "run")
	l.folder = out
	run, err := Run(ctx, Options{Plan: p, Out: out, JournalDir: t.TempDir(), Command: []string{"test"}, Events: l})
	if run == nil {
		t.Fatal(err)
	}
	for _, side := range []string{"a", "dut", "b"} {
		if netns.Exists("lr-" + run.ID + "-" + side) {
			t.Errorf("namespace lr-%s-%s is still there", run.ID, side)
		}
	}
	stored, trials, openErr := result.Open(out)
	if openErr != nil {
		t.Fatal(openErr)
	}
	if stored.Outcome != run.Outcome || len(stored.Cells) != len(run.Cells) {
		t.Errorf("stored outcome %s with %d cells, run %s with %d", stored.Outcome, len(stored.Cells), run.Outcome, len(run.Cells))
	}
	return stored, trials, l, err
}

// TestLimitIsFound measures a DUT whose capacity is known: an nftables limit. With
// a burst of 64 packets it lets 64 more through than its rate in the first trial.
func TestLimitIsFound(t *testing.T) {
	const limit = 50_000
	run, trials, l, err := runPlan(t, t.Context(), "scenarios=limit", "limit.pps=50000", "traffic.flows=100", "search.max_trial_time=30s")
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Cells) != 1 || l.calibrated != 1 || len(l.cells) != 1 {
		t.Fatalf("%d cells, %d ceilings", len(run.Cells), l.calibrated)
	}
	c := run.Cells[0]
	for _, g := range c.Goals {
		t.Logf("%s: %.0f to %.0f pps, conditional throughput %.0f pps, %d trials", g.Name, g.LowerPPS, g.UpperPPS, g.ConditionalPPS, g.Trials)
	}
	if pdr := c.Goals[1]; math.Abs(pdr.ConditionalPPS/limit-1) > 0.01 {
		t.Errorf("PDR conditional throughput is %.0f pps, the limit %d", pdr.ConditionalPPS, limit)
	}
	for _, w := range run.Warnings {
		if w.Code == "cpus-restricted" && !strings.Contains(w.Text, fmt.Sprintf("may use %d of", runtime.NumCPU())) {
			t.Errorf("the run takes its own stepping aside for a limit of the machine: %s", w.Text)
		}
	}
	if c.Verdict != result.DUTBound {
		t.Errorf("verdict %s, %q; want dut-bound", c.Verdict, c.Evidence)
	}
	replay(t, run, trials)
	checkPolicyLedger(t, run, trials)
}

// replay feeds the stored trials to a new search, which must ask for the same loads.
func replay(t *testing.T, run *result.Run, trials []result.Trial) {
	t.Helper()
	c := run.Cells[0]
	var log []search.Trial
	for _, r := range trials {
		if r.Cell == c.ID && r.Purpose == result.ForSearch && r.Discarded == "" {
			log = append(log, search.Trial{LoadPPS: r.IntendedLoadPPS, DurationS: r.IntendedDurationS, LossRatio: r.LossRatio()})
		}
	}
	again, err := search.NewMLR(search.Config{Goals: searchConfig(run.Plan.Search, c.CeilingPPS).Goals, MinLoadPPS: run.Plan.Search.MinLoadPPS, MaxLoadPPS: c.CeilingPPS, MaxTrialSeconds: run.Plan.Search.MaxTrialTime.Seconds()})
	if err != nil {
		t.Fatal(err)
	}
	if err := search.Replay(again, log); err != nil {
		t.Error(err)
	}
	for i, b := range again.Bounds() {
		if g := c.Goals[i]; b.LowerPPS != g.LowerPPS || b.UpperPPS != g.UpperPPS || b.Trials != g.Trials {
			t.Errorf("%s: replay gives %.0f to %.0f pps from %d trials, the run %.0f to %.0f from %d", g.Name, b.LowerPPS, b.UpperPPS, b.Trials, g.LowerPPS, g.UpperPPS, g.Trials)
		}
	}
}

func TestInterruptedRunIsKept(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
	defer cancel()
	run, trials, _, err := runPlan(t, ctx, "scenarios=route")
	if err == nil || run.Outcome != result.Interrupted {
		t.Errorf("outcome %s, error %v; want interrupted", run.Outcome, err)
	}
	if len(trials) == 0 {
		t.Error("no trial was kept")
	}
}

func TestMissingToolSkipsTheCell(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	run, _, _, err := runPlan(t, t.Context(), "scenarios=snat-iptables,conntrack-nft", "search.max_trial_time=2s")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"iptables is not installed; install it with `apt-get install iptables`", "nft is not installed; install it with `apt-get install nftables`"} {
		if c := run.Cells[i]; len(c.Skipped) < len(want) || c.Skipped[:len(want)] != want || len(c.Goals) != 0 {
			t.Errorf("cell %s: skipped %q, %d goals", c.ID, c.Skipped, len(c.Goals))
		}
	}
}
