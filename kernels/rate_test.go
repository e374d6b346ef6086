package kernels

import (
	"math"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
	"github.com/linerate/linerate/testbed/vm"
)

// noise are shares by which measurements of one thing differ here.
var noise = []float64{0.002, -0.003, 0.001, -0.001, 0.004, -0.002, 0.003, -0.004, 0.001, 0}

// inRounds are the cells of kernels with the rates of none and route, ten rounds of them.
func inRounds(pps map[string][2]float64, idle float64) (cells []result.Cell) {
	p := plan.Default()
	p.Scenarios = []plan.Scenario{"none", "route"}
	for _, kernel := range []string{"a", "b"} {
		of := newCells(p, kernel)
		for i := range of {
			for round, share := range noise {
				t := result.KernelTrial{Round: round + 1, Order: 1 + (round+len(kernel)+int(kernel[0]))%2, DurationS: 1, GeneratorIdleS: idle, CPURatio: 1}
				t.Received = int(pps[kernel][i] * (1 + share*float64(1-2*(int(kernel[0])%2))))
				addTrial(&of[i], t)
				if kernel == "a" {
					t.Twin, t.Order, t.Received = true, 3, int(pps[kernel][i]*(1-share))
					addTrial(&of[i], t)
				}
			}
		}
		cells = append(cells, of...)
	}
	sinkOnlyRates(cells)
	bindCells(cells)
	return cells
}

func judging() stats.Options {
	return stats.Options{Alpha: 0.05, Confidence: 0.95, LeastChange: 0.01, Seed: 1}
}

func TestRatePairs(t *testing.T) {
	for _, tt := range []struct {
		name    string
		a, b    [2]float64
		idle    float64
		verdict string
		bound   result.Verdict
		reason  string
	}{
		{"the same", [2]float64{300e3, 140e3}, [2]float64{300e3, 140e3}, 0, "equivalent", result.DUTBound, "47 %"},
		{"a slower DUT", [2]float64{300e3, 140e3}, [2]float64{300e3, 120e3}, 0, "changed", result.DUTBound, "the DUT's own cost changes by +31"},
		{"slower end hosts", [2]float64{300e3, 140e3}, [2]float64{200e3, 113e3}, 0, "changed", result.GeneratorBound, "most of it is the end hosts'"},
		{"end hosts that take most of the time", [2]float64{150e3, 140e3}, [2]float64{150e3, 140e3}, 0, "equivalent", result.GeneratorBound, "93 %"},
		{"a load that both carry", [2]float64{20e3, 20e3}, [2]float64{20e3, 20e3}, 0.8, "equivalent", result.GeneratorBound, "waited 80 %"},
	} {
		cells := inRounds(map[string][2]float64{"a": tt.a, "b": tt.b}, tt.idle)
		pairs := RatePairs(cells, len(noise), judging())
		if len(pairs) != 2 {
			t.Fatalf("%s: %d pairs, want those of none and of route", tt.name, len(pairs))
		}
		p := pairs[1]
		if p.Verdict != tt.verdict || p.Bound != tt.bound || !strings.Contains(p.BoundReason, tt.reason) {
			t.Errorf("%s: %s, %s: %s; want %s, %s with %q", tt.name, p.Verdict, p.Bound, p.BoundReason, tt.verdict, tt.bound, tt.reason)
		}
		if want := tt.b[1] / tt.a[1]; math.Abs(p.EstimateRatio-want) > 0.01*want || len(p.Pairs) != len(noise) || len(p.AAPairs) != len(noise) {
			t.Errorf("%s: ratio %g of %d pairs, %d of one kernel; want %g", tt.name, p.EstimateRatio, len(p.Pairs), len(p.AAPairs), want)
		}
		if pairs[0].Bound != result.GeneratorBound {
			t.Errorf("%s: without a DUT the bound is %s", tt.name, pairs[0].Bound)
		}
	}
}

// TestNoVerdictBeforeTheLastRound: whoever stops early chooses the verdict.
func TestNoVerdictBeforeTheLastRound(t *testing.T) {
	cells := inRounds(map[string][2]float64{"a": {300e3, 140e3}, "b": {300e3, 100e3}}, 0)
	for _, p := range RatePairs(cells, len(noise)+1, judging()) {
		if p.Verdict != "" {
			t.Errorf("verdict %q after %d of %d rounds", p.Verdict, len(p.Pairs), len(noise)+1)
		}
	}
}

