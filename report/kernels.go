package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// countNotes say what an instruction count is worth.
var countNotes = []string{
	"An instruction count is the length of the code that a kernel runs for a packet: generator, devices, DUT and sink on one CPU, down to the last instruction, the same on every machine and at any load of it.",
	"It finds what a change of the kernel, its configuration or its rules adds to the path of a packet, and a difference of a part in a thousand is none of chance.",
	countsAreNoRates,
}

const countsAreNoRates = "It says nothing about cache misses, memory bandwidth, locks between CPUs or the coalescing of interrupts: of two kernels with equal counts one can still be faster, and 1 % more instructions are not 1 % fewer packets per second."

// ofKernels tells whether the run compared kernels.
func ofKernels(run *result.Run) bool { return len(run.Kernels) > 0 }

// kernelSections are the sections of a run of kernels, in place of all others.
func kernelSections(d digest) []section {
	if tuned(d.Run) {
		return append(tuningSections(d), bootSection(d))
	}
	var list []section
	if d.Run.Plan.VM.Counts() {
		list = append(list, countSection(d))
	}
	if s := kernelPairSection(d); s != nil {
		list = append(list, *s)
	}
	list = append(list, kernelRateSections(d)...)
	if s := kernelBoundSection(d); s != nil {
		list = append(list, *s)
	}
	list = append(list, attributionSections(d)...)
	return append(list, bootSection(d))
}

// kernelGroup is a scenario with its traffic: one cell of each kernel.
type kernelGroup struct {
	label string
	cells []result.Cell
}

func kernelGroups(run *result.Run) []kernelGroup {
	var groups []kernelGroup
	for _, c := range run.Cells {
		plain := c
		plain.Variant = ""
		label := cellName(plain, false) + ", " + flows(c.Flows)
		if len(run.Plan.Traffic.FrameSizes) > 1 {
			label += ", " + frameSize(c.FrameSize)
		}
		i := slices.IndexFunc(groups, func(g kernelGroup) bool { return g.label == label })
		if i < 0 {
			i = len(groups)
			groups = append(groups, kernelGroup{label: label})
		}
		groups[i].cells = append(groups[i].cells, c)
	}
	return groups
}

// countSection is the table of kernel by scenario by flows.
func countSection(d digest) section {
	s := section{Anchor: "instructions", Heading: "Instructions per packet",
		Columns: []column{{"Kernel", false}, {"Instructions\nper packet", true}, {"min to max\nof the boots", true}, {"Boots", true}, {"of it the DUT\n(less sink only)", true}, {"beside the first", true}, {"beside the one before", true}},
		Notes: append([]string{
			"Each figure is the median of its boots; \"sink only\" is the same kernel with one device between generator and sink and no DUT, the scenario none.",
		}, countNotes...)}
	for _, g := range kernelGroups(d.Run) {
		s.Rows = append(s.Rows, []string{g.label})
		for i, c := range g.cells {
			v := c.InstructionsPerPacket
			if v == nil {
				s.Rows = append(s.Rows, []string{"  " + c.Kernel, "-", "", "", "", "", ""})
				if !kernelFailed(d.Run, c.Kernel) { // that is said of the kernel
					s.Notes = append(s.Notes, sentence(c.Kernel+", "+g.label+" was not measured: "+c.Skipped))
				}
				continue
			}
			share := "-"
			if v.SinkOnly > 0 && c.Scenario != noDevice {
				share = instructions(v.Value - v.SinkOnly)
			}
			row := []string{"  " + c.Kernel, instructions(v.Value), span(*v), strconv.Itoa(v.Boots), share, "", ""}
			if i > 0 {
				row[5] = besideKernel(d.Run, g.cells[0], c)
				row[6] = besideKernel(d.Run, g.cells[i-1], c)
			}
			s.Rows = append(s.Rows, row)
		}
	}
	s.Graph = countGraph(d.Run)
	return s
}

// kernelFailed tells whether nothing more was measured of a kernel.
func kernelFailed(run *result.Run, name string) bool {
	return slices.ContainsFunc(run.Kernels, func(k result.Kernel) bool { return k.Name == name && k.Error != "" })
}

