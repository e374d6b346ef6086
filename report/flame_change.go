package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/linerate/linerate/result"
)

// changeUnit is what a change is counted in.
type changeUnit struct {
	// name is of the unit, and text prints a value in it.
	name string
	text func(float64) string
}

// changeFlame shows where the second of two costs differs from the first: functions below
// their part of the kernel, each as wide as it is in the dearer of the two. sure tells which
// changes are more than chance.
func changeFlame(id, title, a, b string, changes []functionChange, sure func(functionChange) bool, unit changeUnit) flame {
	f := flame{ID: id, Title: title,
		Description: fmt.Sprintf("Differential flame graph: what %s costs beside %s, by kernel function.", b, a),
		Legend:      []flameKey{{"change-dearer-2", "dearer under " + b + " (red, +)"}, {"change-cheaper-2", "cheaper (blue, -)"}, {"change-same", "the same, or within the intervals"}}}
	parts := map[string]*flameNode{}
	totals := map[string]functionChange{}
	sum, moved := 0.0, 0.0
	for _, c := range changes {
		sum += max(c.a, c.b, 0)
		if sure(c) {
			moved += math.Abs(c.change())
		}
	}
	all := functionChange{}
	for _, c := range changes {
		part := parts[c.subsystem]
		if part == nil {
			part = &flameNode{label: c.subsystem}
			parts[c.subsystem] = part
		}
		totals[c.subsystem], all = totals[c.subsystem].plus(c), all.plus(c)
		share := max(c.a, c.b, 0) / sum
		part.share += share
		part.calls = append(part.calls, unit.node(c, c.name, share, moved, sure(c)))
	}
	root := unit.node(all, fmt.Sprintf("%s beside %s", b, a), 0, moved, false)
	for name, part := range parts {
		node := unit.node(functionChange{name: name, a: totals[name].a, b: totals[name].b}, name, part.share, moved, slices.ContainsFunc(part.calls, func(n flameNode) bool { return n.class != "change-same" }))
		slices.SortFunc(part.calls, func(x, y flameNode) int { return cmp.Or(cmp.Compare(y.share, x.share), cmp.Compare(x.label, y.label)) })
		node.calls = part.calls
		root.share += node.share
		root.calls = append(root.calls, node)
	}
	slices.SortFunc(root.calls, func(x, y flameNode) int { return cmp.Or(cmp.Compare(y.share, x.share), cmp.Compare(x.label, y.label)) })
	root.label = fmt.Sprintf("%s beside %s: %s to %s %s per packet (%s)", b, a, unit.text(all.a), unit.text(all.b), unit.name, unit.signed(all.change()))
	root.tip = root.label
	f.layOut(root)
	return f
}

// node is a box whose colour and text say how much a cost has changed. moved is the sum of
// all changes without their signs.
func (u changeUnit) node(c functionChange, label string, share, moved float64, sure bool) flameNode {
	n := flameNode{label: label, class: "change-same", share: share,
		tip: fmt.Sprintf("%s: %s, before %s, %s per packet (%s)", label, u.text(c.b), u.text(c.a), u.name, u.signed(c.change()))}
	if !sure || c.change() == 0 {
		return n
	}
	way := "dearer"
	if c.change() < 0 {
		way = "cheaper"
	}
	step := 1
	for _, least := range []float64{0.03, 0.15} {
		if math.Abs(c.change()) >= least*moved {
			step++
		}
	}
	n.class, n.label = fmt.Sprintf("change-%s-%d", way, step), label+" "+u.signed(c.change())
	return n
}

func (u changeUnit) signed(v float64) string {
	if v < 0 {
		return "-" + u.text(-v)
	}
	return "+" + u.text(v)
}

// instructionUnit prints instructions.
var instructionUnit = changeUnit{"instructions", signedInstructions}

// kernelFlames are a flame graph of each scenario's first kernel, and of each other kernel
// what differs from the one before it.
func kernelFlames(d digest) []flame {
	var list []flame
	opened := false // those of the first scenario with a DUT, if any has one
	groups := kernelGroups(d.Run)
	for i, g := range groups {
		open := !opened && (!g.cells[0].Direct() || i == len(groups)-1)
		var before *result.Cell
		for j, c := range g.cells {
			if c.Attribution == nil || len(c.Attribution.Functions) == 0 {
				continue
			}
			id := fmt.Sprintf("attribution-flame-%d-%d", i, j)
			if before == nil {
				list = append(list, attributionFlame(id, c.Kernel+", "+g.label, c.Attribution))
			} else {
				list = append(list, changeFlame(id, g.label+": "+before.Kernel+" to "+c.Kernel, before.Kernel, c.Kernel,
					functionChanges(functionInstructions(before.Attribution), functionInstructions(c.Attribution)), sureOf(*before, c), instructionUnit))
			}
			before, opened = &c, opened || open
			list[len(list)-1].Open = open
		}
	}
	return list
}

// attributionFlame has call chains where there were samples of them.
func attributionFlame(id, title string, a *result.Attribution) flame {
	f := flame{ID: id, Title: title, Description: "Flame graph of the instructions of a packet by kernel function. The table of the section has the figures by part of the kernel."}
	for _, p := range a.Subsystems[:min(legendParts, len(a.Subsystems))] {
		f.Legend = append(f.Legend, flameKey{subsystemClass(p.Name), p.Name + " " + signedInstructions(p.InstructionsPerPacket)})
	}
	tree := callTree{unit: "instructions", text: signedInstructions, own: map[string]float64{}}
	var functions []countedFunction
	for _, fn := range a.Functions {
		tree.total += fn.InstructionsPerPacket
		tree.own[fn.Name] = fn.InstructionsPerPacket
		functions = append(functions, countedFunction{fn.Name, fn.Subsystem, max(0, fn.InstructionsPerPacket)})
	}
	root := flameNode{class: "part-all", label: fmt.Sprintf("%s: %s instructions per packet", title, instructions(tree.total)), share: 1}
	if len(a.Calls) > 0 {
		calls, share := withoutStem(a.Calls)
		root.share, root.calls = share, tree.nodes(calls)
	} else {
		root.calls = tree.partTree(functions)
	}
	root.tip = root.label
	f.layOut(root)
	return f
}

// sureOf tells which changes between two cells are more than chance: of counts those that
// get a row in the table, of samples those beyond both intervals.
func sureOf(a, b result.Cell) func(functionChange) bool {
	if byPlugin(a) && byPlugin(b) {
		return func(c functionChange) bool { return math.Abs(c.change()) >= leastChange }
	}
	half := map[string]float64{}
	for _, attributed := range []*result.Attribution{a.Attribution, b.Attribution} {
		for _, f := range attributed.Functions {
			half[clone.ReplaceAllString(f.Name, "")] += (f.HighInstructions - f.LowInstructions) / 2
		}
	}
	return func(c functionChange) bool { return math.Abs(c.change()) > half[c.name] }
}
