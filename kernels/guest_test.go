package kernels_test

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/kernels"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/vm"
)

// kernelPackage is a name for the distribution's newest small kernel.
const kernelPackage = "linux-image-cloud-amd64"

// guestProgram builds linerate as it is shipped: static.
func guestProgram(t *testing.T) string {
	t.Helper()
	testenv.Need(t, "QEMU", vm.Available())
	_, err := exec.LookPath("apt-get")
	testenv.Need(t, "apt, for a kernel", err)
	program := filepath.Join(t.TempDir(), "linerate")
	cmd := exec.Command("go", "build", "-o", program, "../cmd/linerate")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build linerate: %v\n%s", err, out)
	}
	return program
}

// silent takes no notice.
type silent struct{ t *testing.T }

func (s silent) Opened(k result.Kernel, boots int)                  { s.t.Log(k.Name, k.Source) }
func (s silent) Booted(k result.Kernel, n int, b result.KernelBoot) { s.t.Log(k.Name, n, b) }
func (s silent) Round(n, rounds int)                                { s.t.Log("round", n, "of", rounds) }
func (s silent) Counted(kernel string, wall time.Duration)          { s.t.Log(kernel, "counted", wall) }
func (s silent) Doubt(w result.Warning)                             { s.t.Log(w.Code, w.Text) }
func (s silent) Failed(k result.Kernel)                             { s.t.Log(k.Name, k.Error) }

func options(t *testing.T, program string, kernelNames ...string) kernels.Options {
	t.Helper()
	cache, err := kernels.DefaultCache()
	if err != nil {
		cache = t.TempDir()
	}
	p := plan.Default()
	p.Testbed, p.Kernels = "vm", kernelNames
	p.Scenarios = []plan.Scenario{"none", "route", "conntrack-nft"}
	p.Traffic.Flows = []int{1}
	p.VM.Seeds, p.VM.Packets = 1, 1000
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	return kernels.Options{Plan: p, Out: filepath.Join(t.TempDir(), "run"), Name: "test", Command: []string{"test"}, Init: program, Cache: cache, Events: silent{t}}
}

func measured(t *testing.T, o kernels.Options) *result.Run {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	if _, err := kernels.Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	run, _, err := result.Open(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestGuest boots one kernel twice with one seed: the counts are the same, and a router
// costs more than no DUT, and connection tracking more than a router.
func TestGuest(t *testing.T) {
	o := options(t, guestProgram(t), kernelPackage)
	o.Plan.VM.Boots = 2
	run := measured(t, o)
	if len(run.Kernels) != 1 || run.Kernels[0].Error != "" {
		t.Fatalf("kernels %+v", run.Kernels)
	}
	last := 0.0
	for _, c := range run.Cells {
		v := c.InstructionsPerPacket
		if v == nil {
			t.Fatalf("%s: not measured: %s", c.ID, c.Skipped)
		}
		t.Logf("%s: %v", c.ID, v.PerBoot)
		if v.Boots != 2 || v.Min != v.Max {
			t.Errorf("%s: two boots with one seed gave %v", c.ID, v.PerBoot)
		}
		if v.Value < last+500 {
			t.Errorf("%s: %g instructions, and %g in the cell before, which does less", c.ID, v.Value, last)
		}
		last = v.Value
	}
	if c := run.Cells[2]; len(c.Evidence) < 2 || !strings.Contains(c.Evidence[1], "1 entries for 1 flows") {
		t.Errorf("%s: evidence %q does not say that the flow is tracked", c.ID, c.Evidence)
	}
}

// TestKernelThatCannotBoot measures the others all the same.
func TestKernelThatCannotBoot(t *testing.T) {
	program := guestProgram(t)
	junk := filepath.Join(t.TempDir(), "bzImage")
	if err := os.WriteFile(junk, []byte("junk"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := options(t, program, junk, kernelPackage)
	o.Plan.Scenarios = []plan.Scenario{"none"}
	run := measured(t, o)
	if e := run.Kernels[0].Error; !strings.Contains(e, "is not a kernel") {
		t.Errorf("error of the first: %q", e)
	}
	if run.Cells[0].Skipped == "" || run.Cells[1].InstructionsPerPacket == nil {
		t.Errorf("cells %+v", run.Cells)
	}
}

// TestCountedInstructions boots one kernel twice, each time without and with the plugin: what
// is counted adds up to what the clock says, is the same in both, and finds a planted rule.
func TestCountedInstructions(t *testing.T) {
	program := guestProgram(t)
	testenv.Need(t, "QEMU that takes plugins", vm.CounterAvailable(context.Background()))
	o := options(t, program, kernelPackage, kernelPackage)
	o.Plan.Scenarios, o.Plan.VM.ExtraRules = []plan.Scenario{"none", "route"}, 1
	o.Plan.VM.Attribute, o.Plan.VM.AttributeBy = true, plan.ByPlugin
	run := measured(t, o)
	if len(run.Cells) != 4 {
		t.Fatalf("%d cells", len(run.Cells))
	}
	for _, c := range run.Cells {
		if c.Attribution == nil || c.Attribution.Check == nil {
			t.Fatalf("%s is not attributed: %+v, %+v", c.ID, c.Skipped, run.Kernels)
		}
		check := *c.Attribution.Check
		t.Logf("%s: %+v", c.ID, check)
		if check.MeasuredInstructions != c.InstructionsPerPacket.PerBoot[0] || math.Abs(check.SumInstructions/check.MeasuredInstructions-1) > 0.02 || len(c.Warnings) > 0 {
			t.Errorf("%s: %+v beside %v, %v", c.ID, check, c.InstructionsPerPacket.PerBoot, c.Warnings)
		}
	}
	for i := range 2 {
		a, b := run.Cells[i].Attribution, run.Cells[i+2].Attribution
		if !reflect.DeepEqual(a.Functions, b.Functions) {
			t.Errorf("two boots with one seed gave\n%+v\n%+v", a.Functions, b.Functions)
		}
	}
	if none, route := inRules(run.Cells[0]), inRules(run.Cells[1]); none != 0 || route < 50 || route > 500 {
		t.Errorf("one rule costs %g instructions without a DUT and %g in a router", none, route)
	}
}
