package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/linerate/linerate/result"
)

// tuned tells whether the run tried settings of the kernel's packet generator.
func tuned(run *result.Run) bool {
	return slices.ContainsFunc(run.Cells, func(c result.Cell) bool { return c.Tuning != nil })
}

// knob is one of the two settings: all cells in which the other is as pktgen has it untuned.
type knob struct {
	name  string
	value func(t result.Tuning) int
	of    func(t result.Tuning) bool
}

var knobs = []knob{
	{"clone_skb", func(t result.Tuning) int { return t.CloneSKB }, func(t result.Tuning) bool { return t.Burst == 1 }},
	{"burst", func(t result.Tuning) int { return t.Burst }, func(t result.Tuning) bool { return t.CloneSKB == 0 }},
}

// tuningCurve is one device with one size of frames under one kernel, over the values of a knob.
type tuningCurve struct {
	label    string
	untuned  float64 // instructions; 0 if it was not measured
	cells    []result.Cell
	measured []result.Cell
}

func (k knob) curves(run *result.Run) []tuningCurve {
	var curves []tuningCurve
	for _, c := range run.Cells {
		if c.Tuning == nil || !k.of(*c.Tuning) {
			continue
		}
		label := c.Tuning.Device + ", " + frameSize(c.FrameSize)
		if len(run.Kernels) > 1 {
			label += ", " + c.Kernel
		}
		i := slices.IndexFunc(curves, func(t tuningCurve) bool { return t.label == label })
		if i < 0 {
			i = len(curves)
			curves = append(curves, tuningCurve{label: label})
		}
		t := &curves[i]
		t.cells = append(t.cells, c)
		if v := c.InstructionsPerPacket; v != nil {
			t.measured = append(t.measured, c)
			if c.Tuning.CloneSKB == 0 && c.Tuning.Burst == 1 {
				t.untuned = v.Value
			}
		}
	}
	return slices.DeleteFunc(curves, func(t tuningCurve) bool { return len(t.cells) < 2 })
}

// tuningNotes say what the table is worth.
var tuningNotes = []string{
	"The kernel's pktgen sends on one CPU that executes an instruction in each nanosecond of the guest's time. From a dummy, which drops every frame, it is counted alone; from an emulated card (vmxnet3) the driver is counted too, and the receiver behind the cable up to its IP layer.",
	"\"of untuned\" is the share of what a frame costs without tuning: clone_skb N sends each packet N times before it builds the next (0 and 1 build each), burst N hands a packet to the driver N times at once.",
	"pktgen's own rate is that on its Result line, in the guest's time, of which each instruction takes a nanosecond: it is 10⁹ divided by the instructions per frame, and no rate of any machine. \"Received\" is what the receiving card counted, and what reached its IP layer, of the frames on the Result line; a dummy counts what it took.",
}

// tuningSections are a table and a curve for each knob.
func tuningSections(d digest) []section {
	var list []section
	for _, k := range knobs {
		curves := k.curves(d.Run)
		if len(curves) == 0 {
			continue
		}
		s := section{Anchor: "tuning-" + k.name, Heading: "Instructions per frame of pktgen, by " + k.name, Columns: []column{
			{k.name, true}, {"Instructions\nper frame", true}, {"of untuned", true}, {"min to max\nof the boots", true},
			{"pktgen's own\nrate, pps", true}, {"Sent", true}, {"Received", true}, {"of them\nby IP", true}}}
		for _, t := range curves {
			s.Rows = append(s.Rows, []string{t.label})
			for _, c := range t.cells {
				s.Rows = append(s.Rows, tuningRow(k, t, c))
				if c.Skipped != "" && !kernelFailed(d.Run, c.Kernel) {
					s.Notes = append(s.Notes, sentence(c.ID+" was not measured: "+c.Skipped))
				}
			}
		}
		s.Graph = k.graph(curves)
		list = append(list, s)
	}
	if len(list) > 0 {
		last := &list[len(list)-1]
		last.Notes = append(last.Notes, append(slices.Clone(tuningNotes), countsAreNoRates)...)
	}
	return list
}

