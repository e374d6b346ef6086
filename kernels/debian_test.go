package kernels_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/linerate/linerate/kernels"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// several is the environment variable that lets a test boot many kernels for minutes: `make test-kernels` sets it.
const several = "LINERATE_KERNELS"

func needSeveral(t *testing.T) {
	t.Helper()
	if os.Getenv(several) != "1" {
		t.Skipf("boots many kernels: `make test-kernels` sets %s=1", several)
	}
}

func debian(release string) string { return "linux-image-" + release }

// cellOf finds a kernel's cell.
func cellOf(t *testing.T, run *result.Run, kernel, scenario string) result.Cell {
	t.Helper()
	for _, c := range run.Cells {
		if c.Kernel == kernel && c.Scenario == scenario && c.InstructionsPerPacket != nil {
			return c
		}
	}
	t.Fatalf("%s was not measured under %s: %+v", scenario, kernel, run.Kernels)
	return result.Cell{}
}

// TestDebianKernels compares kernels of Debian 12 whose differences are known: releases
// -47 to -50 have one forwarding path, -55 brought a change to it, PREEMPT_RT costs a
// quarter more, and 6.12 routes with less.
func TestDebianKernels(t *testing.T) {
	needSeveral(t)
	releases := []string{"6.1.0-47-cloud-amd64", "6.1.0-48-cloud-amd64", "6.1.0-50-cloud-amd64", "6.1.0-54-cloud-amd64", "6.1.0-55-cloud-amd64", "6.1.0-56-rt-amd64", "6.12.113+deb12-cloud-amd64"}
	var names []string
	for _, r := range releases {
		names = append(names, debian(r))
	}
	o := options(t, guestProgram(t), names...)
	o.Plan.Scenarios, o.Plan.VM.Seeds, o.Plan.VM.Packets = []plan.Scenario{"none", "route"}, 3, 2000
	run := measured(t, o)
	pair := func(a, b string) result.KernelPair {
		return kernels.Pair(cellOf(t, run, a, "route"), cellOf(t, run, b, "route"), 0.001)
	}
	for _, r := range releases {
		c := cellOf(t, run, r, "route")
		t.Logf("%-28s %v", r, c.InstructionsPerPacket.PerBoot)
		if v := c.InstructionsPerPacket; v.Max-v.Min > 0.002*v.Value {
			t.Errorf("%s: seeds differ by more than 0.2 %%: %v", r, v.PerBoot)
		}
	}
	for _, same := range [][2]int{{0, 1}, {1, 2}, {0, 2}} {
		if p := pair(releases[same[0]], releases[same[1]]); p.Verdict != string(stats.Equivalent) {
			t.Errorf("%s and %s: %+v, want equivalent", p.A, p.B, p)
		}
	}
	for _, step := range []struct {
		a, b      int
		low, high float64
	}{{3, 4, 0.006, 0.011}, {2, 5, 0.2, 0.35}, {4, 6, -0.03, -0.01}} {
		if p := pair(releases[step.a], releases[step.b]); p.Verdict != string(stats.Changed) || p.ChangeRatio < step.low || p.ChangeRatio > step.high {
			t.Errorf("%s to %s: %+v, want a change of %g to %g", p.A, p.B, p, step.low, step.high)
		}
	}
	// The ranking is the same with each seed.
	for seed := range 3 {
		for i := range releases[1:] {
			a, b := cellOf(t, run, releases[i], "route").InstructionsPerPacket, cellOf(t, run, releases[i+1], "route").InstructionsPerPacket
			if one, all := b.PerBoot[seed]-a.PerBoot[seed], b.Value-a.Value; one*all < 0 && max(one, -one) > 0.001*a.Value {
				t.Errorf("seed %d ranks %s and %s the other way", seed+1, releases[i], releases[i+1])
			}
		}
	}
}

// TestPlantedRule finds one nftables rule more, and no change where there is none.
func TestPlantedRule(t *testing.T) {
	needSeveral(t)
	program := guestProgram(t)
	boot := func(rules, seeds int) result.Cell {
		o := options(t, program, kernelPackage)
		o.Plan.Scenarios, o.Plan.VM.ExtraRules, o.Plan.VM.Seeds = []plan.Scenario{"conntrack-nft"}, rules, seeds
		o.Plan.VM.Attribute = seeds < 20
		return measured(t, o).Cells[0]
	}
	without, with := boot(0, 3), boot(1, 3)
	p := kernels.Pair(without, with, 0.001)
	t.Logf("one rule more: %+.1f instructions per packet (%+.2f %%)", p.ChangeInstructions, 100*p.ChangeRatio)
	if p.Verdict != string(stats.Changed) || p.ChangeInstructions < 10 || p.ChangeInstructions > 300 {
		t.Errorf("one rule more: %+v", p)
	}
	// What the clock counts more is counted in the functions that evaluate rules.
	if more := inRules(with) - inRules(without); math.Abs(more-p.ChangeInstructions) > 0.02*p.ChangeInstructions+5 {
		t.Errorf("one rule more: %+.1f instructions by the clock, and %+.1f in functions of nftables", p.ChangeInstructions, more)
	}
	again := boot(0, 20)
	for i, v := range again.InstructionsPerPacket.PerBoot {
		one := again
		one.InstructionsPerPacket = &result.InstructionsPerPacket{Value: v, Min: v, Max: v, Boots: 1}
		one.Kernel = fmt.Sprint("again with seed ", i+1)
		if p := kernels.Pair(without, one, 0.001); p.Verdict != string(stats.Equivalent) {
			t.Errorf("A/A: %+v", p)
		}
	}
}

// inRules are the instructions per packet in functions of nftables.
func inRules(c result.Cell) (sum float64) {
	for _, f := range c.Attribution.Functions {
		if strings.HasPrefix(f.Name, "nft_") {
			sum += f.InstructionsPerPacket
		}
	}
	return sum
}