// instructions prints a count with one decimal: the last is a part in ten thousand of a packet's.
func instructions(v float64) string {
	tenths := uint64(math.Round(10 * v))
	return fmt.Sprintf("%s.%d", Thousands(tenths/10), tenths%10)
}

func span(v result.InstructionsPerPacket) string {
	if v.Boots < 2 {
		return ""
	}
	return instructions(v.Min) + " to " + instructions(v.Max)
}

// besideKernel is the outcome of a pair in a few words.
func besideKernel(run *result.Run, a, b result.Cell) string {
	for _, p := range run.KernelPairs {
		if p.CellA == a.ID && p.CellB == b.ID {
			return pairWords(p, true)
		}
	}
	return ""
}

func pairWords(p result.KernelPair, counts bool) string {
	change := fmt.Sprintf("%+.2f %%", 100*p.ChangeRatio)
	if counts {
		change = fmt.Sprintf("%+.1f (%s)", p.ChangeInstructions, change)
	}
	switch stats.Verdict(p.Verdict) {
	case stats.Equivalent:
		return "equivalent"
	case stats.Inconclusive:
		return change + " ?"
	}
	return change
}

// countGraph draws the counts.
func countGraph(run *result.Run) *graph {
	return kernelGraph(run, kernelPlot{"instructions-plot", "Instructions per packet, kernels in the order of the table", "instructions per packet",
		func(c result.Cell) (float64, bool) {
			if c.InstructionsPerPacket == nil {
				return 0, false
			}
			return c.InstructionsPerPacket.Value, true
		}})
}

// kernelPairSection has a row for each pair of kernels and a column for each scenario.
func kernelPairSection(d digest) *section {
	if len(d.Run.KernelPairs) == 0 {
		return nil
	}
	groups := kernelGroups(d.Run)
	s := &section{Anchor: "pairs", Heading: "Each kernel beside each other", Columns: []column{{"From", false}, {"to", false}},
		Notes: []string{
			fmt.Sprintf("A signed share is a change: more than %s, and every boot of one kernel beyond every boot of the other. \"=\" is equivalent: a change within that. \"?\" behind a share is inconclusive: the boots overlap, and more seeds (vm.seeds) would decide.", Percent(float64(d.Run.Plan.VM.Margin))),
		}}
	for _, g := range groups {
		s.Columns = append(s.Columns, column{strings.Replace(g.label, ", ", "\n", 1), true})
	}
	for i, a := range d.Run.Kernels {
		for _, b := range d.Run.Kernels[i+1:] {
			row := []string{a.Name, b.Name}
			found := false
			for _, g := range groups {
				text := "-"
				for _, p := range d.Run.KernelPairs {
					if p.A == a.Name && p.B == b.Name && slices.ContainsFunc(g.cells, func(c result.Cell) bool { return c.ID == p.CellB }) {
						text, found = strings.Replace(pairWords(p, false), "equivalent", "=", 1), true
					}
				}
				row = append(row, text)
			}
			if found {
				s.Rows = append(s.Rows, row)
			}
		}
	}
	return s
}

// bootSection is what was booted, and how.
func bootSection(d digest) section {
	s := section{Anchor: "kernels", Heading: "Kernels", Columns: []column{{"#", true}, {"Kernel", false}, {"Boots", true}, {"s per boot", true}, {"Version", false}}}
	for i, k := range d.Run.Kernels {
		wall := 0.0
		for _, b := range k.Boots {
			wall += b.WallS
		}
		each := "-"
		if len(k.Boots) > 0 {
			each = fmt.Sprintf("%.1f", wall/float64(len(k.Boots)))
		}
		s.Rows = append(s.Rows, []string{strconv.Itoa(i + 1), k.Name, strconv.Itoa(len(k.Boots)), each, k.Version})
		if k.Error != "" {
			s.Notes = append(s.Notes, sentence(k.Name+" was not measured: "+k.Error))
			continue
		}
		s.Notes = append(s.Notes, sentence(fmt.Sprintf("%s: %s; modules %s", k.Name, k.Source, strings.Join(k.Modules, ", "))))
	}
	for _, w := range d.Run.Warnings {
		s.Notes = append(s.Notes, sentence(w.Text))
	}
	if k := slices.IndexFunc(d.Run.Kernels, func(k result.Kernel) bool { return len(k.QEMU) > 0 }); k >= 0 {
		s.Notes = append(s.Notes, "The emulator's command of "+d.Run.Kernels[k].Name+": "+commandLine(d.Run.Kernels[k].QEMU))
	}
	return s
}

