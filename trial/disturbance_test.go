package trial

import (
	"strings"
	"testing"

	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/result"
)

// quiet is a trial of one second in which nothing happened.
func quiet() result.Trial {
	return result.Trial{
		Intended: 100_000, Sent: 100_000, Received: 99_000, Lost: 1000, IntendedDurationS: 1, ActualDurationS: 1,
		CPU: &result.CPU{PerCore: []result.Core{
			{CPU: 0, Role: "generator", System: 1, User: 0.01, Steal: 0.01, Foreign: 0.01},
			{CPU: 1, Role: "dut", System: 0.6, SoftIRQ: 0.02, Foreign: 0.015, ForeignName: "sh (process 4)"},
		}},
		Gaps:    &result.Gaps{TargetNS: 10_000, MaxNS: 900_000},
		Latency: &result.Latency{Frames: 99_000, Histogram: []result.Bucket{{UpToNS: 1 << 30, Frames: 99_000}}},
	}
}

func clocks(change func(*observe.Clocks)) observe.Clocks {
	c := observe.Clocks{Source: "tsc", MonotonicNS: 5e9, RawNS: 5e9, BootNS: 7e9, FrequencyHz: map[int]float64{0: 3e9, 1: 3e9}}
	if change != nil {
		change(&c)
	}
	return c
}

// later is a second after clocks(nil), undisturbed but for the change.
func later(change func(*observe.Clocks)) observe.Clocks {
	return clocks(func(c *observe.Clocks) {
		c.MonotonicNS, c.RawNS, c.BootNS = 6e9, 6e9, 8e9
		if change != nil {
			change(c)
		}
	})
}

func TestDisturbances(t *testing.T) {
	tests := []struct {
		name   string
		change func(*result.Trial)
		clocks func(*observe.Clocks)
		code   string
		value  float64
		unit   string
		text   string
	}{
		{"nothing", nil, nil, "", 0, "", ""},
		{"the generator a little short", func(t *result.Trial) { t.Unsent = 100 }, nil, "", 0, "", ""},
		{"the generator short", func(t *result.Trial) { t.Unsent = 101 }, nil, result.GeneratorShort, 0.00101, "share", "0.10 %"},
		{"the generator held up", func(t *result.Trial) { t.Gaps.MaxNS = 6_000_000 }, nil, result.GeneratorHeld, 6e6, "ns", "6.0 ms"},
		{"a pause that the load asks for", func(t *result.Trial) { t.Gaps.MaxNS, t.Gaps.TargetNS = 10_000_000, 9_000_000 }, nil, "", 0, "", ""},
		{"steal", func(t *result.Trial) { t.CPU.PerCore[1].Steal = 0.05 }, nil, result.Stolen, 0.05, "share", "5 % of CPU 1 (dut)"},
		{"steal of one clock tick in a short trial", func(t *result.Trial) { t.CPU.PerCore[1].Steal, t.ActualDurationS = 0.09, 0.25 }, nil, "", 0, "", ""},
		{"a program, seen at context switches", func(t *result.Trial) { t.CPU.PerCore[1].Foreign = 0.03 }, nil, result.ForeignLoad, 0.03, "share", "most of it sh (process 4)"},
		{"a program in the kernel only", func(t *result.Trial) { t.CPU.PerCore[1].Foreign, t.CPU.PerCore[1].User = 0.4, 0 }, nil, result.ForeignLoad, 0.4, "share", "40 % of CPU 1"},
		{"a program, seen by clock ticks", func(t *result.Trial) { t.CPU.PerCore[0].Foreign = 0.026 }, nil, result.ForeignLoad, 0.026, "share", "3 % of CPU 0 (generator)"},
		{"two clock ticks", func(t *result.Trial) { t.CPU.PerCore[0].Foreign, t.ActualDurationS = 0.05, 0.4 }, nil, "", 0, "", ""},
		{"soft interrupts", func(t *result.Trial) { t.CPU.PerCore[1].SoftIRQ = 0.2 }, nil, result.ForeignSoftIRQ, 0.2, "share", "20 % of CPU 1"},
		{"another clock source", nil, func(c *observe.Clocks) { c.Source = "hpet" }, result.ClockSourceChanged, 1, "changes", "from tsc to hpet"},
		{"a time service at work", nil, func(c *observe.Clocks) { c.MonotonicNS += 500_000; c.BootNS += 500_000 }, "", 0, "", ""},
		{"a clock that runs off", nil, func(c *observe.Clocks) { c.MonotonicNS += 2_000_000; c.BootNS += 2_000_000 }, result.ClockSlewed, 2000, "ppm", "2000 ppm"},
		{"a clock that runs slow", nil, func(c *observe.Clocks) { c.MonotonicNS -= 2_000_000; c.BootNS -= 2_000_000 }, result.ClockSlewed, -2000, "ppm", "-2000 ppm"},
		{"the machine slept", nil, func(c *observe.Clocks) { c.BootNS += 3e9 }, result.Suspended, 3e9, "ns", "3000.0 ms"},
		{"a slower CPU", nil, func(c *observe.Clocks) { c.FrequencyHz[1] = 2.4e9 }, result.FrequencyChanged, 0.8, "ratio", "CPU 1 ran at 3.00 GHz before the trial and at 2.40 GHz"},
		{"a frequency that is no longer told", nil, func(c *observe.Clocks) { c.FrequencyHz = nil }, "", 0, "", ""},
		{"frames from the future", func(t *result.Trial) {
			t.Latency.Histogram = append(t.Latency.Histogram, result.Bucket{UpToNS: 1<<31 + 1, Frames: 3}, result.Bucket{UpToNS: 1<<32 - 1, Frames: 4})
		}, nil, result.ImpossibleLatency, 7, "frames", "7 frames arrived before they were sent"},
		{"no latency and no CPU times", func(t *result.Trial) { t.Latency, t.CPU, t.Gaps = nil, nil, nil }, nil, "", 0, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := quiet()
			if tt.change != nil {
				tt.change(&r)
			}
			got := disturbances(r, clocks(nil), later(tt.clocks))
			if tt.code == "" {
				if len(got) > 0 {
					t.Errorf("got %+v, want none", got)
				}
				return
			}
			if len(got) != 1 || got[0].Code != tt.code || got[0].Unit != tt.unit || !strings.Contains(got[0].Text, tt.text) {
				t.Fatalf("got %+v, want one %s in %s with %q", got, tt.code, tt.unit, tt.text)
			}
			if d := got[0].Value - tt.value; d > 1e-6*abs(tt.value) || d < -1e-6*abs(tt.value) {
				t.Errorf("value %v, want %v", got[0].Value, tt.value)
			}
		})
	}
}

