package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// rateNotes say what a rate in a guest is.
var rateNotes = []string{
	"A rate is the packets that arrived at the guest's sink in a second, where one CPU runs generator, DUT and sink one after the other for each packet, as fast as it can; each figure is the median of its rounds.",
	"In each round every kernel is booted anew, the first one twice, and each cell is measured in all of these guests one right after the other, in an order drawn by lot: what drifts on this machine is as often for a kernel as against it, and the first kernel beside itself shows the noise.",
}

// kernelRateSections are those of the forwarding rates.
func kernelRateSections(d digest) []section {
	rates := d.Run.KernelRates
	if rates == nil || rates.Accelerator.Used == "" {
		return nil
	}
	list := []section{rateSection(d)}
	if s := ratePairSection(d); s != nil {
		list = append(list, *s)
	}
	return list
}

// rateSection is the table of kernel by scenario by flows.
func rateSection(d digest) section {
	s := section{Anchor: "rates", Heading: "Forwarding rate",
		Columns: []column{{"Kernel", false}, {"Packets\nper second", true}, {"min to max\nof the rounds", true}, {"Rounds", true}, {"ns per\npacket", true}, {"of it the DUT\n(less sink only)", true}, {"beside the first", true}},
		Notes:   append(append([]string{}, rateNotes...), executedBy(d.Run.KernelRates.Accelerator))}
	for _, g := range kernelGroups(d.Run) {
		s.Rows = append(s.Rows, []string{g.label})
		for i, c := range g.cells {
			f := c.ForwardingRate
			if f == nil || f.MedianPPS == 0 {
				s.Rows = append(s.Rows, []string{"  " + c.Kernel, "-", "", "", "", "", ""})
				s.Notes = append(s.Notes, noRate(d.Run, g.label, c)...)
				continue
			}
			row := []string{"  " + c.Kernel, wholePPS(f.MedianPPS), wholePPS(f.MinPPS) + " to " + wholePPS(f.MaxPPS), strconv.Itoa(roundsOf(*f)), nsPerPacket(f.MedianPPS), "-", ""}
			if f.SinkOnlyPPS > 0 && c.Scenario != noDevice {
				row[5] = strconv.FormatFloat(1e9/f.MedianPPS-1e9/f.SinkOnlyPPS, 'f', 0, 64)
			}
			if i > 0 {
				row[6] = besideByRate(d.Run, g.cells[0], c)
			}
			s.Rows = append(s.Rows, row)
		}
	}
	s.Graph = kernelGraph(d.Run, kernelPlot{"rates-plot", "Packets per second, kernels in the order of the table", "packets per second",
		func(c result.Cell) (float64, bool) {
			return valueOf(c.ForwardingRate), c.ForwardingRate != nil && c.ForwardingRate.MedianPPS > 0
		}})
	return s
}

// noRate is why a cell has no rate, where nothing else says it.
func noRate(run *result.Run, label string, c result.Cell) []string {
	reason := ""
	switch f := c.ForwardingRate; {
	case f != nil && f.Failure != "":
		reason = f.Failure
	case f != nil:
		reason = "no packet arrived"
	case kernelFailed(run, c.Kernel): // that is said of the kernel
		return nil
	case !run.Plan.VM.Counts(): // else it is said beside the counts
		reason = c.Skipped
	}
	if reason == "" {
		return nil
	}
	return []string{sentence(c.Kernel + ", " + label + " has no rate: " + reason)}
}

func valueOf(f *result.ForwardingRate) float64 {
	if f == nil {
		return 0
	}
	return f.MedianPPS
}

func wholePPS(pps float64) string { return Thousands(uint64(math.Round(pps))) }

func nsPerPacket(pps float64) string { return strconv.FormatFloat(1e9/pps, 'f', 0, 64) }

func roundsOf(f result.ForwardingRate) int {
	n := 0
	for _, t := range f.Trials {
		if !t.Twin {
			n++
		}
	}
	return n
}

// executedBy says what executed the guests.
func executedBy(a result.Accelerator) string {
	switch a.Used {
	case "kvm":
		return "The guests were executed by KVM: " + a.Reason + "."
	case "tcg":
		return "The guests were executed by QEMU's translator (vm.accelerator=tcg), and these are the rates of an emulator: they compare kernels on it, and say nothing about a machine's. Of KVM here: " + a.Reason + "."
	}
	return "No rate was measured: " + a.Reason + "."
}

// besideByRate is the outcome of a pair in a few words.
func besideByRate(run *result.Run, a, b result.Cell) string {
	for _, p := range run.KernelRates.Pairs {
		if p.CellA == a.ID && p.CellB == b.ID {
			return rateWords(p)
		}
	}
	return ""
}

func rateWords(p result.KernelRatePair) string {
	change := fmt.Sprintf("%+.1f %%", 100*(p.EstimateRatio-1))
	switch stats.Verdict(p.Verdict) {
	case stats.Changed:
		return change
	case stats.Equivalent:
		return "equivalent"
	case stats.Inconclusive:
		return change + " ?"
	}
	return "unfinished"
}

