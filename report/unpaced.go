package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/result"
)

// searched is the digest without the cells for which no load was searched: those of streams
// and those whose engine cannot be paced.
func (d digest) searched() digest {
	d = d.frameCells()
	d.Cells = slices.DeleteFunc(slices.Clone(d.Cells), func(c cell) bool { return c.Unpaced != nil })
	return d
}

// unpacedCells are those whose engine sent as fast as it goes.
func unpacedCells(d digest) []cell {
	return slices.DeleteFunc(slices.Clone(d.Cells), func(c cell) bool { return c.Unpaced == nil })
}

// unpacedRate is what arrived, as a lower bound where the device is not the limit, and "-"
// where that is not known.
func unpacedRate(c result.Cell) string {
	received, _, known := c.Unpaced.Arrival()
	switch {
	case !known:
		return "-"
	case unpacedOpen(c):
		return ">= " + Mpps(received)
	}
	return Mpps(received)
}

// unpacedOpen tells whether a device may carry more than arrived: next to nothing was lost, or
// something of the tester was the limit.
func unpacedOpen(c result.Cell) bool {
	if c.Direct() || !arrivalKnown(c) {
		return false
	}
	return c.Unpaced.CarriedAll() || c.Verdict == result.GeneratorBound || c.Verdict == result.ReceiverBound
}

// arrivalKnown tells whether anything is known but what was sent.
func arrivalKnown(c result.Cell) bool {
	_, _, known := c.Unpaced.Arrival()
	return known
}

func unpacedLoss(c result.Cell) string {
	_, loss, known := c.Unpaced.Arrival()
	if !known {
		return "-"
	}
	return Percent(loss)
}

// imported tells whether other programs measured the run.
func imported(run *result.Run) bool { return run.Testbed.Kind == "imported" }

// unpacedSection is the table of the cells whose engine cannot be paced.
func unpacedSection(d digest) *section {
	cells := unpacedCells(d)
	if len(cells) == 0 {
		return nil
	}
	s := &section{
		Anchor: "unpaced", Heading: "Sent and received at one load (none was searched for)",
		Columns: []column{{"Scenario", false}, {"Flows", true}, {"Dir", false}, {"Frame", true}, {"Engine", false}, {"Sent\nMpps", true}, {"Received\nMpps", true}, {"Lost", true}, {"DUT\ncores\nbusy", true}, {"ns\n/pkt", true}, {"Verdict", false}},
	}
	s.Notes = []string{"Mpps per direction, from the trial with the median of what arrived. No load was searched for, because the engine sends as fast as it goes or not at all: \"Received\" is the forwarding rate at the " +
		"maximum offered load (RFC 2285 section 3.6.2), with whatever loss, and not a throughput. \">=\" marks a lower bound: next to nothing was lost, or the tester took the CPU that the device needs, so the device may carry more. " +
		"\"ns/pkt\" is the DUT's CPU time for a packet that arrived; it includes the work for those that it dropped."}
	if imported(d.Run) {
		s.Notes = []string{"Mpps per direction, of the one load that the other program offered: what arrived is no throughput. \">=\" marks a lower bound: next to nothing was lost, so a higher load might have passed too. \"-\" is not known: a sender alone does not count what arrives."}
	}
	for _, c := range cells {
		u := c.Unpaced
		s.Rows = append(s.Rows, []string{c.Name, Thousands(uint64(c.Flows)), string(c.Directions), frameSize(c.FrameSize), c.Engine,
			Mpps(u.SentPPS), unpacedRate(c.Cell), unpacedLoss(c.Cell), c.coresBusy(), c.nsPerPacket(), c.verdict()})
	}
	return s
}

// unpacedHeadline answers for a run in which no load was searched; nil for any other.
func unpacedHeadline(d digest) []string {
	cells := unpacedCells(d)
	if len(cells) == 0 {
		return nil
	}
	c := slices.MinFunc(cells, func(a, b cell) int {
		plain := func(c cell) int {
			switch c.Scenario {
			case "route":
				return 0
			case noDevice:
				return 2
			}
			return 1
		}
		return cmp.Or(plain(a)-plain(b), a.Ways-b.Ways, cmp.Compare(a.MeanBytes, b.MeanBytes))
	})
	subject := c.Name + " with " + frames(c) + " in " + way(c.Directions)
	if c.Scenario == noDevice {
		subject = "Generator and sink alone, with no device between them and " + frames(c) + " in " + way(c.Directions) + ","
	}
	if imported(d.Run) {
		return importedHeadline(c, subject)
	}
	received, loss, _ := c.Unpaced.Arrival()
	text := fmt.Sprintf("%s: %s Mpps%s arrived of the %s Mpps that engine %s sent as fast as it goes (%s lost).",
		subject, Mpps(received), each(c), Mpps(c.Unpaced.SentPPS), c.Engine, Percent(loss))
	sentences := []string{text, "This is no throughput: the engine cannot be paced, so no load without loss was searched for."}
	if reason, ok := limits[c.Verdict]; ok && c.Scenario != noDevice && len(c.Evidence) > 1 {
		sentences = append(sentences, sentence(reason+": "+c.Evidence[1]))
	}
	if !c.Direct() && c.Unpaced.CarriedAll() {
		sentences[1] = "The device may carry more: it passed all that the engine can send, and the engine cannot be paced, so no other load was tried."
	}
	return sentences
}

