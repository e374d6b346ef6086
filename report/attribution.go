package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/linerate/linerate/result"
)

// functionsShown are the functions of each kernel and scenario that a report lists; all are in run.json.
const functionsShown = 8

// attributionSection says where the instructions go: a row for each part of the kernel, a column for each kernel.
func attributionSection(d digest) *section {
	s := &section{Anchor: "attribution", Heading: "Where the instructions go", Columns: []column{{"Part of the kernel", false}}}
	for _, k := range d.Run.Kernels {
		s.Columns = append(s.Columns, column{k.Name, true})
	}
	file := ""
	for _, g := range kernelGroups(d.Run) {
		var rows [][]string
		for _, name := range attributedNames(g.cells) {
			row := []string{"  " + name}
			for _, k := range d.Run.Kernels {
				row = append(row, attributedText(g.cells, k.Name, name))
			}
			rows = append(rows, row)
		}
		if len(rows) > 0 {
			s.Rows = append(append(s.Rows, []string{g.label}), rows...)
		}
		for _, c := range g.cells {
			if c.Attribution == nil {
				continue
			}
			file = c.Attribution.File
			text := fmt.Sprintf("%s, %s, most in:", c.Kernel, g.label)
			for i, f := range c.Attribution.Functions[:min(functionsShown, len(c.Attribution.Functions))] {
				if i > 0 {
					text += ","
				}
				text += fmt.Sprintf(" %s %.0f", f.Name, f.InstructionsPerPacket)
			}
			s.Notes = append(s.Notes, text+".")
		}
	}
	if len(s.Rows) == 0 {
		return nil
	}
	s.Notes = append([]string{
		"Instructions per packet, with half of the 95 % interval behind ±. They are an estimate: the counts above are exact, these come from samples of the CPU in one boot, and only a difference beyond both intervals is one. Code that runs with interrupts off is counted where it switches them on again.",
		"All functions are in run.json, and the call chains in the folder profiles: `go tool pprof -http=: " + file + "` in the run's folder draws them as a flame graph, with -diff_base OTHER against another kernel's.",
	}, s.Notes...)
	return s
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
	return names
}

// attributedText is a part's count under one kernel.
func attributedText(cells []result.Cell, kernel, name string) string {
	for _, c := range cells {
		if c.Kernel != kernel || c.Attribution == nil {
			continue
		}
		for _, p := range c.Attribution.Subsystems {
			if p.Name == name {
				return fmt.Sprintf("%.0f ±%.0f", p.InstructionsPerPacket, (p.HighInstructions-p.LowInstructions)/2)
			}
		}
	}
	return "-"
}
