package report

import (
	"fmt"
	"slices"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// kernelBoundSection says what the figures are of: the DUT, or the end hosts, which run
// the same kernel on the same CPU.
func kernelBoundSection(d digest) *section {
	s := &section{Anchor: "bounds", Heading: "What the figures are of: the DUT, or its end hosts",
		Columns: []column{{"Kernel", false}, {"Generator and sink\nof instructions", true}, {"of the\ntime", true}, {"Verdict", false}}}
	for _, g := range kernelGroups(d.Run) {
		begun := false
		for _, c := range g.cells {
			if c.Verdict == "" || c.Scenario == noDevice {
				continue
			}
			if !begun {
				s.Rows, begun = append(s.Rows, []string{g.label}), true
			}
			s.Rows = append(s.Rows, []string{"  " + c.Kernel, countShare(c), timeShare(c), string(c.Verdict)})
		}
	}
	if len(s.Rows) == 0 {
		return nil
	}
	s.Notes = append(s.Notes, "Generator and sink run in the guest, under the kernel that is measured, and a part of each figure is theirs: it is measured without a DUT, in the scenario none. A cell is dut-bound as long as they have no more than half of a packet's cost, and generator-bound beyond, or where the generator waited; then a comparison of kernels compares what its end hosts do.")
	s.Notes = append(s.Notes, boundReasons(d.Run)...)
	return s
}

func countShare(c result.Cell) string {
	if v := c.InstructionsPerPacket; v != nil && v.EndHostShareRatio > 0 {
		return fmt.Sprintf("%.0f %%", 100*v.EndHostShareRatio)
	}
	return "-"
}

func timeShare(c result.Cell) string {
	f := c.ForwardingRate
	switch {
	case f != nil && f.GeneratorIdleRatio > result.GeneratorIdleLimitRatio:
		return fmt.Sprintf("waited %.0f %%", 100*f.GeneratorIdleRatio)
	case f != nil && f.EndHostShareRatio > 0:
		return fmt.Sprintf("%.0f %%", 100*f.EndHostShareRatio)
	}
	return "-"
}

// boundReasons are those of the differences from the first kernel that count, and of all
// that say nothing about the kernels.
func boundReasons(run *result.Run) (lines []string) {
	first := run.Kernels[0].Name
	add := func(a, b, cell, verdict string, bound result.KernelBound) {
		c := cellByID(run, cell)
		if a != first || c.Scenario == noDevice || bound.Bound == "" {
			return
		}
		if stats.Verdict(verdict) == stats.Changed || bound.Bound == result.GeneratorBound {
			lines = append(lines, sentence(fmt.Sprintf("%s beside %s, %s: %s: %s", b, a, groupLabel(run, c), bound.Bound, bound.BoundReason)))
		}
	}
	for _, p := range run.KernelPairs {
		add(p.A, p.B, p.CellB, p.Verdict, p.KernelBound)
	}
	if run.KernelRates != nil {
		for _, p := range run.KernelRates.Pairs {
			add(p.A, p.B, p.CellB, p.Verdict, p.KernelBound)
		}
	}
	return lines
}

// groupLabel is what a cell's row is called in the tables of kernels.
func groupLabel(run *result.Run, c result.Cell) string {
	for _, g := range kernelGroups(run) {
		if slices.ContainsFunc(g.cells, func(k result.Cell) bool { return k.ID == c.ID }) {
			return g.label
		}
	}
	return c.ID
}
