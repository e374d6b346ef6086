package report

import (
	"fmt"
	"math"

	"github.com/linerate/linerate/result"
)

// costFlames are a flame graph of each cell, and of each that has the traffic of the first
// what differs from that one.
func costFlames(cells []cell, first cell, anchor string) []flame {
	var list, changes []flame
	for i, c := range cells {
		list = append(list, costFlame(c, fmt.Sprintf("%s-flame-%d", anchor, i)))
		if c.ID == first.ID || c.Traffic != first.Traffic || c.IPVersion != first.IPVersion {
			continue
		}
		changes = append(changes, changeFlame(fmt.Sprintf("%s-change-%d", anchor, i), first.Name+" to "+c.Name+": what differs, "+c.Traffic, first.Name, c.Name,
			costChanges(first.Cost, c.Cost), sureOfCost(first.Cost, c.Cost), changeUnit{"ns", nsText}))
	}
	for i := range list {
		list[i].Open = i == 0
	}
	if len(changes) > 0 {
		changes[0].Open = true
	}
	return append(list, changes...)
}

// costChanges are the functions of two cells side by side.
func costChanges(a, b *result.Cost) []functionChange {
	as := func(k *result.Cost) *result.Attribution {
		out := &result.Attribution{}
		for _, f := range k.Functions {
			out.Functions = append(out.Functions, result.AttributedFunction{AttributedPart: result.AttributedPart{Name: f.Name, InstructionsPerPacket: f.NSPerPacket}, Subsystem: f.Subsystem})
		}
		return out
	}
	return functionChanges(as(a), as(b))
}

// sureOfCost tells which changes are beyond both intervals.
func sureOfCost(a, b *result.Cost) func(functionChange) bool {
	half := map[string]float64{}
	for _, k := range []*result.Cost{a, b} {
		for _, f := range k.Functions {
			half[clone.ReplaceAllString(f.Name, "")] += (f.HighNSPerPacket - f.LowNSPerPacket) / 2
		}
	}
	return func(c functionChange) bool { return math.Abs(c.change()) > half[c.name] }
}
