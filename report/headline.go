package report

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// The link that the headline asks about, and the smaller one that it mentions.
const (
	askedLinkBPS   = 10e9
	smallerLinkBPS = 1e9
	// fullLink is how near to line rate a figure must be to fill it: the width of the search.
	fullLink = 0.995
)

// headline answers in plain sentences whether the device routes at line rate, and if not, why not.
func headline(d digest) []string {
	if ofKernels(d.Run) {
		return kernelHeadline(d)
	}
	if s := variedHeadline(d.Run); s != nil {
		if simulated(d.Run) {
			s = append(simulationHeadline(d)[:1], s...)
		}
		return s
	}
	if simulated(d.Run) {
		return simulationHeadline(d)
	}
	if d.ofStreams() {
		return streamsHeadline(d)
	}
	c, ok := headlineCell(d.Cells)
	if !ok {
		if s := unpacedHeadline(d); s != nil {
			return s
		}
		return append([]string{nothingFound(d)}, withoutDevice(d)...)
	}
	sentences := []string{answer(c), why(c)}
	if s := coresSentence(c); s != "" {
		sentences = append(sentences, s)
	}
	if s := costSentence(c, d.Cells); s != "" {
		sentences = append(sentences, s)
	}
	return sentences
}

// headlineCell is the plainest one that has a figure: routing before all else,
// one direction before both, the smallest frame, then the most flows.
func headlineCell(cells []cell) (cell, bool) {
	var found []cell
	for _, c := range cells {
		if c.measured() && c.main().isFound() && c.Scenario != noDevice {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return cell{}, false
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i], found[j]
		switch {
		case (a.Scenario == "route") != (b.Scenario == "route"):
			return a.Scenario == "route"
		case a.Ways != b.Ways:
			return a.Ways < b.Ways
		case a.MeanBytes != b.MeanBytes:
			return a.MeanBytes < b.MeanBytes
		}
		return a.Flows > b.Flows
	})
	return found[0], true
}

func nothingFound(d digest) string {
	skipped, first := 0, ""
	for _, c := range d.Cells {
		if !c.measured() {
			skipped++
			if first == "" {
				first = c.Skipped
			}
		}
	}
	switch {
	case len(d.Cells) == 0:
		return "Nothing was measured: the run has no cells."
	case skipped == len(d.Cells):
		return sentence("Nothing was measured: every cell was skipped. The first reason: " + first)
	case !d.hasDevice():
		return "No device was measured."
	}
	return "No throughput was found: no load passed in any cell that was measured with a device. The curves of loss against load show what happened."
}

// noDevice is the scenario in which generator and sink are joined directly.
const noDevice = "none"

// hasDevice tells whether a cell was measured with a device.
func (d digest) hasDevice() bool {
	for _, c := range d.Cells {
		if c.measured() && c.Scenario != noDevice {
			return true
		}
	}
	return false
}

// withoutDevice is what generator and sink alone carry, which is never a figure of a device.
func withoutDevice(d digest) []string {
	for _, c := range d.Cells {
		if f := c.main(); c.Scenario == noDevice && c.measured() && f.isFound() {
			return []string{fmt.Sprintf("Generator and sink alone, with no device between them, carry %s Mpps%s with %s in %s (%s, %s).",
				f.amount(perDirection, Mpps), each(c), flows(c.Flows), way(c.Directions), f.Goal.Name, allowedLoss(f))}
		}
	}
	return nil
}

