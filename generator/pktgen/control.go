package pktgen

import (
	"fmt"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
)

// Options are the settings of pktgen that a plan can choose.
type Options struct {
	// CloneSKB is how many times each frame is sent before the next is built; 0 builds
	// each. Devices whose driver changes frames refuse it: a veth does.
	CloneSKB int
	// Burst is how many times a frame is handed to the driver at once; 0 stands for 1.
	Burst int
	// Threads is the number of sending threads; 0 is one for each CPU of the generator.
	Threads int
	// FlowPackets is how many frames in a row belong to one flow; 0 stands for 1.
	FlowPackets int
}

// flowRange is what pktgen can make of a list of flows: one address on each side, and
// ports that run up by one on one side or on none.
type flowRange struct {
	first, last frame.Flow
	flows       int
}

// rangeOf finds the range that the flows are.
func rangeOf(flows []frame.Flow) (flowRange, error) {
	first, last := flows[0], flows[len(flows)-1]
	for i, f := range flows {
		if i > 0xffff || int(first.SourcePort)+i > 0xffff && int(first.DestinationPort)+i > 0xffff {
			return flowRange{}, fmt.Errorf("%d flows are more than one range of ports has; send fewer, or use another engine", len(flows))
		}
		up := uint16(i)
		same := f.Source == first.Source && f.Destination == first.Destination
		sourceRuns := f.SourcePort == first.SourcePort+up && f.DestinationPort == first.DestinationPort
		destinationRuns := f.DestinationPort == first.DestinationPort+up && f.SourcePort == first.SourcePort
		if !same || !sourceRuns && !destinationRuns || (last.SourcePort != first.SourcePort) != sourceRuns && i > 0 {
			return flowRange{}, fmt.Errorf("flow %d is %v: pktgen steps through one range of ports between two addresses, and flow 0 is %v; use another engine, or fewer flows", i, f, first)
		}
	}
	return flowRange{first: first, last: last, flows: len(flows)}, nil
}

// part is the share of one of several threads: a range in one piece.
func (r flowRange) part(s generator.Share) flowRange {
	from, to := r.flows*s.Index/s.Of, r.flows*(s.Index+1)/s.Of
	p := flowRange{first: r.first, last: r.first, flows: to - from}
	if r.last.SourcePort != r.first.SourcePort {
		p.first.SourcePort += uint16(from)
		p.last.SourcePort += uint16(to - 1)
	} else if r.last.DestinationPort != r.first.DestinationPort {
		p.first.DestinationPort += uint16(from)
		p.last.DestinationPort += uint16(to - 1)
	}
	return p
}

// commands are the lines for a device's control file, in order. pkt_size is without FCS.
// The upper ends of port ranges are exclusive where a range has more than one port
// (mod_cur_headers, net/core/pktgen.c, Linux 6.18).
func commands(s generator.Stream, sizeBytes int, r flowRange, o Options, count uint64, pps float64) []string {
	lines := []string{
		fmt.Sprintf("count %d", count),
		fmt.Sprintf("clone_skb %d", o.CloneSKB),
		fmt.Sprintf("burst %d", max(1, o.Burst)),
		fmt.Sprintf("pkt_size %d", sizeBytes-frame.FCSBytes),
		fmt.Sprintf("dst_mac %v", s.DestinationMAC),
		fmt.Sprintf("src_mac %v", s.SourceMAC),
	}
	if r.first.IPVersion() == 6 {
		lines = append(lines, fmt.Sprintf("dst6 %v", r.first.Destination), fmt.Sprintf("src6 %v", r.first.Source))
	} else {
		lines = append(lines,
			fmt.Sprintf("dst_min %v", r.first.Destination), fmt.Sprintf("dst_max %v", r.first.Destination),
			fmt.Sprintf("src_min %v", r.first.Source), fmt.Sprintf("src_max %v", r.first.Source))
	}
	ports := func(side string, first, last uint16) {
		end := int(last)
		if last > first {
			end++
		}
		lines = append(lines, fmt.Sprintf("udp_%s_min %d", side, first), fmt.Sprintf("udp_%s_max %d", side, end))
	}
	ports("src", r.first.SourcePort, r.last.SourcePort)
	ports("dst", r.first.DestinationPort, r.last.DestinationPort)
	if o.FlowPackets > 1 {
		lines = append(lines, fmt.Sprintf("flows %d", r.flows), fmt.Sprintf("flowlen %d", o.FlowPackets))
	}
	if pps > 0 {
		return append(lines, fmt.Sprintf("delay %d", uint64(1e9/pps)))
	}
	return append(lines, "delay 0")
}
