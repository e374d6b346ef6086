package report

import (
	"fmt"
	"math"
	"strconv"

	"charm.land/lipgloss/v2"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// StoredRun is a run as it was read from its folder.
type StoredRun struct {
	Run    *result.Run
	Trials []result.Trial
}

// CellVerdict is what a comparison of stored runs says about one cell.
type CellVerdict struct {
	Cell string
	// Verdict is "changed", "equivalent" or "inconclusive"; Ratio is B/A of the medians, 0 if there is none.
	Verdict string
	Ratio   float64
}

// comparing is how strictly stored runs are compared: as an A/B comparison is by default.
var comparing = stats.Options{Alpha: 0.05, Confidence: 0.95, LeastChange: 0.01, Seed: 1}

// sideFigures are the exact figures of one cell over the runs of a side.
type sideFigures struct {
	cell  cell
	exact []float64
	// others counts the runs that have the cell and no exact figure of it.
	others int
}

// figuresOf gathers the main figures by cell, in the order of the first run that has the cell.
// Figures of another goal than the first run's are others.
func figuresOf(runs []StoredRun) (order []string, byID map[string]*sideFigures) {
	byID = map[string]*sideFigures{}
	for _, r := range runs {
		for _, c := range digestOf(r.Run, nil).Cells {
			s := byID[c.ID]
			if s == nil {
				s = &sideFigures{cell: c}
				byID[c.ID] = s
				order = append(order, c.ID)
			}
			if c.Workload != "" {
				s.addStreams(c)
				continue
			}
			if c.Unpaced != nil || s.cell.Unpaced != nil {
				s.addUnpaced(c)
				continue
			}
			f, first := c.main(), s.cell.main()
			if c.measured() && f.Relation == Exact && f.terms() == first.terms() && f.Goal.LossRatio == first.Goal.LossRatio {
				s.exact = append(s.exact, f.PerDirectionPPS)
			} else {
				s.others++
			}
		}
	}
	return order, byID
}

// addStreams adds the payload that arrived, in bits per second, if it was not disturbed.
func (s *sideFigures) addStreams(c cell) {
	if len(c.Streams) == 0 || c.Disturbed() {
		s.others++
		return
	}
	s.exact = append(s.exact, c.TotalReceiverL4BPS)
}

// what names the figure of a side, and prints it.
func (s *sideFigures) what() (name string, text func(float64) string) {
	if s.cell.Workload != "" {
		return "Gbit/s", gbit
	}
	if s.cell.Unpaced != nil {
		return "received", Mpps
	}
	return s.cell.main().Goal.Name, Mpps
}

// compareSides prints the cells that both sides have, with intervals and verdicts, and returns them.
func (p *page) compareSides(a, b []StoredRun) []CellVerdict {
	order, inA := figuresOf(a)
	_, inB := figuresOf(b)
	type judged struct {
		a, b *sideFigures
		stats.Comparison
	}
	var list []judged
	var ps []float64
	var onlyA, onlyB []string
	for _, id := range order {
		other := inB[id]
		if other == nil {
			onlyA = append(onlyA, id)
			continue
		}
		j := judged{a: inA[id], b: other}
		same := j.a.cell.main().terms() == j.b.cell.main().terms() && j.a.cell.main().Goal.LossRatio == j.b.cell.main().Goal.LossRatio
		if same && len(j.a.exact) > 1 && len(j.b.exact) > 1 {
			j.Comparison = stats.Groups(j.a.exact, j.b.exact, comparing)
			ps = append(ps, j.P)
		}
		list = append(list, j)
	}
	for id := range inB {
		if inA[id] == nil {
			onlyB = append(onlyB, id)
		}
	}
	adjusted := stats.Holm(ps)
	verdicts := []CellVerdict{}
	var rows [][]string
	for _, j := range list {
		name, _ := j.a.what()
		row := []string{j.a.cell.Label, name, sideText(j.a), sideText(j.b), "-", "-", "-", "-", "too few figures"}
		verdict := CellVerdict{Cell: j.a.cell.ID, Verdict: string(stats.Inconclusive)}
		if j.EstimateRatio > 0 {
			c := j.At(adjusted[0])
			adjusted = adjusted[1:]
			verdict.Verdict, verdict.Ratio = string(c.Verdict), c.EstimateRatio
			text := string(c.Verdict)
			if c.Needed > 0 {
				text += fmt.Sprintf(", %d runs each would decide", max(c.Needed, stats.LeastPerSide))
			}
			row = append(row[:4], ratio3(c.EstimateRatio), ratio3(c.LowRatio)+" to "+ratio3(c.HighRatio), pValue(c.P), Percent(c.Margin), text)
		}
		rows = append(rows, row)
		verdicts = append(verdicts, verdict)
	}
	p.heading("Cells in both, median of the runs: Mpps per direction, or payload of streams in Gbit/s")
	if len(rows) == 0 {
		p.line("none: the two sides have no cell in common")
	} else {
		p.table([]column{{"Cell", false}, {"Goal", false}, {"A (runs)", true}, {"B (runs)", true}, {"B/A", true}, {"95 % interval", false}, {"p", true}, {"counts from", true}, {"Verdict", false}}, rows,
			func(row, col int) lipgloss.Style {
				if col == 4 || col == 8 {
					return lipgloss.NewStyle().Bold(true)
				}
				return lipgloss.NewStyle()
			})
	}
	p.onlyNamed("A", onlyA)
	p.onlyNamed("B", onlyB)
	return verdicts
}

func sideText(s *sideFigures) string {
	text := "-"
	if len(s.exact) > 0 {
		_, amount := s.what()
		text = amount(stats.Median(s.exact))
	}
	text += " (" + strconv.Itoa(len(s.exact)) + ")"
	if s.others > 0 {
		text += fmt.Sprintf("\n%d without", s.others)
	}
	return text
}

func (p *page) onlyNamed(side string, ids []string) {
	if len(ids) == 0 {
		return
	}
	p.heading("Cells in " + side + " only")
	for _, id := range sorted(ids) {
		p.line("%s", id)
	}
}

func sorted(list []string) []string {
	keys := map[string]string{}
	for _, s := range list {
		keys[s] = ""
	}
	return sortedKeys(keys)
}

// sidesNotes say how the verdicts are to be read.
func sidesNotes(a, b []StoredRun) []string {
	notes := []string{"p is that of a permutation of the labels, adjusted by Holm over the cells. A change has to be beyond what counts: 1 %, or the noise floor, which is what two sides of this size differ by from the scatter within them alone."}
	if n := min(len(a), len(b)); n < stats.LeastPerSide {
		notes = append(notes, fmt.Sprintf("With %d runs on a side no p can come below 0.05, however large the difference: measure %d of each at least.", n, stats.LeastPerSide))
	}
	if one, other, ok := apart(a, b); ok {
		notes = append(notes, fmt.Sprintf("All runs of %s were made before the first of %s: if the machine has changed meanwhile, that is not to be told from a change of the device. Measure in turn, or use `linerate ab`.", one, other))
	}
	return notes
}

// apart tells whether one side was measured to its end before the other began.
func apart(a, b []StoredRun) (first, second string, apart bool) {
	span := func(runs []StoredRun) (from, to int64) {
		from, to = math.MaxInt64, math.MinInt64
		for _, r := range runs {
			from, to = min(from, r.Run.Started.UnixNano()), max(to, r.Run.Started.UnixNano())
		}
		return from, to
	}
	fromA, toA := span(a)
	fromB, toB := span(b)
	switch {
	case toA < fromB:
		return "A", "B", true
	case toB < fromA:
		return "B", "A", true
	}
	return "", "", false
}

// spreads prints what the trials of each run scatter by, where there is one run of each side.
func (p *page) spreads(pairs []cellPair) {
	columns := []column{{"Cell", false}, {"A received Mpps", false}, {"apart", true}, {"B received Mpps", false}, {"apart", true}}
	var rows [][]string
	for _, c := range pairs {
		a, apartA, okA := spreadOf(c.A)
		b, apartB, okB := spreadOf(c.B)
		if okA || okB {
			rows = append(rows, []string{c.A.Label, a, apartA, b, apartB})
		}
	}
	if len(rows) == 0 {
		return
	}
	p.heading("Spread within each run: its full trials at the upper bound, just above the throughput")
	p.table(columns, rows, nil)
}

// spreadOf is the least and the greatest rate that came through at the upper bound of the main goal.
func spreadOf(c cell) (text, apart string, ok bool) {
	g := c.main().Goal
	low, high, n := math.Inf(1), 0.0, 0
	for _, t := range c.Trials {
		if t.Purpose == result.ForSearch && t.Discarded == "" && t.IntendedLoadPPS == g.UpperPPS && t.IntendedDurationS >= g.TrialDurationS {
			pps := t.ReceivedPPS() / float64(max(1, t.Directions))
			low, high, n = min(low, pps), max(high, pps), n+1
		}
	}
	if n < 2 || low <= 0 {
		return "-", "-", false
	}
	return fmt.Sprintf("%s to %s (%d trials)", Mpps(low), Mpps(high), n), Percent(high/low - 1), true
}