func tuningRow(k knob, t tuningCurve, c result.Cell) []string {
	v := c.InstructionsPerPacket
	if v == nil {
		return []string{strconv.Itoa(k.value(*c.Tuning)), "-", "", "", "", "", "", ""}
	}
	share, ip := "", "-"
	if t.untuned > 0 {
		share = Percent(v.Value / t.untuned)
	}
	if c.Tuning.ReceivedIPPackets > 0 {
		ip = Thousands(uint64(c.Tuning.ReceivedIPPackets))
	}
	return []string{strconv.Itoa(k.value(*c.Tuning)), instructions(v.Value), share, span(*v),
		Thousands(uint64(c.Tuning.ResultPPS + 0.5)), Thousands(uint64(c.Tuning.SentFrames)), Thousands(uint64(c.Tuning.ReceivedFrames)), ip}
}

// graph draws the share of the untuned cost over the values side by side, however far apart they are.
func (k knob) graph(curves []tuningCurve) *graph {
	var values []int
	for _, t := range curves {
		for _, c := range t.cells {
			if v := k.value(*c.Tuning); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	}
	slices.Sort(values)
	g := &graph{ID: "tuning-" + k.name + "-plot", Title: "What a frame costs, as a share of the untuned", XName: k.name, YName: "% of the untuned", XTop: float64(len(values)), YTop: 100}
	for i, v := range values {
		g.XTicks = append(g.XTicks, graphTick{float64(i + 1), strconv.Itoa(v)})
	}
	for _, t := range curves {
		line := graphLine{Name: t.label, Mark: markOfLine(len(g.Lines))}
		for _, c := range t.measured {
			if t.untuned > 0 {
				share := 100 * c.InstructionsPerPacket.Value / t.untuned
				line.Points = append(line.Points, [2]float64{float64(slices.Index(values, k.value(*c.Tuning)) + 1), share})
				g.YTop = max(g.YTop, share)
			}
		}
		if len(line.Points) > 0 {
			g.Lines = append(g.Lines, line)
		}
	}
	if len(g.Lines) == 0 {
		return nil
	}
	for y := 0.0; y <= g.YTop; y += 25 {
		g.YTicks = append(g.YTicks, graphTick{y, fmt.Sprintf("%.0f", y)})
	}
	return g
}

// tuningHeadline names, for each device and size, the best setting and what it saves.
func tuningHeadline(d digest) []string {
	var list []string
	for _, k := range knobs {
		for _, t := range k.curves(d.Run) {
			if t.untuned == 0 || len(t.measured) < 2 {
				continue
			}
			best := slices.MinFunc(t.measured, func(a, b result.Cell) int {
				return cmp.Compare(a.InstructionsPerPacket.Value, b.InstructionsPerPacket.Value)
			})
			list = append(list, fmt.Sprintf("%s: with %s %d a frame costs %s instructions, %s of the %s without.", t.label, k.name, k.value(*best.Tuning),
				instructions(best.InstructionsPerPacket.Value), Percent(best.InstructionsPerPacket.Value/t.untuned), instructions(t.untuned)))
		}
	}
	if lost := lostFrames(d.Run); lost > 0 {
		list = append(list, fmt.Sprintf("The receiver did not count %s of pktgen's Result lines.", counted(int(lost), "frame")))
	}
	if len(list) == 0 {
		return []string{"No setting was measured."}
	}
	return list
}

func lostFrames(run *result.Run) (lost uint64) {
	for _, c := range run.Cells {
		if t := c.Tuning; t != nil && t.SentFrames > t.ReceivedFrames {
			lost += uint64(t.SentFrames - t.ReceivedFrames)
		}
	}
	return lost
}
