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
			functionChanges(functionNS(first.Cost), functionNS(c.Cost)), sureOfCost(first.Cost, c.Cost), changeUnit{"ns", nsText}))
	}
	for i := range list {
		list[i].Open = i == 0
	}
	if len(changes) > 0 {
		changes[0].Open = true
	}
	return append(list, changes...)
}

// functionNS is the CPU time of a cell's functions per packet, in nanoseconds.
func functionNS(k *result.Cost) []functionCost {
	list := make([]functionCost, len(k.Functions))
	for i, f := range k.Functions {
		list[i] = functionCost{name: f.Name, subsystem: f.Subsystem, value: f.NSPerPacket}
	}
	return list
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