// importedHeadline is what another program saw at one load.
func importedHeadline(c cell, subject string) []string {
	u := c.Unpaced
	received, loss, known := u.Arrival()
	if !known {
		return []string{fmt.Sprintf("%s: %s sent %s Mpps%s; what arrived of it is not known.", subject, c.Engine, Mpps(u.SentPPS), each(c)), "Another program measured it: what bounded the figure is not known."}
	}
	return []string{fmt.Sprintf("%s: %s Mpps%s arrived of the %s Mpps that %s sent (%s lost).", subject, Mpps(received), each(c), Mpps(u.SentPPS), c.Engine, Percent(loss)),
		"Another program measured it, at one load: this is no throughput, and what bounded it is not known."}
}

// UnpacedLine is the outcome of one load in a few words: "0.612 Mpps of 0.900 sent by testpmd".
func UnpacedLine(c result.Cell) string {
	if !arrivalKnown(c) {
		return fmt.Sprintf("%s Mpps sent by %s, arrivals not known", Mpps(c.Unpaced.SentPPS), c.Engine)
	}
	return fmt.Sprintf("%s Mpps of %s sent by %s", unpacedRate(c), Mpps(c.Unpaced.SentPPS), c.Engine)
}

// unpacedFigure is what arrived, as a figure: of no goal, and a lower bound where the device may carry more.
func unpacedFigure(c result.Cell) Figure {
	u := c.Unpaced
	received, loss, known := u.Arrival()
	g := result.Goal{Name: "received", LossRatio: loss, TrialDurationS: u.TrialDurationS, Trials: u.Trials, TrialSeconds: float64(u.Trials) * u.TrialDurationS}
	f := Figure{Goal: g, Relation: Exact, Verdict: c.Verdict, PerDirectionPPS: received, TotalPPS: received * float64(directions(c.Directions)),
		Note: fmt.Sprintf("not a throughput: what arrived of %s Mpps sent, the only load", Mpps(u.SentPPS))}
	f.PerDirL1BPS, f.TotalL1BPS = frame.L1BPS(f.PerDirectionPPS, meanBytes(c)), frame.L1BPS(f.TotalPPS, meanBytes(c))
	switch {
	case !known:
		f.Relation = Absent
	case unpacedOpen(c):
		f.Relation = AtLeast
	}
	return f
}

// csvUnpaced is the row of such a cell: its goal is "received", its loss ratio what was lost.
func csvUnpaced(run *result.Run, c cell) []string {
	row := csvCell(run, c)
	csvFigure(row, c, unpacedFigure(c.Cell))
	row["regular"], row["duration_sum_s"] = "", ""
	row["sent_pps_per_direction"] = csvNumber(c.Unpaced.SentPPS)
	return csvCells(row)
}

// comparedUnpaced are what arrived on both sides; the ratio is given where neither is a
// lower bound.
func comparedUnpaced(c cellPair) []comparedFigure {
	a, b := c.A.Unpaced, c.B.Unpaced
	if a == nil || b == nil || c.A.Engine != c.B.Engine {
		return nil
	}
	row := comparedFigure{"received", unpacedRate(c.A.Cell), unpacedRate(c.B.Cell), "-"}
	receivedA, _, _ := a.Arrival()
	receivedB, _, _ := b.Arrival()
	if receivedA > 0 && receivedB > 0 && !unpacedOpen(c.A.Cell) && !unpacedOpen(c.B.Cell) {
		row.ratio = ratio(receivedA, receivedB)
	}
	return []comparedFigure{row,
		{"sent", Mpps(a.SentPPS), Mpps(b.SentPPS), ratio(a.SentPPS, b.SentPPS)},
		{"lost", unpacedLoss(c.A.Cell), unpacedLoss(c.B.Cell), "-"}}
}

// addUnpaced adds what arrived, if it is of the same engine, was not disturbed, and is a figure
// of the device and not of the tester.
func (s *sideFigures) addUnpaced(c cell) {
	if c.Unpaced == nil || c.Disturbed() || c.Engine != s.cell.Engine || unpacedOpen(c.Cell) {
		s.others++
		return
	}
	received, _, _ := c.Unpaced.Arrival()
	if received == 0 {
		s.others++
		return
	}
	s.exact = append(s.exact, received)
}
