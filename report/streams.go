package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// ofStreams tells whether the run measured the streams of programs and no test frames.
func (d digest) ofStreams() bool {
	return len(d.Cells) > 0 && len(d.frameCells().Cells) == 0
}

// frameCells is the digest with its cells of test frames only.
func (d digest) frameCells() digest {
	var list []cell
	for _, c := range d.Cells {
		if c.Workload == "" {
			list = append(list, c)
		}
	}
	d.Cells = list
	return d
}

// listedStreams is how many streams are listed one by one; more are told by least and most.
const listedStreams = 8

// perStream are the streams' rates in the order of the program: "3.00 2.93".
func perStream(c cell) string {
	if len(c.Streams) == 0 {
		return "-"
	}
	rates := make([]float64, len(c.Streams))
	for i, s := range c.Streams {
		rates[i] = s.ReceiverL4BPS
	}
	if len(rates) > listedStreams {
		return fmt.Sprintf("%d from %s to %s", len(rates), gbit(slices.Min(rates)), gbit(slices.Max(rates)))
	}
	text := make([]string, len(rates))
	for i, r := range rates {
		text[i] = gbit(r)
	}
	return strings.Join(text, " ")
}

// streamCells are the cells in the order of the table: by what they have in common, and
// then as the plan has them.
func streamCells(d digest) []cell {
	var list []cell
	for _, c := range d.Cells {
		if c.Workload != "" {
			list = append(list, c)
		}
	}
	order := map[string]int{}
	for i, s := range d.Run.Plan.Scenarios {
		order[plan.Cell{Scenario: s.Name(), Backend: s.Backend()}.ScenarioID()] = i
	}
	slices.SortStableFunc(list, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.Workload, b.Workload), a.IPVersion-b.IPVersion, a.Flows-b.Flows,
			order[plan.Cell{Scenario: a.Scenario, Backend: a.Backend}.ScenarioID()]-order[plan.Cell{Scenario: b.Scenario, Backend: b.Backend}.ScenarioID()])
	})
	return list
}

// streamsSection is the table of all cells of streams.
func streamsSection(d digest) *section {
	cells := streamCells(d)
	if len(cells) == 0 {
		return nil
	}
	udp := slices.ContainsFunc(cells, func(c cell) bool { _, _, known := c.Datagrams(); return known })
	tcp := slices.ContainsFunc(cells, func(c cell) bool { _, known := c.Retransmits(); return known })
	base := slices.ContainsFunc(cells, func(c cell) bool { return c.BaseRatio > 0 })
	s := &section{Anchor: "streams", Heading: "Streams: payload that arrived, Gbit/s", Columns: []column{{"Streams", true}, {"Scenario", false}, {"Each", false}, {"Total", true}}}
	if udp {
		s.Columns = append(s.Columns, column{"Mpps", true}, column{"Lost", true})
	}
	if tcp {
		s.Columns = append(s.Columns, column{"Sent\nagain", true})
	}
	if base {
		s.Columns = append(s.Columns, column{"Ratio to\n" + string(d.Run.Plan.BaseScenario), true})
	}
	s.Columns = append(s.Columns, column{"Jain's\nindex", true})
	observed := slices.ContainsFunc(cells, func(c cell) bool { return c.Ends != nil || c.CPU != nil || c.DirectL4BPS > 0 })
	if observed { // not of imported outputs
		s.Columns = append(s.Columns, column{"Direct\nlink", true}, column{"DUT\ncores\nbusy", true}, column{"Client\ncores", true}, column{"Server\ncores", true})
	}
	s.Columns = append(s.Columns, column{"Verdict", false})
	label := ""
	for _, c := range cells {
		if l := streamsLabel(c); l != label {
			label = l
			s.Rows = append(s.Rows, []string{l})
		}
		s.Rows = append(s.Rows, streamRow(c, udp, tcp, base, observed))
	}
	s.Notes = streamNotes(d, cells, udp, observed)
	return s
}