// TestBoundOfCounts has the figures of Debian's kernels: what PREEMPT_RT adds to a routed
// packet it adds to generator and sink more than to the DUT.
func TestBoundOfCounts(t *testing.T) {
	cell := func(kernel string, value, sinkOnly float64) result.Cell {
		return result.Cell{ID: "route/" + kernel, Scenario: "route", Kernel: kernel, InstructionsPerPacket: &result.InstructionsPerPacket{Value: value, SinkOnly: sinkOnly, Min: value - 1, Max: value + 1, Boots: 3}}
	}
	standard, rt, next := cell("standard", 6414.5, 2687), cell("rt", 8189, 3758), cell("next", 6469, 2700)
	if p := Pair(standard, rt, 0.001); p.Bound != result.GeneratorBound || math.Abs(p.EndHostShareRatio-0.603) > 0.001 || math.Abs(p.DUTChangeRatio-0.1887) > 0.001 {
		t.Errorf("standard and RT: %+v", p)
	}
	if p := Pair(standard, next, 0.001); p.Bound != result.DUTBound || math.Abs(p.EndHostShareRatio-13/54.5) > 0.001 {
		t.Errorf("a change of the DUT: %+v", p)
	}
	if p := Pair(cell("x", 6414.5, 0), cell("y", 6500, 0), 0.001); p.Bound != "" {
		t.Errorf("without the scenario none: %+v", p)
	}
	cells := []result.Cell{standard, cell("bridge-like", 4800, 2687)}
	bindCells(cells)
	if cells[0].Verdict != result.DUTBound || cells[1].Verdict != result.GeneratorBound || len(cells[1].Evidence) != 1 {
		t.Errorf("%s, and %s with %q", cells[0].Verdict, cells[1].Verdict, cells[1].Evidence)
	}
	bindCells(cells)
	if len(cells[1].Evidence) != 1 {
		t.Errorf("evidence is there twice: %q", cells[1].Evidence)
	}
}

func TestChooseAccelerator(t *testing.T) {
	works := vm.Probe{Usable: true, KVMInstructionsPerS: 3e9, EmulatorInstructionsPerS: 4e8}
	slow := vm.Probe{Reason: "it crawls", KVMInstructionsPerS: 1e6, EmulatorInstructionsPerS: 4e8}
	hangs := vm.Probe{Reason: "it hangs", EmulatorInstructionsPerS: 4e8}
	for _, tt := range []struct {
		asked   string
		found   vm.Probe
		want    vm.Accelerator
		warns   bool
		refuses string
	}{
		{"auto", works, vm.Hardware, false, ""},
		{"auto", slow, "", false, "it crawls"},
		{"auto", hangs, "", false, "it hangs"},
		{"kvm", works, vm.Hardware, false, ""},
		{"kvm", slow, vm.Hardware, true, ""},
		{"kvm", hangs, "", false, "it hangs"},
		{"tcg", works, vm.Emulated, true, ""},
		{"tcg", hangs, vm.Emulated, true, ""},
	} {
		got, warning, err := chooseAccelerator(tt.asked, tt.found)
		if got != tt.want || (warning != "") != tt.warns || (err != nil) != (tt.refuses != "") || err != nil && !strings.Contains(err.Error(), tt.refuses) {
			t.Errorf("%s of %+v: %q, warning %q, error %v", tt.asked, tt.found, got, warning, err)
		}
	}
}

func TestDisturbed(t *testing.T) {
	for _, tt := range []struct {
		idle, cpu float64
		want      bool
	}{{0, 0.97, false}, {0, 0.8, true}, {0.5, 0.5, false}, {0.5, 0.3, true}} {
		if got := disturbed(result.KernelTrial{DurationS: 1, GeneratorIdleS: tt.idle, CPURatio: tt.cpu}); (got != "") != tt.want {
			t.Errorf("idle %g, CPU %g: %q", tt.idle, tt.cpu, got)
		}
	}
}

func TestEnoughMemory(t *testing.T) {
	if err := enoughMemory(2, 1<<20); err != nil {
		t.Error(err)
	}
	if err := enoughMemory(2, 1<<50); err == nil || !strings.Contains(err.Error(), "vm.memory_bytes") {
		t.Errorf("error %v", err)
	}
}
