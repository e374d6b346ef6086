package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/linerate/linerate/result"
)

// costColumns are the cells in one table: more do not fit into a terminal.
const costColumns = 4

// costSections say where the CPU time goes: a row for each part of the kernel, a column for each cell.
func costSections(d digest) []section {
	var cells []cell
	for _, c := range d.Cells {
		if c.Cost != nil {
			cells = append(cells, c)
		}
	}
	var list []section
	for part := range slices.Chunk(cells, costColumns) {
		s := section{Anchor: "cost", Heading: "Where the CPU time of a packet goes"}
		if len(list) > 0 {
			s.Anchor, s.Heading = fmt.Sprintf("cost-%d", len(list)+1), s.Heading+", further cells"
		}
		s.Columns, s.Rows = costTable(part)
		s.Flames = costFlames(part, cells[0], s.Anchor)
		for _, c := range part {
			s.Notes = append(s.Notes, costNotes(c)...)
		}
		list = append(list, s)
	}
	if len(list) > 0 {
		list[0].Lead = []string{"CPU time of the DUT per packet that it delivered, in nanoseconds, by part of the kernel: samples of the DUT's CPUs, taken by a timer in a trial of its own, each counted for the function that ran, without what it called. ± is half of the 95 % interval. The sum is of the samples alone; the line below it is the same time measured otherwise, at each switch from one thread to another, and the two should agree."}
	}
	return list
}

// costTable has the parts by falling cost, then the sum beside what it should be.
func costTable(cells []cell) ([]column, [][]string) {
	columns := []column{{"Part of the kernel", false}}
	most := map[string]float64{}
	var names []string
	for _, c := range cells {
		columns = append(columns, column{cellLines(c), true})
		for _, p := range c.Cost.Subsystems {
			if _, known := most[p.Name]; !known {
				names = append(names, p.Name)
			}
			most[p.Name] = max(most[p.Name], p.NSPerPacket)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(most[b], most[a]), cmp.Compare(a, b)) })
	var rows [][]string
	add := func(name string, text func(*result.Cost) string) {
		row := []string{name}
		for _, c := range cells {
			row = append(row, text(c.Cost))
		}
		rows = append(rows, row)
	}
	for _, name := range names {
		add(name, func(c *result.Cost) string { return subsystemText(c, name) })
	}
	add("sum of the samples", func(c *result.Cost) string {
		return intervalText(c.SampledNSPerPacket, c.LowNSPerPacket, c.HighNSPerPacket)
	})
	add("CPU time by switches", func(c *result.Cost) string { return knownText(c.BusyNSPerPacket, nsText) })
	add("difference", func(c *result.Cost) string {
		return knownText(c.BusyNSPerPacket, func(float64) string { return signedPercent(c.DifferenceRatio) })
	})
	add("in the search, unsampled", func(c *result.Cost) string { return knownText(c.SearchNSPerPacket, nsText) })
	return columns, rows
}

func subsystemText(c *result.Cost, name string) string {
	for _, p := range c.Subsystems {
		if p.Name == name {
			return intervalText(p.NSPerPacket, p.LowNSPerPacket, p.HighNSPerPacket) + shareText(p.NSPerPacket/c.SampledNSPerPacket)
		}
	}
	return "-"
}

// shareText is as wide for one digit as for two, so that what stands before it is aligned.
func shareText(share float64) string { return fmt.Sprintf("%8s", fmt.Sprintf("(%.0f %%)", 100*share)) }

func intervalText(value, low, high float64) string {
	return nsText(value) + " ±" + nsText((high-low)/2)
}

// nsText has a tenth of a nanosecond below 100.
func nsText(ns float64) string {
	if math.Abs(ns) < 99.95 {
		return strconv.FormatFloat(ns, 'f', 1, 64)
	}
	return strconv.FormatFloat(ns, 'f', 0, 64)
}

// knownText is "-" for a value that was not measured.
func knownText(value float64, text func(float64) string) string {
	if value == 0 {
		return "-"
	}
	return text(value)
}

func signedPercent(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*ratio) }

// costNotes are the greatest functions of a cell and who else had the DUT's CPUs.
func costNotes(c cell) []string {
	k := c.Cost
	text := c.Label + ", most in:"
	for i, f := range k.Functions[:min(functionsShown, len(k.Functions))] {
		if i > 0 {
			text += ","
		}
		text += " " + f.Name + " " + nsText(f.NSPerPacket)
	}
	notes := []string{text + " ns."}
	at := "the load of the plan"
	if k.Goal != "" {
		at = "the lower bound of " + k.Goal
	}
	text = fmt.Sprintf("%s: %s packets in %s at %s Mpps each way (%s), %s samples at %s Hz. The DUT had %s of its CPUs' time", c.Label, Thousands(k.Packets),
		seconds(k.DurationS), Mpps(k.LoadPPS), at, Thousands(uint64(k.Samples)), Thousands(uint64(k.FrequencyHz)), Percent(float64(k.DUTSamples)/float64(max(1, k.Samples))))
	for _, o := range k.Others {
		text += fmt.Sprintf(", %s %s", o.Name, Percent(o.Share))
	}
	text += "."
	if missing := 1 - float64(k.Samples)/float64(max(1, k.ExpectedSamples)); missing > 0.02 {
		text += fmt.Sprintf(" %s of the samples that the frequency gives are missing: the machine's CPU was taken away, or interrupts were off.", Percent(missing))
	}
	if k.DifferenceRatio > result.CostToleranceRatio {
		text += " The samples add up to more than the CPU time: those that were due while the CPU slept came late, when a packet had woken it, and stand mostly in finish_task_switch, among scheduler and timers. Nearer to the throughput it sleeps less."
	}
	if k.LostSamples > 0 {
		text += fmt.Sprintf(" %s samples were lost.", Thousands(uint64(k.LostSamples)))
	}
	if k.ThrottledTimes > 0 {
		text += fmt.Sprintf(" The kernel left out samples %s, each time until its next tick, because it took them for too many: they are among the missing ones.", counted(k.ThrottledTimes, "time"))
	}
	if k.Disturbed != "" {
		text += " The trial was disturbed, also when it was made again: " + k.Disturbed + "."
	}
	notes = append(notes, text)
	if slices.ContainsFunc(k.Subsystems, func(p result.CostPart) bool { return p.Name == "user space" }) {
		notes = append(notes, c.Label+": what the DUT's processes do in user mode is one entry for each process. One that polls is always busy, so that its waiting is in the figure.")
	}
	return append(notes, "`go tool pprof -http=: "+k.File+"` in the run's folder shows the call chains.")
}
