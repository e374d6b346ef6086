package kernels_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/kernels"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
	"github.com/linerate/linerate/testbed/vm"
)

// rounds are so many that six rows, of three kernels in two cells, can show a change.
const rounds = 8

// rateOptions are those of rates in the emulator, short rounds of them.
func rateOptions(t *testing.T, program string, names ...string) kernels.Options {
	t.Helper()
	o := options(t, program, names...)
	o.Plan.Scenarios = []plan.Scenario{"none", "route"}
	o.Plan.VM.Metric, o.Plan.VM.Accelerator = plan.MetricRate, plan.AcceleratorTCG
	o.Plan.VM.Rounds, o.Plan.VM.TrialDuration = rounds, plan.Duration(300*time.Millisecond)
	return o
}

// noGuest fails if an emulator that this test started is left.
func noGuest(t *testing.T) {
	t.Helper()
	out, err := exec.Command("pgrep", "-P", strconv.Itoa(os.Getpid()), "-f", vm.Emulator).Output()
	if len(out) > 0 {
		t.Errorf("still running: %s", out)
	}
	// 1 is that no process matched (pgrep(1)).
	if failed, ok := errors.AsType[*exec.ExitError](err); len(out) == 0 && (!ok || failed.ExitCode() != 1) {
		t.Errorf("look for emulators: pgrep: %v", err)
	}
}

// TestRates compares a kernel with itself and with PREEMPT_RT, which forwards a quarter less.
func TestRates(t *testing.T) {
	needSeveral(t)
	o := rateOptions(t, guestProgram(t), debian("6.1.0-56-cloud-amd64"), debian("6.1.0-56-cloud-amd64"), debian("6.1.0-56-rt-amd64"))
	ctx, stop := context.WithTimeout(context.Background(), 15*time.Minute)
	defer stop()
	if _, err := kernels.Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	run, _, err := result.Open(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(run.KernelRates.Pairs); n != 6 {
		t.Fatalf("%d pairs, want three of kernels in two cells: %+v", n, run.Kernels)
	}
	for _, p := range run.KernelRates.Pairs {
		t.Logf("%s beside %s, %s: %.3f (%.3f to %.3f), p %.3f, %s, %s", p.B, p.A, p.CellB, p.EstimateRatio, p.IntervalLowRatio, p.IntervalHighRatio, p.PValue, p.Verdict, p.BoundReason)
		if len(p.Pairs) != rounds || len(p.AAPairs) != rounds {
			t.Errorf("%d pairs and %d of one kernel, want %d", len(p.Pairs), len(p.AAPairs), rounds)
		}
		same, changed := !strings.Contains(p.B, "rt"), p.Verdict == string(stats.Changed)
		if same == changed || !same && p.EstimateRatio > 0.95 {
			t.Errorf("%s beside %s: %s, %.3f", p.B, p.A, p.Verdict, p.EstimateRatio)
		}
	}
	for _, c := range run.Cells {
		if c.ForwardingRate == nil {
			t.Fatalf("%s: no rate: %s", c.ID, c.Skipped)
		}
		for _, one := range c.ForwardingRate.Trials {
			if one.Sent == 0 || one.Received > one.Sent || one.ClockRatio < 0.97 || one.ClockRatio > 1.03 {
				t.Errorf("%s: %+v", c.ID, one)
			}
		}
	}
}

// TestLoadThatBothCarry has the rate that it was told, and says that it says nothing.
func TestLoadThatBothCarry(t *testing.T) {
	needSeveral(t)
	o := rateOptions(t, guestProgram(t), debian("6.1.0-56-cloud-amd64"), debian("6.1.0-56-rt-amd64"))
	o.Plan.VM.LoadPPS = 10_000
	ctx, stop := context.WithTimeout(context.Background(), 15*time.Minute)
	defer stop()
	if _, err := kernels.Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	run, _, err := result.Open(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(run.KernelRates.Pairs); n != 2 {
		t.Fatalf("%d pairs, want one of kernels in two cells: %+v", n, run.Kernels)
	}
	for _, p := range run.KernelRates.Pairs {
		t.Logf("%s: %.3f, %s, %s: %s", p.CellB, p.EstimateRatio, p.Verdict, p.Bound, p.BoundReason)
		if p.Bound != result.GeneratorBound || p.EstimateRatio < 0.9 || p.EstimateRatio > 1.1 {
			t.Errorf("%s: %.3f, %s: %s", p.CellB, p.EstimateRatio, p.Bound, p.BoundReason)
		}
	}
}

// stopping stops the run while the second round is under way.
type stopping struct {
	silent
	stop func()
	at   chan time.Time
}

func (s stopping) Round(n, rounds int) {
	if n == 1 {
		time.AfterFunc(2*time.Second, func() {
			s.at <- time.Now()
			s.stop()
		})
	}
}

// TestInterruptedRates ends soon, and so do all guests; the round of before is kept.
func TestInterruptedRates(t *testing.T) {
	needSeveral(t)
	o := rateOptions(t, guestProgram(t), kernelPackage)
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	events := stopping{silent{t}, stop, make(chan time.Time, 1)}
	o.Events = events
	run, err := kernels.Run(ctx, o)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that of the context", err)
	}
	if took := time.Since(<-events.at); took > 10*time.Second {
		t.Errorf("took %s to end", took)
	}
	if run.Outcome != result.Interrupted || run.KernelRates.RoundsMeasured != 1 {
		t.Errorf("outcome %s after %d rounds, want an interrupted run with one", run.Outcome, run.KernelRates.RoundsMeasured)
	}
	noGuest(t)
}
