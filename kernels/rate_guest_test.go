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

// rateOptions are those of rates in the emulator, six short rounds of them.
func rateOptions(t *testing.T, program string, names ...string) kernels.Options {
	t.Helper()
	o := options(t, program, names...)
	o.Plan.Scenarios = []plan.Scenario{"none", "route"}
	o.Plan.VM.Metric, o.Plan.VM.Accelerator = plan.MetricRate, plan.AcceleratorTCG
	o.Plan.VM.Rounds, o.Plan.VM.TrialDuration = 6, plan.Duration(300*time.Millisecond)
	return o
}

// noGuest fails if an emulator that this test started is left.
func noGuest(t *testing.T) {
	t.Helper()
	if out, _ := exec.Command("pgrep", "-P", strconv.Itoa(os.Getpid()), "-f", vm.Emulator).Output(); len(out) > 0 {
		t.Errorf("still running: %s", out)
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
	for _, p := range run.KernelRates.Pairs {
		t.Logf("%s beside %s, %s: %.3f (%.3f to %.3f), p %.3f, %s, %s", p.B, p.A, p.CellB, p.EstimateRatio, p.IntervalLowRatio, p.IntervalHighRatio, p.PValue, p.Verdict, p.BoundReason)
		if len(p.Pairs) != 6 || len(p.AAPairs) != 6 {
			t.Errorf("%d pairs and %d of one kernel, want 6", len(p.Pairs), len(p.AAPairs))
		}
		same := !strings.Contains(p.B, "rt")
		if same && p.Verdict == string(stats.Changed) || !same && p.EstimateRatio > 0.95 {
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
	for _, p := range run.KernelRates.Pairs {
		t.Logf("%s: %.3f, %s, %s: %s", p.CellB, p.EstimateRatio, p.Verdict, p.Bound, p.BoundReason)
		if p.Bound != result.GeneratorBound || p.EstimateRatio < 0.9 || p.EstimateRatio > 1.1 {
			t.Errorf("%s: %.3f, %s: %s", p.CellB, p.EstimateRatio, p.Bound, p.BoundReason)
		}
	}
}

// TestInterruptedRates ends soon, and so do all guests.
func TestInterruptedRates(t *testing.T) {
	needSeveral(t)
	o := rateOptions(t, guestProgram(t), kernelPackage)
	ctx, stop := context.WithTimeout(context.Background(), 8*time.Second)
	defer stop()
	began := time.Now()
	if _, err := kernels.Run(ctx, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that of the context", err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
	noGuest(t)
}
