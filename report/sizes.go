package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// sizesSection answers "is my 64-byte packet 64 bytes?" for every size of the run.
func sizesSection(d digest) *section {
	type size struct{ version, bytes int }
	used := map[size][]string{}
	for _, c := range d.Cells {
		if c.Workload != "" && !strings.Contains(c.Workload, "-udp") {
			continue // the segments of TCP are as long as the path lets them be
		}
		sizes := frame.Sizes{int(c.FrameSize)}
		name := "alone"
		if c.FrameSize == plan.IMIX {
			sizes, name = frame.SimpleIMIX(c.IPVersion), "in IMIX"
		}
		for _, bytes := range sizes {
			s := size{c.IPVersion, bytes}
			if !slices.Contains(used[s], name) {
				used[s] = append(used[s], name)
			}
		}
	}
	if len(used) == 0 {
		return nil
	}
	s := &section{
		Anchor: "sizes", Heading: "Frame sizes: is my 64-byte packet 64 bytes?",
		Columns: []column{{"IP", false}, {"Frame\nwith FCS", true}, {"IP packet", true}, {"UDP payload", true}, {"Sent", false}},
		Notes: []string{"A \"64-byte packet\" is read in three ways: a frame of 64 bytes, an IP packet of 64 (a frame of 82), or a UDP payload of 64 (a frame of 110, " +
			"over IPv4). Sizes in this report are those of the frame with its 4-byte FCS (RFC 2544 section 9.1); a capture and a packet socket show 4 bytes less."},
	}
	var order []size
	for v := range used {
		order = append(order, v)
	}
	slices.SortFunc(order, func(a, b size) int { return (a.version-b.version)*1_000_000 + a.bytes - b.bytes })
	for _, v := range order {
		ip := v.bytes - frame.EthernetBytes - frame.FCSBytes
		header := frame.IPv4Bytes
		if v.version == 6 {
			header = frame.IPv6Bytes
		}
		names := used[v]
		slices.Sort(names)
		sent := names[0]
		if len(names) > 1 {
			sent = "alone and in IMIX"
		}
		s.Rows = append(s.Rows, []string{fmt.Sprintf("v%d", v.version), bytesText(v.bytes), bytesText(ip), bytesText(ip - header - frame.UDPBytes), sent})
	}
	return s
}

func bytesText(n int) string { return Thousands(uint64(n)) + " B" }

// captureSection names the files that hold frames.
func captureSection(d digest) *section {
	s := &section{
		Anchor: "captures", Heading: "Captured frames", Columns: []column{{"Cell", false}, {"Port", false}, {"Frames", true}, {"File in the run's folder", false}},
		Notes: []string{"The first frames of each port, without FCS, from a trial of their own after the measured ones. `linerate verify FILE` checks them with a decoder that is " +
			"not linerate's own; tcpdump and Wireshark open them too. a and b are the tester's ports, dut-a and dut-b the device's own interfaces beside them."},
	}
	for _, c := range d.Cells {
		for _, k := range c.Captures {
			s.Rows = append(s.Rows, []string{c.Label, k.Port, Thousands(uint64(k.Frames)), k.File})
		}
	}
	if len(s.Rows) == 0 {
		return nil
	}
	return s
}

// tested tells whether a run was put through a test besides the throughput search.
func tested(run *result.Run) bool {
	return slices.ContainsFunc(run.Plan.Tests, func(t plan.Test) bool { return t != plan.Throughput })
}
