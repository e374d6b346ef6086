package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/linerate/linerate/result"
)

// functionsShown are the functions of each kernel and scenario that a report lists; all are in run.json.
const functionsShown = 8

// attributionSections say where the instructions go, and where those go that one kernel has more than another.
func attributionSections(d digest) []section {
	s := attributionSection(d)
	if s == nil {
		return nil
	}
	s.Flames = kernelFlames(d)
	list := []section{*s}
	if changes := functionChangeSection(d); changes != nil {
		list = append(list, *changes)
	}
	return list
}

// attributionSection has a row for each part of the kernel and a column for each kernel.
func attributionSection(d digest) *section {
	s := &section{Anchor: "attribution", Heading: "Where the instructions go", Columns: []column{{"Part of the kernel", false}}}
	for _, k := range d.Run.Kernels {
		s.Columns = append(s.Columns, column{k.Name, true})
	}
	file := ""
	methods := map[string]int{}
	for _, g := range kernelGroups(d.Run) {
		var rows [][]string
		for _, name := range attributedNames(g.cells) {
			rows = append(rows, attributedRow(d.Run, g.cells, "  "+name, func(c result.Cell) string { return attributedText(c, name) }))
		}
		if len(rows) == 0 {
			continue
		}
		s.Rows = append(append(s.Rows, []string{g.label}), append(rows, checkRows(d.Run, g.cells)...)...)
		for _, c := range g.cells {
			if c.Attribution == nil {
				continue
			}
			file = c.Attribution.File
			methods[c.Attribution.Method] = c.Attribution.Packets
			s.Notes = append(s.Notes, mostIn(c, g.label))
			for _, w := range c.Warnings {
				s.Notes = append(s.Notes, sentence(c.Kernel+", "+g.label+": "+w.Text))
			}
		}
	}
	if len(s.Rows) == 0 {
		return nil
	}
	var notes []string
	if n := methods[result.ByPlugin]; n > 0 {
		notes = append(notes, "Instructions per packet. A plugin of the emulator counted each that was executed, in one boot more, in two windows of which one has "+Thousands(uint64(n))+" packets more than the other: their difference is no estimate. In brackets is the DUT's share, less \"sink only\". The sum of all functions stands beside what the clock of a guest without the plugin measured with the same seed; timers that run now and then are in both, by chance a little more in one.")
	}
	if methods[result.BySampling]+methods[""] > 0 {
		notes = append(notes, "Instructions per packet, with half of the 95 % interval behind ±. They are an estimate: the counts above are exact, these come from samples of the CPU in one boot, and only a difference beyond both intervals is one. Code that runs with interrupts off is counted where it switches them on again.")
	}
	notes = append(notes, "All functions are in run.json, and profiles in the folder profiles: `go tool pprof -http=: "+file+"` in the run's folder draws them as a flame graph, with -diff_base OTHER against another kernel's.")
	s.Notes = append(notes, s.Notes...)
	return s
}

// attributedRow has what text says of each kernel's cell.
func attributedRow(run *result.Run, cells []result.Cell, label string, text func(result.Cell) string) []string {
	row := []string{label}
	for _, k := range run.Kernels {
		i := slices.IndexFunc(cells, func(c result.Cell) bool { return c.Kernel == k.Name && c.Attribution != nil })
		if i < 0 {
			row = append(row, "-")
			continue
		}
		row = append(row, text(cells[i]))
	}
	return row
}

// checkRows hold the sum to the guest's clock, if any of the cells was counted.
func checkRows(run *result.Run, cells []result.Cell) [][]string {
	row := func(label string, text func(c result.AttributionCheck) string) []string {
		return attributedRow(run, cells, label, func(c result.Cell) string {
			if c.Attribution.Check == nil {
				return "-"
			}
			return text(*c.Attribution.Check)
		})
	}
	if !slices.ContainsFunc(cells, func(c result.Cell) bool { return c.Attribution != nil && c.Attribution.Check != nil }) {
		return nil
	}
	return [][]string{
		row("  sum of all functions", func(c result.AttributionCheck) string { return instructions(c.SumInstructions) }),
		row("  measured without the plugin", func(c result.AttributionCheck) string { return instructions(c.MeasuredInstructions) }),
		row("  difference", func(c result.AttributionCheck) string { return fmt.Sprintf("%+.2f %%", 100*c.DifferenceRatio) }),
	}
}

// mostIn names the greatest functions of a cell.
func mostIn(c result.Cell, label string) string {
	text := fmt.Sprintf("%s, %s, most in:", c.Kernel, label)
	for i, f := range c.Attribution.Functions[:min(functionsShown, len(c.Attribution.Functions))] {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s %.0f", f.Name, f.InstructionsPerPacket)
	}
	return text + "."
}

// attributedNames are the parts of the kernel that any of the cells has, the greatest of the first first.
func attributedNames(cells []result.Cell) []string {
	most := map[string]float64{}
	var names []string
	for _, c := range cells {
		if c.Attribution == nil {
			continue
		}
		for _, p := range c.Attribution.Subsystems {
			if _, known := most[p.Name]; !known {
				names = append(names, p.Name)
			}
			most[p.Name] = max(most[p.Name], p.InstructionsPerPacket)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(most[b], most[a]), cmp.Compare(a, b)) })
	return slices.DeleteFunc(names, func(name string) bool { return most[name] < leastShown })
}

// leastShown is the least count that is not 0 with one decimal.
const leastShown = 0.05

// attributedText is a part's count in a cell.
func attributedText(c result.Cell, name string) string {
	for _, p := range c.Attribution.Subsystems {
		if p.Name != name {
			continue
		}
		if c.Attribution.Method != result.ByPlugin {
			return fmt.Sprintf("%.0f ±%.0f", p.InstructionsPerPacket, (p.HighInstructions-p.LowInstructions)/2)
		}
		text := signedInstructions(p.InstructionsPerPacket)
		if c.InstructionsPerPacket != nil && c.InstructionsPerPacket.SinkOnly > 0 && c.Scenario != noDevice {
			text += " (" + signedInstructions(p.DUTInstructions()) + ")"
		}
		return text
	}
	return "-"
}

// signedInstructions is a count that may be below zero: of timers, or of what only sink only does.
func signedInstructions(v float64) string {
	switch {
	case v <= -leastShown:
		return "-" + instructions(-v)
	case v < leastShown:
		return "0"
	}
	return instructions(v)
}
