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
	// Burst is how many times a frame is handed to the driver at once; 0 stands for 1. Only
	// whole bursts are sent, and the pace is that of bursts.
	Burst int
	// Threads is the number of sending threads; 0 is one for each CPU of the generator.
	Threads int
	// FlowPackets is how many frames in a row belong to one flow; 0 stands for 1. Above 1 the
	// flows have to differ by their destination addresses, the only thing that pktgen keeps
	// for a flow (f_pick and mod_cur_headers, net/core/pktgen.c, Linux 6.18).
	FlowPackets int
}

// commands are the lines for a device's control file, in order. pkt_size is without FCS.
// A burst is sent whole: pktgen looks at count behind it, and waits the delay before it. The
// upper ends of port ranges are exclusive where a range has more than one port
// (mod_cur_headers, net/core/pktgen.c, Linux 6.18).
func commands(s generator.Stream, sizeBytes int, r flowRange, o Options, count uint64, pps float64) []string {
	burst := uint64(max(1, o.Burst))
	if count > 0 {
		burst = min(burst, count)
		count -= count % burst
	}
	lines := []string{
		fmt.Sprintf("count %d", count),
		fmt.Sprintf("clone_skb %d", o.CloneSKB),
		fmt.Sprintf("burst %d", burst),
		fmt.Sprintf("pkt_size %d", sizeBytes-frame.FCSBytes),
		fmt.Sprintf("dst_mac %v", s.DestinationMAC),
		fmt.Sprintf("src_mac %v", s.SourceMAC),
	}
	if r.first.IPVersion() == 6 {
		lines = append(lines, fmt.Sprintf("dst6 %v", r.first.Destination), fmt.Sprintf("src6 %v", r.first.Source))
	} else {
		lines = append(lines,
			fmt.Sprintf("dst_min %v", r.first.Destination), fmt.Sprintf("dst_max %v", r.last.Destination),
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
	if o.FlowPackets > 1 && r.flows > 1 {
		lines = append(lines, fmt.Sprintf("flows %d", r.flows), fmt.Sprintf("flowlen %d", o.FlowPackets), "flag FLOW_SEQ")
	}
	if pps > 0 {
		return append(lines, fmt.Sprintf("delay %d", uint64(float64(burst)*1e9/pps)))
	}
	return append(lines, "delay 0")
}
