package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

func TestPacketRate(t *testing.T) {
	for text, want := range map[string]float64{"500000": 500_000, "500k": 500_000, "1.2M": 1_200_000, "1Mpps": 1_000_000, "2e5": 200_000, "1G": 1e9, "250 k": 250_000} {
		var r packetRate
		if err := r.Set(text); err != nil || float64(r) != want {
			t.Errorf("%q gives %v, %v; want %v", text, float64(r), err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "fast", "1m", "Inf", "NaN", "1 Mbit/s"} {
		var r packetRate
		if err := r.Set(text); err == nil {
			t.Errorf("%q was taken as %v", text, float64(r))
		}
	}
}

func TestThresholds(t *testing.T) {
	required := func(ndr, pdr float64) map[string]*packetRate {
		n, p := packetRate(ndr), packetRate(pdr)
		return map[string]*packetRate{"NDR": &n, "PDR": &p}
	}
	background := 0.001
	with := func(change func(*result.Cell)) result.Cell {
		c := measuredCell(1e6)
		change(&c)
		return c
	}
	tests := []struct {
		name     string
		ndr, pdr float64
		cell     result.Cell
		miss     string
	}{
		{"none asked for", 0, 0, measuredCell(1), ""},
		{"PDR met", 0, 1e6, measuredCell(1e6), ""},
		{"PDR missed", 0, 1e6 + 1, measuredCell(1e6), "PDR 1.000 Mpps"},
		{"NDR missed, PDR met", 1e6, 1e6, measuredCell(1e6), "NDR 0.900 Mpps"},
		{"a lower bound suffices", 0, 1e6, with(func(c *result.Cell) { c.Verdict = result.GeneratorBound }), ""},
		{"a lower bound that does not", 0, 2e6, with(func(c *result.Cell) { c.Verdict = result.GeneratorBound }), ">= 1.000 Mpps"},
		{"not above the ceiling", 0, 1e6, with(func(c *result.Cell) { c.CeilingPPS = 5e5 }), ">= 0.500 Mpps"},
		{"background loss has no NDR", 1, 0, with(func(c *result.Cell) { c.BackgroundLossRatio = &background }), "NDR undefined"},
		{"no load passed", 0, 1, with(func(c *result.Cell) { c.Goals[1].LowerPPS, c.Goals[1].ConditionalPPS = 0, 0 }), "PDR < 1.004 Mpps"},
		{"skipped", 0, 1, with(func(c *result.Cell) { c.Skipped, c.Goals = "no nft", nil }), "PDR not found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := plan.Default()
			if err := require(&p, required(tt.ndr, tt.pdr)); err != nil {
				t.Fatal(err)
			}
			err := checkRequired(&result.Run{Plan: p, Cells: []result.Cell{measuredCell(4e6), tt.cell}})
			if tt.miss == "" {
				if err != nil {
					t.Errorf("missed: %v", err)
				}
				return
			}
			var exit *exitError
			if !errors.As(err, &exit) || exit.code != exitThresholdMissed || !strings.Contains(err.Error(), tt.miss) {
				t.Errorf("want exit 1 and %q, got %v", tt.miss, err)
			}
		})
	}
}

func TestNothingMeasured(t *testing.T) {
	skipped := result.Cell{ID: "a", Skipped: "iptables was not found"}
	tests := []struct {
		name  string
		cells []result.Cell
		want  string
	}{
		{"one of two cells", []result.Cell{skipped, measuredCell(1e6)}, ""},
		{"all skipped", []result.Cell{skipped, {ID: "b", Skipped: "another reason"}}, "the first because iptables was not found; the record is in runs/x"},
		{"no cell", nil, "nothing was measured; the record is in runs/x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := nothingMeasured(&result.Run{Cells: tt.cells}, "runs/x")
			if tt.want == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			var exit *exitError
			if !errors.As(err, &exit) || exit.code != exitCannot || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("want exit 3 and %q, got %v", tt.want, err)
			}
		})
	}
}
