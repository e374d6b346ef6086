package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/linerate/linerate/result"
)

// pathsSection is the table of the paths through the DUT.
func pathsSection(d digest) *section {
	s := &section{Anchor: "paths", Heading: "Equal-cost paths",
		Columns: []column{{"Cell", false}, {"Path", false}, {"Frames\nA to B", true}, {"Share,\n%", true}, {"Frames\nB to A", true}}}
	for _, c := range d.Cells {
		for i, p := range c.Paths {
			name := ""
			if i == 0 {
				name = cellLines(c)
			}
			s.Rows = append(s.Rows, []string{name, p.Name, Thousands(p.TxPackets), bare(p.Share), Thousands(p.RxPackets)})
		}
	}
	if len(s.Rows) == 0 {
		return nil
	}
	s.Notes = []string{"Frames that side A's router sent into each path and got back from it in the trials at the throughput, by the counters of its devices. A router chooses the path by a hash of each frame's addresses and ports, so a flow stays on one path: with one flow the other paths are idle, and with few they fill unevenly."}
	return s
}

// Before and after an event the diagram shows so much time at least, in seconds.
const (
	eventLeadS = 0.3
	eventTailS = 0.7
)

// eventSection is what an event in the middle of a trial cost, and the traffic around it.
func eventSection(d digest) *section {
	s := &section{Anchor: "event", Heading: "Convergence: packets over time around an event",
		Columns: []column{{"Cell", false}, {"Event", false}, {"Load,\nMpps", true}, {"Lost,\nframes", true}, {"Last loss\nafter", true}, {"Loss-derived\ntime", true}}}
	tail, bin, open := eventTailS, uint64(0), 0
	for _, c := range d.Cells {
		if e := c.Event; e != nil {
			tail, bin = max(tail, 1.3*e.LastLossNS/1e9), e.BinNS
		}
	}
	g := &graph{ID: "event", Title: "Packets received over time around the event", XName: "seconds from the event",
		YName: fmt.Sprintf("packets per %s", strings.Replace(timeNS(bin), ".0 ", " ", 1)), XTop: eventLeadS + tail}
	for _, c := range d.Cells {
		e := c.Event
		if e == nil {
			continue
		}
		last := recoveryTime(e.LastLossNS)
		if e.LossToTheEnd {
			open++
			last = "not in " + last
		}
		s.Rows = append(s.Rows, []string{cellLines(c), strings.Replace(e.Name, " (", "\n(", 1), Mpps(e.LoadPPS), Thousands(e.Lost - e.LostBefore), last, recoveryTime(e.LossDerivedNS)})
		line := eventLine(c, e, g.XTop)
		line.Mark = markOfLine(len(g.Lines))
		for _, p := range line.Points {
			g.YTop = max(g.YTop, p[1])
		}
		g.Lines = append(g.Lines, line)
	}
	if len(s.Rows) == 0 {
		return nil
	}
	for _, v := range niceTicks(g.YTop, 5) {
		g.YTicks = append(g.YTicks, graphTick{v, Thousands(uint64(math.Round(v)))})
	}
	for _, v := range niceTicks(tail, 5) {
		g.XTicks = append(g.XTicks, graphTick{eventLeadS + v, tickLabel(v)})
	}
	s.Graph = g
	s.Notes = []string{
		"A trial at a steady load, in the middle of which this was done to the device. Last loss after is the time from the event to the departure of the last frame that was lost: the convergence time, or more where frames were lost later for another reason, which the graph shows. \"none\" means that no frame was lost.",
		"Loss-derived time is the time in which the load has as many frames as were lost (RFC 6412): if only the flows of one path of two are interrupted, it is half of how long they are.",
		"The time that the kernel takes to close a device, some tens of milliseconds in which its neighbours do not know of it yet, is part of a link that goes down.",
	}
	if open > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("\"not in\": in %s frames were lost until the trial ended; the device did not converge within the time.", counted(open, "trial")))
	}
	return s
}

// eventLine are the bins of a cell's event from shortly before it.
func eventLine(c cell, e *result.Event, xTop float64) graphLine {
	line := graphLine{Name: fmt.Sprintf("%s, %s: %s", c.Label, e.Name, Mpps(e.LoadPPS)+" Mpps")}
	for i, n := range e.ReceivedPerBin {
		x := (float64(i)+0.5)*float64(e.BinNS)/1e9 - e.AtS + eventLeadS
		if x >= 0 && x <= xTop {
			line.Points = append(line.Points, [2]float64{x, float64(n)})
		}
	}
	return line
}
