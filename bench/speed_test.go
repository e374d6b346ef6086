package bench

import (
	"strings"
	"testing"

	"github.com/linerate/linerate/result"
)

func timed(number int, purpose result.Purpose, turns ...float64) result.Trial {
	t := result.Trial{Number: number, Purpose: purpose, CPU: &result.CPU{}}
	for cpu, s := range turns {
		t.CPU.PerCore = append(t.CPU.PerCore, result.Core{CPU: cpu, Role: []string{"generator", "dut+sink"}[cpu], TurnsPerS: s})
	}
	return t
}

func TestSpeedDoubt(t *testing.T) {
	search := result.ForSearch
	for _, c := range []struct {
		name   string
		trials []result.Trial
		want   string
	}{
		{"steady", []result.Trial{timed(1, search, 1e9, 1e9), timed(2, search, 1e9, 0.96e9)}, ""},
		{"the DUT's slows down", []result.Trial{timed(1, search, 1e9, 1e9), timed(2, search, 1e9, 0.9e9)}, "CPU 1 of the DUT did the same work 10 % slower in trial 2 than in trial 1"},
		{"the generator's is no matter", []result.Trial{timed(1, search, 1e9, 1e9), timed(2, search, 0.5e9, 1e9)}, ""},
		{"other purposes are no matter", []result.Trial{timed(1, search, 1e9, 1e9), timed(2, result.ForWarmUp, 1e9, 0.5e9)}, ""},
		{"not measured", []result.Trial{timed(1, search, 0, 0), timed(2, search, 1e9, 1e9)}, ""},
	} {
		w, found := speedDoubt(c.trials)
		if found != (c.want != "") || !strings.Contains(w.Text, c.want) {
			t.Errorf("%s: found %v, %q, want %q", c.name, found, w.Text, c.want)
		}
	}
}