// ratePairSection has a row for each pair in each cell, and says what was found.
func ratePairSection(d digest) *section {
	rates := d.Run.KernelRates
	if len(rates.Pairs) == 0 {
		return nil
	}
	s := &section{Anchor: "rate-pairs", Heading: "Each kernel's rate beside each other",
		Columns: []column{{"From\nto", false}, {"Cell", false}, {"Rate\nto/from", true}, {"95 % interval", true}, {"p", true}, {"Counts\nbeyond", true}, {"Verdict", false}, {"Bound", false}}}
	for _, p := range rates.Pairs {
		c := cellByID(d.Run, p.CellB)
		s.Rows = append(s.Rows, []string{p.A + "\n" + p.B, groupLabel(d.Run, c), ratio3(p.EstimateRatio), ratio3(p.IntervalLowRatio) + " to " + ratio3(p.IntervalHighRatio), pValue(p.PValue), "±" + Percent(p.MarginRatio), rateVerdict(p), string(p.Bound)})
	}
	s.Notes = append(s.Notes, fmt.Sprintf("\"changed\" is no chance (p below %s, adjusted by Holm over all rows) and beyond what counts, which is %s or the noise floor, whatever is more; \"equivalent\" is a difference within that; \"inconclusive\" says neither. The noise floor is what the median of as many rounds of one kernel beside itself stays below in 95 %%.",
		ratio3(rates.AlphaRatio), Percent(rates.LeastChangeRatio)))
	if disturbed, all := disturbedTrials(d.Run); disturbed > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d of %d measurements stayed disturbed although they were repeated: something else on this machine had the CPU. They count: nothing is left out for its value.", disturbed, all))
	}
	return s
}

func rateVerdict(p result.KernelRatePair) string {
	if p.Verdict == "" {
		return fmt.Sprintf("unfinished\n(%d rounds)", len(p.Pairs))
	}
	if p.PairsNeeded > 0 {
		return fmt.Sprintf("%s\n(%d rounds\nwould decide)", p.Verdict, p.PairsNeeded)
	}
	return p.Verdict
}

func disturbedTrials(run *result.Run) (disturbed, all int) {
	for _, c := range run.Cells {
		if c.ForwardingRate == nil {
			continue
		}
		for _, t := range c.ForwardingRate.Trials {
			all++
			if t.Disturbed != "" {
				disturbed++
			}
		}
	}
	return disturbed, all
}

func cellByID(run *result.Run, id string) result.Cell {
	if i := slices.IndexFunc(run.Cells, func(c result.Cell) bool { return c.ID == id }); i >= 0 {
		return run.Cells[i]
	}
	return result.Cell{ID: id, Scenario: id}
}

// rateHeadline answers which kernel forwards more.
func rateHeadline(d digest) []string {
	rates := d.Run.KernelRates
	if rates == nil {
		return nil
	}
	if rates.Accelerator.Used == "" {
		return []string{"No rate was measured: " + rates.Accelerator.Reason + "."}
	}
	var lines []string
	for _, p := range rates.Pairs {
		c := cellByID(d.Run, p.CellB)
		if c.Scenario == noDevice || p.A != d.Run.Kernels[0].Name {
			continue
		}
		lines = append(lines, rateSentence(groupLabel(d.Run, c), p))
	}
	if len(lines) == 0 {
		return []string{"No pair of kernels was measured with a DUT at a rate."}
	}
	return lines
}

// rateSentence is the outcome of one pair for somebody who has never heard of a p-value.
func rateSentence(label string, p result.KernelRatePair) string {
	change := fmt.Sprintf("%s %s", Percent(math.Abs(p.EstimateRatio-1)), moreOrFewer(p.EstimateRatio))
	text := ""
	switch stats.Verdict(p.Verdict) {
	case stats.Changed:
		text = fmt.Sprintf("In %s %s forwards %s packets a second than %s, which is no chance.", label, p.B, change, p.A)
	case stats.Equivalent:
		text = fmt.Sprintf("In %s the rates of %s and %s are equivalent: they differ by less than %s.", label, p.A, p.B, Percent(p.MarginRatio))
	case stats.Inconclusive:
		text = fmt.Sprintf("In %s nobody can tell whether the rates of %s and %s differ by more than %s.", label, p.A, p.B, Percent(p.MarginRatio))
	default:
		return fmt.Sprintf("The rates of %s and %s in %s were not compared to the end.", p.A, p.B, label)
	}
	if p.Bound == result.GeneratorBound {
		text += " It is generator-bound: " + p.BoundReason + "."
	}
	return text
}

func moreOrFewer(ratio float64) string {
	if ratio < 1 {
		return "fewer"
	}
	return "more"
}

// kernelRateCSV are the columns of a cell's rate, and what bounds it.
func kernelRateCSV(c result.Cell) []string {
	columns := []string{"", "", "", "", "", "", string(c.Verdict), ""}
	if v := c.InstructionsPerPacket; v != nil && v.EndHostShareRatio > 0 {
		columns[5] = csvNumber(v.EndHostShareRatio)
	}
	f := c.ForwardingRate
	if f == nil {
		return columns
	}
	if f.Failure != "" {
		columns[7] = notAFormula(f.Failure)
		return columns
	}
	columns[0], columns[1], columns[2], columns[3], columns[4] = csvNumber(f.MedianPPS), csvNumber(f.SinkOnlyPPS), csvNumber(f.MinPPS), csvNumber(f.MaxPPS), strconv.Itoa(roundsOf(*f))
	if f.EndHostShareRatio > 0 {
		columns[5] = csvNumber(f.EndHostShareRatio)
	}
	return columns
}
