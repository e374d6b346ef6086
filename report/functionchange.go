package report

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

const (
	// changesShown are the functions that a pair of kernels has in a report.
	changesShown = 12
	// leastChange is the change of a function, in instructions per packet, that gets a row.
	leastChange = 0.5
)

// functionCost is what a function costs a packet itself, in the unit of what it was read from.
type functionCost struct {
	name, subsystem string
	// sinkOnly is the part of value that it costs in the scenario none.
	value, sinkOnly float64
}

// functionInstructions are those of a kernel's functions, per packet.
func functionInstructions(a *result.Attribution) []functionCost {
	list := make([]functionCost, len(a.Functions))
	for i, f := range a.Functions {
		list[i] = functionCost{f.Name, f.Subsystem, f.InstructionsPerPacket, f.SinkOnlyInstructions}
	}
	return list
}

// functionChange is what a function costs in two cells, in one unit.
type functionChange struct {
	name, subsystem string
	a, b            float64
	// sinkOnlyA and sinkOnlyB are of the scenario none.
	sinkOnlyA, sinkOnlyB float64
}

func (c functionChange) change() float64         { return c.b - c.a }
func (c functionChange) sinkOnlyChange() float64 { return c.sinkOnlyB - c.sinkOnlyA }

// clone is what gcc appends to the name of a function that it made of another, or of a part of
// it, and what allocations are called from Linux 6.10 on (CONFIG_MEM_ALLOC_PROFILING).
var clone = regexp.MustCompile(`\.(isra|constprop|part|cold)(\.\d+)?|_noprof$`)

// functionChanges are by falling size of the change. A function that the compiler has split or
// cloned under one kernel only is one function.
func functionChanges(a, b []functionCost) []functionChange {
	var list []functionChange
	at := map[string]int{}
	entry := func(f functionCost) *functionChange {
		name := clone.ReplaceAllString(f.name, "")
		i, known := at[name]
		if !known {
			i = len(list)
			at[name], list = i, append(list, functionChange{name: name, subsystem: f.subsystem})
		}
		return &list[i]
	}
	for _, f := range a {
		e := entry(f)
		e.a, e.sinkOnlyA = e.a+f.value, e.sinkOnlyA+f.sinkOnly
	}
	for _, f := range b {
		e := entry(f)
		e.b, e.sinkOnlyB = e.b+f.value, e.sinkOnlyB+f.sinkOnly
	}
	slices.SortFunc(list, func(x, y functionChange) int {
		return cmp.Or(cmp.Compare(math.Abs(y.change()), math.Abs(x.change())), cmp.Compare(x.name, y.name))
	})
	return list
}

// functionChangeSection says in which functions a kernel has more instructions than the one
// before it: for each changed pair, and each scenario with its fewest flows.
func functionChangeSection(d digest) *section {
	s := &section{Anchor: "changes", Heading: "Which functions changed",
		Columns: []column{{"Function", false}, {"Part of the kernel", false}, {"Before", true}, {"After", true}, {"Change", true}, {"of it in\nsink only", true}},
		Notes: []string{
			fmt.Sprintf("Instructions per packet that a function executes itself, without what it calls, each counted; up to %d functions that changed by %g or more, of each kernel beside the one before it, where that is a change at all. A function that was inlined under one kernel counts as part of its caller there, so that two rows can belong together.", changesShown, leastChange),
		}}
	fewest := slices.Min(d.Run.Plan.Traffic.Flows)
	for _, g := range kernelGroups(d.Run) {
		for i, c := range g.cells {
			if i == 0 || c.Flows != fewest || !byPlugin(c) || !byPlugin(g.cells[i-1]) || !changedPair(d.Run, g.cells[i-1], c) {
				continue
			}
			s.Rows = append(s.Rows, []string{fmt.Sprintf("%s: %s to %s", g.label, g.cells[i-1].Kernel, c.Kernel)})
			s.Rows = append(s.Rows, changeRows(functionChanges(functionInstructions(g.cells[i-1].Attribution), functionInstructions(c.Attribution)))...)
		}
	}
	if len(s.Rows) == 0 {
		return nil
	}
	return s
}

func byPlugin(c result.Cell) bool {
	return c.Attribution != nil && c.Attribution.Method == result.ByPlugin
}

func changedPair(run *result.Run, a, b result.Cell) bool {
	return slices.ContainsFunc(run.KernelPairs, func(p result.KernelPair) bool {
		return p.CellA == a.ID && p.CellB == b.ID && stats.Verdict(p.Verdict) == stats.Changed
	})
}

// changeRows end with all that have no row of their own, and the sum.
func changeRows(changes []functionChange) [][]string {
	var rows [][]string
	var all, others functionChange
	n := 0
	for i, c := range changes {
		all = all.plus(c)
		if i >= changesShown || math.Abs(c.change()) < leastChange {
			others, n = others.plus(c), n+1
			continue
		}
		rows = append(rows, changeRow("  "+c.name, c.subsystem, c))
	}
	if n > 0 {
		rows = append(rows, changeRow("  "+counted(n, "other function"), "", others))
	}
	return append(rows, changeRow("  all", "", all))
}

func (c functionChange) plus(o functionChange) functionChange {
	return functionChange{a: c.a + o.a, b: c.b + o.b, sinkOnlyA: c.sinkOnlyA + o.sinkOnlyA, sinkOnlyB: c.sinkOnlyB + o.sinkOnlyB}
}

func changeRow(name, subsystem string, c functionChange) []string {
	sinkOnly := ""
	if c.sinkOnlyA != 0 || c.sinkOnlyB != 0 {
		sinkOnly = fmt.Sprintf("%+.1f", c.sinkOnlyChange())
	}
	return []string{name, subsystem, signedInstructions(c.a), signedInstructions(c.b), fmt.Sprintf("%+.1f", c.change()), sinkOnly}
}
