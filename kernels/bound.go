package kernels

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// endHostsLimit is the share of a packet's cost, or of a difference, above which it is the end hosts'.
const endHostsLimit = 0.5

// bindCells says of each cell what its figure is one of: the DUT, or generator and sink,
// which run under the same kernel on the same CPU. It needs the scenario none.
func bindCells(cells []result.Cell) {
	for i := range cells {
		c := &cells[i]
		if v := c.InstructionsPerPacket; v != nil && v.SinkOnly > 0 {
			v.EndHostShareRatio = v.SinkOnly / v.Value
		}
		verdict, reason := boundOfCell(*c)
		if verdict == "" {
			continue
		}
		c.Verdict = verdict
		note(c, "what bounds it: ", reason)
	}
}

// note adds a sentence to the evidence of a cell, in the place of one that begins alike.
func note(c *result.Cell, begin, text string) {
	c.Evidence = slices.DeleteFunc(c.Evidence, func(old string) bool { return strings.HasPrefix(old, begin) })
	c.Evidence = append(c.Evidence, begin+text)
}

// boundOfCell is empty where nothing without a DUT was measured.
func boundOfCell(c result.Cell) (result.Verdict, string) {
	f, v := c.ForwardingRate, c.InstructionsPerPacket
	switch {
	case c.Scenario == "none" && (f != nil || v != nil):
		return result.GeneratorBound, "there is no DUT"
	case f != nil && f.GeneratorIdleRatio > result.GeneratorIdleLimitRatio:
		return result.GeneratorBound, fmt.Sprintf("the generator waited %.0f %% of the time, because it was told to offer less than it can: the DUT may carry more", 100*f.GeneratorIdleRatio)
	case f != nil && f.EndHostShareRatio > 0:
		return bySide(f.EndHostShareRatio, fmt.Sprintf("of the %.0f ns of a packet", 1e9/f.MedianPPS))
	case v != nil && v.EndHostShareRatio > 0:
		return bySide(v.EndHostShareRatio, fmt.Sprintf("of the %.0f instructions of a packet", v.Value))
	}
	return "", ""
}

func bySide(share float64, of string) (result.Verdict, string) {
	text := fmt.Sprintf("%s generator and sink take %.0f %%, measured without a DUT", of, 100*share)
	if share > endHostsLimit {
		return result.GeneratorBound, text + ": more than the DUT, so that the figure is the end hosts' more than its"
	}
	return result.DUTBound, text
}

// boundOfCounts is what a difference of instructions is one of.
func boundOfCounts(a, b result.Cell, verdict string) result.KernelBound {
	va, vb := a.InstructionsPerPacket, b.InstructionsPerPacket
	return boundOfPair(costs{va.Value, vb.Value, va.SinkOnly, vb.SinkOnly}, a.Scenario, verdict, "instructions")
}

// boundOfRates is what a difference of rates is one of, by the time that a packet takes.
func boundOfRates(a, b result.Cell, verdict string) result.KernelBound {
	fa, fb := a.ForwardingRate, b.ForwardingRate
	if waited := max(fa.GeneratorIdleRatio, fb.GeneratorIdleRatio); waited > result.GeneratorIdleLimitRatio && a.Scenario != "none" {
		return result.KernelBound{Bound: result.GeneratorBound, BoundReason: fmt.Sprintf("the generator waited %.0f %% of the time: both rates are the load that it was told to offer, and say nothing about the kernels", 100*waited)}
	}
	return boundOfPair(costs{ns(fa.MedianPPS), ns(fb.MedianPPS), ns(fa.SinkOnlyPPS), ns(fb.SinkOnlyPPS)}, a.Scenario, verdict, "ns")
}

func ns(pps float64) float64 {
	if pps == 0 {
		return 0
	}
	return 1e9 / pps
}

// costs of a packet under A and B, and the part of them without a DUT.
type costs struct{ a, b, endsA, endsB float64 }

func boundOfPair(c costs, scenario, verdict, unit string) result.KernelBound {
	if c.endsA == 0 || c.endsB == 0 || c.a == 0 || c.b == 0 {
		return result.KernelBound{}
	}
	if scenario == "none" {
		return result.KernelBound{Bound: result.GeneratorBound, BoundReason: "there is no DUT: what differs is generator and sink"}
	}
	bound := result.KernelBound{}
	if dut := c.a - c.endsA; dut > 0 {
		bound.DUTChangeRatio = (c.b - c.endsB - dut) / dut
	}
	change, ends := c.b-c.a, c.endsB-c.endsA
	if stats.Verdict(verdict) != stats.Changed {
		share := min(c.endsA/c.a, c.endsB/c.b)
		bound.Bound, bound.BoundReason = bySide(share, "under both kernels, of a packet's "+unit)
		return bound
	}
	bound.EndHostShareRatio = ends / change
	bound.Bound = result.DUTBound
	text := fmt.Sprintf("of a change of %+.0f %s per packet %+.0f are those of generator and sink, measured without a DUT", change, unit, ends)
	switch {
	case bound.EndHostShareRatio > endHostsLimit:
		bound.Bound = result.GeneratorBound
		text += fmt.Sprintf(": most of it is the end hosts', and the DUT's own cost changes by %+.1f %%", 100*bound.DUTChangeRatio)
	case math.Abs(bound.DUTChangeRatio) > 0:
		text += fmt.Sprintf("; the DUT's own cost changes by %+.1f %%", 100*bound.DUTChangeRatio)
	}
	bound.BoundReason = text
	return bound
}