// streamsLabel is what the rows below it have in common.
func streamsLabel(c cell) string {
	program, how, _ := strings.Cut(c.Workload, "-")
	protocol, way, _ := strings.Cut(how, "-")
	label := fmt.Sprintf("%s, %s over IPv%d", program, strings.ToUpper(protocol), c.IPVersion)
	switch way {
	case "reverse":
		return label + ", from B to A"
	case "bidir":
		return label + ", both ways at once"
	}
	return label + ", from A to B"
}

func streamRow(c cell, udp, tcp, base, observed bool) []string {
	row := []string{strconv.Itoa(c.Flows), c.Name}
	if !c.measured() {
		row = append(row, "-", "-")
	} else {
		row = append(row, perStream(c), gbit(c.TotalReceiverL4BPS))
	}
	if udp {
		pps, lost := "-", "-"
		if sent, missing, known := c.Datagrams(); known && c.measured() {
			pps, lost = Mpps(c.TotalReceiverPPS), "0 %"
			if sent > 0 {
				lost = Percent(float64(missing) / float64(sent))
			}
		}
		row = append(row, pps, lost)
	}
	if tcp {
		again := "-"
		if n, known := c.Retransmits(); known {
			again = Thousands(n)
		}
		row = append(row, again)
	}
	decimals := func(v float64, known bool) string {
		if !known {
			return "-"
		}
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	if base {
		row = append(row, decimals(c.BaseRatio, c.BaseRatio > 0))
	}
	row = append(row, decimals(c.JainIndex, c.JainIndex > 0))
	if !observed {
		return append(row, c.verdict())
	}
	direct := "-"
	if c.DirectL4BPS > 0 && c.Scenario != noDevice {
		direct = gbit(c.DirectL4BPS)
	}
	client, server := "-", "-"
	if e := c.Ends; e != nil {
		client, server = decimals(e.ClientCoresBusy, true), decimals(e.ServerCoresBusy, true)
	}
	return append(row, direct, c.coresBusy(), client, server, c.verdict())
}

// streamNotes explain the columns of the table.
func streamNotes(d digest, cells []cell, udp, observed bool) []string {
	notes := []string{"Gbit/s of payload (TCP or UDP, without any header) that the receiver took, not what the sender offered. Jain's index is 1 when all streams got the same."}
	if observed {
		notes = append(notes, "\"Direct link\" is the same streams without a device: a device that is no slower than that has not been measured, the two end hosts have.",
			"Client and server cores are the CPU time of the two programs; the kernel's work for them comes on top. A program that moves all its data in one thread cannot use more than one core.")
	}
	offloads := ""
	for _, c := range cells {
		if c.Ends != nil {
			offloads = c.Ends.Offloads
		}
	}
	switch offloads {
	case "on":
		notes = append(notes, "The end hosts' offloads were on (lab.end_offloads): TCP hands over segments of up to 64 kB, and one \"packet\" of the device stands for many on a wire.")
	case "off":
		notes = append(notes, "The end hosts' offloads for checksums and segmentation were off (lab.end_offloads): what leaves them is what would be on a wire. The device may still merge segments on arrival (GRO).")
	}
	if udp {
		notes = append(notes, "Mpps are datagrams that arrived. Lost is the share of the datagrams sent that did not arrive, wherever it was: in the device, or at a receiver that read too slowly.")
	}
	notes = append(notes, skippedNotes(d.Cells)...)

	return notes
}

// endBound tells whether the end hosts were the limit of a cell.
func endBound(c cell) bool {
	return c.Verdict == result.GeneratorBound || c.Verdict == result.ReceiverBound
}

// streamsHeadline answers what passes the device, and whether it was the device that was measured.
func streamsHeadline(d digest) []string {
	var device []cell
	ends := 0
	for _, c := range streamCells(d) {
		if c.measured() && c.Scenario != noDevice {
			device = append(device, c)
			if endBound(c) {
				ends++
			}
		}
	}
	if len(device) == 0 {
		for _, c := range streamCells(d) {
			if c.measured() {
				return []string{fmt.Sprintf("No device was measured: the two end hosts alone carry %s Gbit/s of payload with %s.", gbit(c.TotalReceiverL4BPS), c.Traffic)}
			}
		}
		return []string{nothingFound(d)}
	}
	best := slices.MaxFunc(device, func(a, b cell) int { return cmp.Compare(a.TotalReceiverL4BPS, b.TotalReceiverL4BPS) })
	worst := slices.MinFunc(device, func(a, b cell) int { return cmp.Compare(a.TotalReceiverL4BPS, b.TotalReceiverL4BPS) })
	sentences := []string{fmt.Sprintf("The most that passed is %s Gbit/s of payload: %s with %s.", gbit(best.TotalReceiverL4BPS), best.Name, best.Traffic)}
	if worst.ID != best.ID {
		sentences[0] = fmt.Sprintf("From %s to %s Gbit/s of payload passed: least with %s and %s, most with %s and %s.", gbit(worst.TotalReceiverL4BPS), gbit(best.TotalReceiverL4BPS), worst.Name, worst.Traffic, best.Name, best.Traffic)
	}
	switch {
	case ends == len(device):
		sentences = append(sentences, "The end hosts were the limit in every cell, not the device: these figures do not tell one device from another. "+firstReason(device, true))
	case ends > 0:
		sentences = append(sentences, fmt.Sprintf("In %d of %d cells the end hosts were the limit and not the device, so those figures are lower bounds. %s", ends, len(device), firstReason(device, true)))
	default:
		sentences = append(sentences, firstReason(device, false))
	}
	return sentences
}

func firstReason(cells []cell, ofEnds bool) string {
	for _, c := range cells {
		if endBound(c) == ofEnds && len(c.Evidence) > 0 {
			return sentence(c.Name + " with " + c.Traffic + ": " + c.Evidence[0])
		}
	}
	return ""
}

// streamsLine is a cell's measurement in a line.
func streamsLine(c result.Cell) string {
	if len(c.Streams) == 0 {
		return ""
	}
	parts := []string{fmt.Sprintf("%s Gbit/s of payload in all", gbit(c.TotalReceiverL4BPS))}
	if sent, lost, known := c.Datagrams(); known {
		parts = append(parts, fmt.Sprintf("%s Mpps, %s of %s datagrams lost", Mpps(c.TotalReceiverPPS), Thousands(lost), Thousands(sent)))
	}
	if n, known := c.Retransmits(); known {
		parts = append(parts, Thousands(n)+" segments sent again")
	}
	if rtt := meanRTT(c); rtt > 0 {
		parts = append(parts, "mean round trip "+timeNS(rtt))
	}
	if e := c.Ends; e != nil {
		parts = append(parts, fmt.Sprintf("client %.2f cores on CPU %s, server %.2f on CPU %s, %s", e.ClientCoresBusy, cpus(e.ClientCPUs), e.ServerCoresBusy, cpus(e.ServerCPUs), e.Program))
		if e.Congestion != "" {
			parts = append(parts, "congestion control "+e.Congestion)
		}
	}
	if n := len(c.Takes); n > 1 {
		var all []string
		for _, t := range c.Takes {
			text := gbit(t.TotalReceiverL4BPS)
			if t.Disturbed != "" {
				text += " (disturbed)"
			}
			all = append(all, text)
		}
		parts = append(parts, fmt.Sprintf("%d takes: %s", n, strings.Join(all, ", ")))
	}
	return strings.Join(parts, "; ") + "."
}

// StreamsLine is a cell of streams in a few words: "8.52 Gbit/s", and for datagrams "0.105 Mpps".
func StreamsLine(c result.Cell) string {
	text := gbit(c.TotalReceiverL4BPS) + " Gbit/s"
	if c.TotalReceiverPPS > 0 {
		text += ", " + Mpps(c.TotalReceiverPPS) + " Mpps"
	}
	return text
}

func meanRTT(c result.Cell) uint64 {
	sum, n := 0.0, 0.0
	for _, s := range c.Streams {
		if s.MeanRTTNS > 0 {
			sum, n = sum+s.MeanRTTNS, n+1
		}
	}
	if n == 0 {
		return 0
	}
	return uint64(sum / n)
}
