package kernels

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/kernels/guest"
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

// TestCellThatFails has a reason, and keeps its counts; without counts it is skipped.
func TestCellThatFails(t *testing.T) {
	cells := inRounds(map[string][2]float64{"a": {300e3, 140e3}, "b": {300e3, 100e3}}, 0)
	cells[1].InstructionsPerPacket = &result.InstructionsPerPacket{Value: 6000}
	note(&cells[1], ratesNote, "all arrived")
	for i := range 2 {
		forgetRate(&cells[i], "in round 3: it does not forward")
	}
	sinkOnlyRates(cells)
	bindCells(cells)
	for i, skipped := range []string{"in round 3: it does not forward", ""} {
		c := cells[i]
		if c.Skipped != skipped || c.ForwardingRate.Failure != "in round 3: it does not forward" || len(c.ForwardingRate.Trials) > 0 || c.Verdict != "" || len(c.Evidence) > 0 {
			t.Errorf("%s: skipped %q, %+v, %s, %q", c.ID, c.Skipped, c.ForwardingRate, c.Verdict, c.Evidence)
		}
	}
	if pairs := RatePairs(cells, len(noise), judging()); len(pairs) != 0 {
		t.Errorf("pairs with a cell that failed: %+v", pairs)
	}
}

// TestTrialThatTookNoTime leaves figures that JSON can hold.
func TestTrialThatTookNoTime(t *testing.T) {
	var c result.Cell
	addTrial(&c, result.KernelTrial{Round: 1, Order: 1, Sent: 1, Attempts: attempts, Disturbed: "the generator took no time"})
	if _, err := json.Marshal(c.ForwardingRate); err != nil || c.ForwardingRate.GeneratorIdleRatio != 0 {
		t.Errorf("%+v: %v", c.ForwardingRate, err)
	}
}

// TestFirstKernelFails in the second round: the next kernel has the twin, and the count begins anew.
func TestFirstKernelFails(t *testing.T) {
	cells := inRounds(map[string][2]float64{"a": {300e3, 140e3}, "b": {300e3, 100e3}}, 0)
	r := &run{options: Options{Plan: plan.Default(), Events: deaf{}}}
	r.record.Cells, r.record.KernelRates = cells, &result.KernelRates{RoundsMeasured: 2}
	r.record.Kernels = []result.Kernel{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	list := withTwin([]contender{{name: "a"}, {name: "b"}, {name: "c"}})
	if r.lacksTwin(list) || len(list) != 4 || !list[1].twin || list[1].name != "a" {
		t.Fatalf("%+v", list)
	}
	r.fail("a", errors.New("it hangs"))
	if left := list[3:]; r.lacksTwin(left) {
		t.Error("one kernel alone has nothing to be compared with, and needs no twin")
	}
	left := list[2:]
	if !r.lacksTwin(left) {
		t.Fatal("two kernels are left without a twin")
	}
	left = r.beginAnew(left)
	if len(left) != 3 || left[0].name != "b" || left[0].twin || !left[1].twin || left[1].name != "b" || left[2].name != "c" {
		t.Errorf("%+v", left)
	}
	if len(r.record.KernelRates.Pairs) != 0 || r.record.KernelRates.RoundsMeasured != 0 || len(r.record.Warnings) != 1 || !strings.Contains(r.record.Warnings[0].Text, "failed in round 2") {
		t.Errorf("%+v, %+v", r.record.KernelRates, r.record.Warnings)
	}
	for _, c := range r.record.Cells {
		if c.ForwardingRate != nil || (c.Skipped == "") != (c.Kernel == "b") || c.Verdict != "" {
			t.Errorf("%s: %+v, skipped %q, %s", c.ID, c.ForwardingRate, c.Skipped, c.Verdict)
		}
	}
}

// deaf hears nothing.
type deaf struct{}

func (deaf) Opened(result.Kernel, int)                    {}
func (deaf) Booted(result.Kernel, int, result.KernelBoot) {}
func (deaf) Counted(string, time.Duration)                {}
func (deaf) Round(int, int)                               {}
func (deaf) Doubt(result.Warning)                         {}
func (deaf) Failed(result.Kernel)                         {}

func TestTooFewRounds(t *testing.T) {
	for _, tt := range []struct {
		rows, rounds int
		want         string
	}{
		{120, 10, "the smallest p is 0.23, and a change needs one below 0.05 (ab.alpha): set vm.rounds=13"},
		{120, 13, ""}, {25, 10, ""}, {26, 10, "vm.rounds=11"}, {6, 6, "vm.rounds=8"}, {6, 8, ""},
		{30_000, 40, "(ab.alpha): compare fewer"},
	} {
		if got := tooFewRounds(tt.rows, tt.rounds, 0.05); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%d rows in %d rounds: %q, want %q", tt.rows, tt.rounds, got, tt.want)
		}
	}
	cells := []guest.Cell{{Scenario: "none"}, {Scenario: "route"}}
	list := withTwin([]contender{{name: "a", request: request{cells: cells}}, {name: "b", request: request{cells: cells}}, {name: "c", request: request{cells: cells[:1]}}})
	if got := ratePairs(list); got != 4 {
		t.Errorf("%d rows, want those of a and b in both cells and of c beside each in one", got)
	}
}

// TestLastWordsOfAGuest come before its end, which is there as well.
func TestLastWordsOfAGuest(t *testing.T) {
	ended := make(chan struct{})
	close(ended)
	for range 50 { // the choice between two channels that are ready is a coin's
		g := &live{request: request{kernel: &vm.Kernel{Name: "k"}, limit: time.Minute}, reports: make(chan heard, 1), ended: ended}
		g.reports <- heard{Report: guest.Report{Error: "no memory is left"}}
		if _, err := g.await(context.Background()); err == nil || !strings.Contains(err.Error(), "no memory is left") {
			t.Fatalf("error %v", err)
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