func abs(x float64) float64 { return max(x, -x) }

// TestCausesComeFirst: a generator that is short because a program has its CPU is
// repeated because of the program.
func TestCausesComeFirst(t *testing.T) {
	r := quiet()
	r.Unsent, r.CPU.PerCore[0].Foreign = 5000, 0.5
	r.Disturbances = disturbances(r, clocks(nil), later(nil))
	if got := Disturbed(r); got != "other programs ran on the testbed's CPUs" {
		t.Errorf("disturbed because %q", got)
	}
	if got := Disturbed(quiet()); got != "" {
		t.Errorf("a quiet trial is disturbed because %q", got)
	}
	r.Disturbances = []result.Disturbance{{Code: result.Suspended, Text: "the machine slept"}}
	if got := Disturbed(r); got != "the machine slept" {
		t.Errorf("disturbed because %q, want the text where there is no short form", got)
	}
}

func TestDoubts(t *testing.T) {
	tests := []struct {
		name   string
		change func(*result.Trial)
		codes  string
	}{
		{"none", nil, ""},
		{"every disturbance is a doubt", func(t *result.Trial) {
			t.Disturbances = []result.Disturbance{{Code: "steal", Text: "a"}, {Code: "foreign-load", Text: "b"}}
		}, "steal foreign-load"},
		{"the sink's ring", func(t *result.Trial) { t.TesterDrops = 1 }, "tester-drops"},
		{"the DUT's ring is the DUT's loss", func(t *result.Trial) { t.DUTInputDrops = 9 }, ""},
		{"wrong frames", func(t *result.Trial) { t.WrongSize, t.WrongRewrite, t.WrongFlow, t.Late = 1, 2, 3, 4 }, "wrong-size wrong-rewrite wrong-flow late-frames"},
		{"foreign frames are the reader's business only", func(t *result.Trial) { t.Foreign, t.Duplicated, t.Reordered = 1, 2, 3 }, ""},
		{"interrupted", func(t *result.Trial) { t.Interruptions = 1 }, "interrupted-sending"},
		{"connection tracking", func(t *result.Trial) { t.Conntrack = &result.Conntrack{InsertFailed: 1} }, "conntrack-drops"},
		{"connection tracking without a drop", func(t *result.Trial) { t.Conntrack = &result.Conntrack{Entries: 5, Invalid: 2} }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := quiet()
			if tt.change != nil {
				tt.change(&r)
			}
			var codes []string
			for _, w := range doubts(r) {
				codes = append(codes, w.Code)
			}
			if got := strings.Join(codes, " "); got != tt.codes {
				t.Errorf("doubts %q, want %q", got, tt.codes)
			}
		})
	}
}