// answer says yes, no or not decided.
func answer(c cell) string {
	f := c.main()
	line := frame.LineRatePPS(askedLinkBPS, c.MeanBytes)
	share := f.PerDirectionPPS / line
	verb := "carries"
	if f.Relation == AtLeast {
		verb = "carries at least"
	}
	fact := fmt.Sprintf("%s with %s in %s %s %s Mpps%s (%s, %s), %s of the %s Mpps of line rate",
		c.Name, flows(c.Flows), way(c.Directions), verb, Mpps(f.PerDirectionPPS), each(c), f.Goal.Name,
		allowedLoss(f), sharePercent(share), Mpps(line))
	switch {
	case share >= fullLink:
		return fmt.Sprintf("Yes, at 10 Gbit/s with %s: %s.", frames(c), fact)
	case f.Relation == AtLeast:
		return fmt.Sprintf("Not decided for 10 Gbit/s with %s: %s, and the search ended before the device did.", frames(c), fact)
	}
	small := frame.LineRatePPS(smallerLinkBPS, c.MeanBytes)
	also := fmt.Sprintf("1 Gbit/s would take %s Mpps", Mpps(small))
	if f.PerDirectionPPS >= fullLink*small {
		also = fmt.Sprintf("it does fill 1 Gbit/s (%s Mpps)", Mpps(small))
	}
	return fmt.Sprintf("No, not at 10 Gbit/s with %s: %s; %s.", frames(c), fact, also)
}

func each(c cell) string {
	if c.Ways > 1 {
		return " each way"
	}
	return ""
}

func frames(c cell) string {
	if c.FrameSize == plan.IMIX {
		return fmt.Sprintf("IMIX frames of %.2f bytes in the mean", c.MeanBytes)
	}
	return fmt.Sprintf("%d-byte frames", int(c.FrameSize))
}

func sharePercent(share float64) string {
	decimals := 1
	if share >= 0.1 {
		decimals = 0
	}
	return fmt.Sprintf("%.*f %%", decimals, share*100)
}

// limits says in words what each verdict means for the figure.
var limits = map[result.Verdict]string{
	result.DUTBound:       "The limit is the device itself",
	result.GeneratorBound: "The limit is the generator and not the device, so the figure is only a lower bound",
	result.ReceiverBound:  "The limit is the tester's receiver and not the device, so the figure is only a lower bound",
	result.LinkBound:      "The limit is the link",
	result.Unstable:       "The figure is not settled",
	result.Undefined:      "No load passes",
}

func why(c cell) string {
	verdict := c.main().Verdict
	reason, ok := limits[verdict]
	if !ok {
		return "What set the limit was not found out."
	}
	// The evidence is that of the cell's verdict, which may be another goal's.
	if len(c.Evidence) > 0 && verdict == c.Verdict {
		reason += ": " + c.Evidence[0]
	}
	return sentence(reason)
}

func coresSentence(c cell) string {
	line := frame.LineRatePPS(askedLinkBPS, c.MeanBytes)
	if c.CPU == nil || c.CPU.NSPerPacket <= 0 || c.main().PerDirectionPPS >= fullLink*line {
		return ""
	}
	return fmt.Sprintf("At %s ns of CPU time per packet, 10 Gbit/s line rate would take about %s DUT cores, if throughput grew linearly with the cores.",
		c.nsPerPacket(), coreCount(line*c.CPU.NSPerPacket*1e-9))
}

// costSentence compares the other scenarios with the headline's cell at the same traffic; bounds are not compared.
func costSentence(ref cell, cells []cell) string {
	base := ref.main()
	if base.Relation != Exact {
		return ""
	}
	var costs []string
	for _, c := range cells {
		same := c.IPVersion == ref.IPVersion && c.FrameSize == ref.FrameSize && c.Flows == ref.Flows && c.Directions == ref.Directions
		f := c.main()
		if c.ID == ref.ID || !same || c.Scenario == noDevice || c.Name == ref.Name || !c.measured() || f.Relation != Exact {
			continue
		}
		change := f.PerDirectionPPS/base.PerDirectionPPS - 1
		word := "less"
		if change > 0 {
			word = "more"
		}
		text := fmt.Sprintf("%s carries %.0f %% %s", c.Name, math.Abs(change)*100, word)
		if f.Verdict == result.Unstable {
			text += " (not settled)"
		}
		costs = append(costs, text)
	}
	if len(costs) == 0 {
		return ""
	}
	return fmt.Sprintf("Against %s with the same traffic, %s.", ref.Name, enumerate(costs))
}

func enumerate(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// sentence ends a text with a full stop.
func sentence(s string) string {
	if s == "" || strings.ContainsRune(".!?", rune(s[len(s)-1])) {
		return s
	}
	return s + "."
}