// kernelHeadline answers which kernel costs more, for routing or for what comes first.
func kernelHeadline(d digest) []string {
	if tuned(d.Run) {
		return tuningHeadline(d)
	}
	if !d.Run.Plan.VM.Counts() {
		return rateHeadline(d)
	}
	return append(countHeadline(d), rateHeadline(d)...)
}

// countHeadline answers which kernel costs more instructions.
func countHeadline(d digest) []string {
	var group *kernelGroup
	for _, g := range kernelGroups(d.Run) {
		better := group == nil || g.cells[0].Scenario == "route" && group.cells[0].Scenario != "route" || g.cells[0].Scenario == group.cells[0].Scenario && g.cells[0].Flows > group.cells[0].Flows
		if g.cells[0].Scenario != noDevice && better && slices.ContainsFunc(g.cells, func(c result.Cell) bool { return c.InstructionsPerPacket != nil }) {
			group = &g
		}
	}
	if group == nil {
		return []string{"No kernel was measured with a DUT."}
	}
	measured := slices.DeleteFunc(slices.Clone(group.cells), func(c result.Cell) bool { return c.InstructionsPerPacket == nil })
	if len(measured) == 1 {
		return []string{fmt.Sprintf("%s: %s instructions per packet in %s.", measured[0].Kernel, instructions(measured[0].InstructionsPerPacket.Value), group.label)}
	}
	byCost := func(a, b result.Cell) int {
		return cmp.Compare(a.InstructionsPerPacket.Value, b.InstructionsPerPacket.Value)
	}
	least, most := slices.MinFunc(measured, byCost), slices.MaxFunc(measured, byCost)
	changed := 0
	for _, p := range d.Run.KernelPairs {
		if stats.Verdict(p.Verdict) == stats.Changed && slices.ContainsFunc(measured, func(c result.Cell) bool { return c.ID == p.CellB }) {
			changed++
		}
	}
	if changed == 0 {
		return []string{fmt.Sprintf("In %s no kernel differs from another by more than %s: %s to %s instructions per packet.", group.label,
			Percent(float64(d.Run.Plan.VM.Margin)), instructions(least.InstructionsPerPacket.Value), instructions(most.InstructionsPerPacket.Value))}
	}
	l, m := least.InstructionsPerPacket.Value, most.InstructionsPerPacket.Value
	return []string{fmt.Sprintf("In %s a packet costs %s instructions under %s, the least, and %s under %s, %s more.", group.label, instructions(l), least.Kernel, instructions(m), most.Kernel, Percent(m/l-1))}
}

var kernelCSVHeadings = []string{"run_id", "kernel", "cell", "scenario", "backend", "frame_size_bytes", "flows",
	"instructions_per_packet", "sink_only_instructions", "min_instructions", "max_instructions", "boots", "skipped",
	"forwarding_rate_pps", "sink_only_pps", "min_pps", "max_pps", "rounds", "end_host_share_ratio", "verdict"}

// kernelCSV writes one row for each cell.
func kernelCSV(w io.Writer, run *result.Run) error {
	out := csv.NewWriter(w)
	out.Write(kernelCSVHeadings)
	for _, c := range run.Cells {
		row := []string{run.ID, c.Kernel, c.ID, c.Scenario, c.Backend, csvFrameSize(c.FrameSize), strconv.Itoa(c.Flows), "", "", "", "", "", notAFormula(c.Skipped)}
		if v := c.InstructionsPerPacket; v != nil {
			row[7], row[8], row[9], row[10], row[11] = csvNumber(v.Value), csvNumber(v.SinkOnly), csvNumber(v.Min), csvNumber(v.Max), strconv.Itoa(v.Boots)
		}
		row = append(row, kernelRateCSV(c)...)
		out.Write(row)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("writing the CSV report: %w", err)
	}
	return nil
}
