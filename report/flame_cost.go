package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/linerate/linerate/attribution"
	"github.com/linerate/linerate/result"
)

// legendParts are the subsystems that a legend names.
const legendParts = 9

// costFlame is the flame graph of a cell's CPU time.
func costFlame(c cell, id string) flame {
	k := c.Cost
	f := flame{ID: id, Title: c.Label, Open: true,
		Description: "Flame graph of the CPU time of a packet by kernel function. The table of the section has the figures by part of the kernel."}
	for _, p := range k.Subsystems[:min(legendParts, len(k.Subsystems))] {
		f.Legend = append(f.Legend, flameKey{subsystemClass(p.Name), p.Name + " " + nsText(p.NSPerPacket)})
	}
	own := map[string]float64{}
	for _, fn := range k.Functions {
		own[fn.Name] = fn.NSPerPacket
	}
	calls, share := withoutStem(k.Calls)
	tree := callTree{total: k.SampledNSPerPacket, unit: "ns", text: nsText, own: own}
	f.layOut(flameNode{class: "part-all", label: fmt.Sprintf("%s: %s ns per packet", c.Label, nsText(k.SampledNSPerPacket)),
		tip: fmt.Sprintf("all of the DUT's work: %s ns per packet", nsText(k.SampledNSPerPacket)), share: share, calls: tree.nodes(calls)})
	return f
}

// stemShare is the share that a call has and passes on where it is only on the way to others.
const stemShare = 0.97

// withoutStem leaves out the first calls that nearly all have in common, such as the start
// of a kernel thread. The share is what the rest has of the whole.
func withoutStem(calls []result.CallNode) (rest []result.CallNode, share float64) {
	for len(calls) > 0 && calls[0].Share >= stemShare*sumOf(calls) && sumOf(calls[0].Calls) >= stemShare*calls[0].Share {
		calls = slices.Concat(calls[0].Calls, calls[1:])
	}
	return calls, max(sumOf(calls), 1e-9)
}

func sumOf(calls []result.CallNode) (share float64) {
	for _, c := range calls {
		share += c.Share
	}
	return share
}

// callTree turns stored calls into boxes.
type callTree struct {
	total float64
	unit  string
	text  func(float64) string
	// own is what a function takes itself wherever it is called.
	own map[string]float64
}

func (t callTree) nodes(calls []result.CallNode) []flameNode {
	var list []flameNode
	for _, c := range calls {
		part := attribution.Subsystem(c.Name)
		itself := c.Share - sumOf(c.Calls)
		list = append(list, flameNode{class: subsystemClass(part), label: plainFunction(c.Name), share: c.Share, calls: t.nodes(c.Calls),
			tip: fmt.Sprintf("%s: %s %s per packet (%s), %s of them itself here, %s wherever it is called; %s", c.Name, t.text(c.Share*t.total), t.unit, Percent(c.Share), t.text(max(0, itself)*t.total), t.text(t.own[c.Name]), part)})
	}
	return list
}

// partTree has the functions below their part of the kernel, for counts without call chains.
func (t callTree) partTree(functions []countedFunction) []flameNode {
	var list []flameNode
	for _, f := range functions {
		i := slices.IndexFunc(list, func(n flameNode) bool { return n.label == f.part })
		if i < 0 {
			i = len(list)
			list = append(list, flameNode{class: subsystemClass(f.part), label: f.part})
		}
		list[i].share += f.value / t.total
		list[i].calls = append(list[i].calls, flameNode{class: subsystemClass(f.part), label: plainFunction(f.name), share: f.value / t.total,
			tip: fmt.Sprintf("%s: %s %s per packet (%s); %s", f.name, t.text(f.value), t.unit, Percent(f.value/t.total), f.part)})
	}
	for i := range list {
		list[i].tip = fmt.Sprintf("%s: %s %s per packet (%s)", list[i].label, t.text(list[i].share*t.total), t.unit, Percent(list[i].share))
	}
	slices.SortStableFunc(list, func(a, b flameNode) int { return cmp.Compare(b.share, a.share) })
	return list
}

// countedFunction is a function with what it takes itself.
type countedFunction struct {
	name, part string
	value      float64
}
