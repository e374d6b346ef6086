package report

import (
	"fmt"
	"io"
	"strconv"

	"charm.land/lipgloss/v2"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// CompareOptions are what the caller of Compare chooses.
type CompareOptions struct {
	// Colour adds ANSI colours and bold type.
	Colour bool
	// WidthColumns is where sentences are broken; 0 stands for 100.
	WidthColumns int
}

// Compare writes the runs of side a beside those of side b: their cells matched by ID,
// then what differs between the machines of the first run of each. Of several runs on
// both sides each cell is judged; of one run each nothing can be, and Compare says so.
func Compare(w io.Writer, a, b []StoredRun, opts CompareOptions) ([]CellVerdict, error) {
	if len(a) == 0 || len(b) == 0 {
		return nil, fmt.Errorf("comparing: side A has %d runs and B %d: each needs one at least", len(a), len(b))
	}
	if opts.WidthColumns <= 0 {
		opts.WidthColumns = defaultWidthColumns
	}
	p := &page{width: opts.WidthColumns, paint: paint{opts.Colour}}
	p.line("%s", p.bold("linerate: A beside B"))
	for _, side := range []struct {
		name string
		runs []StoredRun
	}{{"A", a}, {"B", b}} {
		for _, r := range side.runs {
			p.line("%s  %s  %s", side.name, title(r.Run), p.dim(runLine(r.Run)))
		}
	}
	var verdicts []CellVerdict
	if len(a) > 1 && len(b) > 1 {
		verdicts = p.compareSides(a, b)
		p.differences(a[0].Run, b[0].Run)
		p.line("")
		for _, note := range sidesNotes(a, b) {
			p.wrapped(p.dim("* "), note)
		}
	} else {
		verdicts = p.compareOne(a[0], b[0])
	}
	if _, err := w.Write(p.out.Bytes()); err != nil {
		return nil, fmt.Errorf("writing the comparison: %w", err)
	}
	return verdicts, nil
}

// compareOne sets one run beside one other. It tests nothing: one run each says nothing about chance.
func (p *page) compareOne(a, b StoredRun) []CellVerdict {
	da, db := digestOf(a.Run, a.Trials), digestOf(b.Run, b.Trials)
	both, onlyA, onlyB := match(da.Cells, db.Cells)
	p.comparison(both)
	p.spreads(both)
	p.onlyIn("A", onlyA)
	p.onlyIn("B", onlyB)
	p.differences(a.Run, b.Run)
	p.line("")
	p.wrapped("", "This tells no change from noise: with one run of a side there is no interval, no p and no verdict, and on a shared machine two runs of the same thing "+
		"differ by some percent, more than the spread within either. Measure A and B in turn with `linerate ab`, or make several runs of each and compare them: `linerate compare A1 A2 A3 A4 -- B1 B2 B3 B4`.")
	verdicts := []CellVerdict{}
	for _, c := range both {
		verdicts = append(verdicts, CellVerdict{Cell: c.A.ID, Verdict: string(stats.Inconclusive)})
	}
	return verdicts
}

type cellPair struct{ A, B cell }

func match(a, b []cell) (both []cellPair, onlyA, onlyB []cell) {
	inB := map[string]cell{}
	for _, c := range b {
		inB[c.ID] = c
	}
	inA := map[string]bool{}
	for _, c := range a {
		inA[c.ID] = true
		if other, ok := inB[c.ID]; ok {
			both = append(both, cellPair{c, other})
		} else {
			onlyA = append(onlyA, c)
		}
	}
	for _, c := range b {
		if !inA[c.ID] {
			onlyB = append(onlyB, c)
		}
	}
	return both, onlyA, onlyB
}

func (p *page) comparison(pairs []cellPair) {
	p.heading("Cells in both, Mpps per direction")
	if len(pairs) == 0 {
		p.line("none: the two runs have no cell in common")
		return
	}
	columns := []column{{"Scenario", false}, {"Flows", true}, {"Dir", false}, {"Frame", true}, {"Figure", false}, {"A", true}, {"B", true}, {"B/A", true}}
	var rows [][]string
	for _, c := range pairs {
		first := len(rows)
		for _, f := range comparedFigures(c) {
			rows = append(rows, []string{"", "", "", "", f.name, f.a, f.b, f.ratio})
		}
		copy(rows[first], []string{c.A.Name, Thousands(uint64(c.A.Flows)), string(c.A.Directions), frameSize(c.A.FrameSize)})
	}
	p.table(columns, rows, func(row, col int) lipgloss.Style {
		switch {
		case col == 7:
			return lipgloss.NewStyle().Bold(true)
		case rows[row][4] == "verdict" && col > 4:
			return verdictStyle(rows[row][col])
		}
		return lipgloss.NewStyle()
	})
	p.line("")
	p.wrapped(p.dim("* "), "NDR is the lower bound and PDR the conditional throughput. A ratio is given between two exact figures of the same d and S only: the ratio of two bounds means nothing.")
}

type comparedFigure struct{ name, a, b, ratio string }

// comparedFigures lists the goals of A, then those that only B has, then what is not a rate.
func comparedFigures(c cellPair) []comparedFigure {
	var list []comparedFigure
	seen := map[string]bool{}
	for _, f := range append(append([]Figure{}, c.A.Figures...), c.B.Figures...) {
		name := f.Goal.Name
		a, b := namedFigure(c.A, name), namedFigure(c.B, name)
		if seen[name] || a.Relation == Absent && b.Relation == Absent {
			continue
		}
		seen[name] = true
		row := comparedFigure{name, a.amount(perDirection, Mpps), b.amount(perDirection, Mpps), "-"}
		sameGoal := a.terms() == b.terms() && a.Goal.LossRatio == b.Goal.LossRatio
		if sameGoal {
			row.name += " (" + a.terms() + ")"
		} else {
			row.name += fmt.Sprintf("\nA: %s\nB: %s", orDash(a.terms()), orDash(b.terms()))
		}
		if a.Relation == Exact && b.Relation == Exact && sameGoal {
			row.ratio = ratio(a.PerDirectionPPS, b.PerDirectionPPS)
		}
		list = append(list, row)
	}
	list = append(list, comparedUnpaced(c)...)
	if a, b := c.A.TotalReceiverL4BPS, c.B.TotalReceiverL4BPS; a > 0 && b > 0 {
		list = append(list, comparedFigure{"payload, Gbit/s", gbit(a), gbit(b), ratio(a, b)})
	}
	if a, b := c.A.nsPerPacket(), c.B.nsPerPacket(); a != "-" || b != "-" {
		row := comparedFigure{"ns per packet", a, b, "-"}
		if a != "-" && b != "-" {
			row.ratio = ratio(c.A.CPU.NSPerPacket, c.B.CPU.NSPerPacket)
		}
		list = append(list, row)
	}
	return append(list, comparedFigure{name: "verdict", a: c.A.verdict(), b: c.B.verdict()})
}

func namedFigure(c cell, name string) Figure {
	if c.measured() {
		for _, f := range c.Figures {
			if f.Goal.Name == name {
				return f
			}
		}
	}
	return Figure{Relation: Absent}
}

func ratio(a, b float64) string {
	if a == 0 {
		return "-"
	}
	return strconv.FormatFloat(b/a, 'f', 3, 64)
}

func (p *page) onlyIn(side string, cells []cell) {
	if len(cells) == 0 {
		return
	}
	p.heading("Cells in " + side + " only")
	for _, c := range cells {
		if len(c.Streams) > 0 {
			p.wrapped("", fmt.Sprintf("%s: %s, %s", c.Label, StreamsLine(c.Cell), c.verdict()))
			continue
		}
		if c.Unpaced != nil {
			p.wrapped("", fmt.Sprintf("%s: %s, %s", c.Label, UnpacedLine(c.Cell), c.verdict()))
			continue
		}
		p.wrapped("", fmt.Sprintf("%s: %s %s Mpps, %s", c.Label, c.main().Goal.Name, c.main().amount(perDirection, Mpps), c.verdict()))
	}
}

func (p *page) differences(a, b *result.Run) {
	p.heading("What differs between the machines")
	ea, eb := environmentFacts(a), environmentFacts(b)
	keys := map[string]string{}
	for k := range ea {
		keys[k] = ""
	}
	for k := range eb {
		keys[k] = ""
	}
	var rows [][]string
	for _, k := range sortedKeys(keys) {
		if ea[k] != eb[k] {
			rows = append(rows, []string{k, orDash(ea[k]), orDash(eb[k])})
		}
	}
	if len(rows) == 0 {
		p.line("nothing that was recorded")
		return
	}
	p.table([]column{{"What", false}, {"A", false}, {"B", false}}, rows, nil)
}

// environmentFacts are all recorded facts of the machine and the testbed, by name.
func environmentFacts(run *result.Run) map[string]string {
	e, t := run.Environment, run.Testbed
	facts := map[string]string{
		"kernel": e.Kernel, "kernel command line": e.KernelCmdline, "system": e.OS, "architecture": e.Architecture, "cpu": e.CPUModel,
		"cpus": strconv.Itoa(e.CPUs), "memory_bytes": strconv.FormatUint(e.MemoryBytes, 10), "virtualisation": e.Virtualisation, "governor": e.Governor,
		"testbed": t.Kind, "testbed dut_cpus": cpus(t.DUTCPUs), "testbed tester_cpus": cpus(t.TesterCPUs), "testbed shared_cpus": strconv.FormatBool(t.SharedCPUs),
		"testbed mtu_bytes": strconv.Itoa(t.MTUBytes), "testbed queues": strconv.Itoa(t.Queues), "ceiling, Mpps": Mpps(run.Calibration.CeilingPPS),
	}
	for _, m := range []struct {
		kind   string
		values map[string]string
	}{{"offload", e.Offloads}, {"sysctl", e.Sysctls}, {"version", e.Versions}} {
		for k, v := range m.values {
			facts[m.kind+" "+k] = v
		}
	}
	return facts
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
