package report

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// sideName is "A" with what it changes.
func sideName(side string, assignments []string) string {
	if len(assignments) == 0 {
		return side + " (the plan as it stands)"
	}
	return side + " (" + strings.Join(assignments, ", ") + ")"
}

// figureWords are what a comparison's figure is called in a sentence.
func figureWords(figure string, loadPPS float64) string {
	if figure == plan.FigureThroughput {
		return "throughput"
	}
	return "forwarding rate at " + Mpps(loadPPS) + " Mpps offered"
}

// abSentence is the outcome of one cell for somebody who has never heard of a p-value.
func abSentence(c result.Comparison, cell result.ComparedCell) string {
	a, b := sideName("A", c.A), sideName("B", c.B)
	if len(cell.Pairs) == 0 {
		return fmt.Sprintf("No pair of %s and %s was measured to its end.", a, b)
	}
	interval := fmt.Sprintf("B/A %s, 95 %% interval %s to %s", ratio3(cell.EstimateRatio), ratio3(cell.IntervalLowRatio), ratio3(cell.IntervalHighRatio))
	figure := figureWords(c.Figure, cell.LoadPPS)
	switch stats.Verdict(cell.Verdict) {
	case stats.Changed:
		more := "higher"
		if cell.EstimateRatio < 1 {
			more = "lower"
		}
		return fmt.Sprintf("The %s of %s is %s %s than that of %s: this is no chance (%s, p = %s) and beyond the %s from which on a change counts here.",
			figure, b, Percent(math.Abs(cell.EstimateRatio-1)), more, a, interval, pValue(cell.PValue), Percent(cell.MarginRatio))
	case stats.Equivalent:
		text := fmt.Sprintf("%s and %s are equivalent: whatever their %s differs by, it is less than the %s that count here (%s, p = %s).", a, b, figure, Percent(cell.MarginRatio), interval, pValue(cell.PValue))
		if cell.PValue < c.AlphaRatio {
			text += " There is some difference, says p, but it is too small to count."
			if cell.NoiseFloorRatio > c.LeastChangeRatio {
				text += " What counts is set by the noise floor: a quieter machine or more pairs (ab.pairs, ab.aa_pairs) see finer."
			}
		}
		return text
	case stats.Inconclusive:
		advice := "no number of pairs up to 1000 would decide it on this machine"
		if cell.PairsNeeded > 0 {
			advice = fmt.Sprintf("some %d pairs would decide it (ab.pairs), or a quieter machine", cell.PairsNeeded)
		}
		return fmt.Sprintf("This comparison cannot tell whether the %s of %s differs from that of %s: %s, p = %s, and only what is beyond ±%s would count; %s.",
			figure, b, a, interval, pValue(cell.PValue), Percent(cell.MarginRatio), advice)
	}
	return fmt.Sprintf("The comparison of %s with %s was not finished (%d of %d pairs): %s says nothing yet, and a verdict before the end would be one chosen by its outcome.",
		a, b, len(cell.Pairs), c.PairsPlanned, interval)
}

// abNotes are what a reader has to know beside the verdict.
func abNotes(c result.Comparison, cell result.ComparedCell) []string {
	notes := []string{fmt.Sprintf("%d pairs, each half with the DUT set up anew, the order by a coin; %d pairs with A in both halves give a noise floor of %s.",
		len(cell.Pairs), len(cell.AAPairs), Percent(cell.NoiseFloorRatio))}
	disturbed := 0
	for _, p := range cell.Pairs {
		if p.Disturbed != "" {
			disturbed++
		}
	}
	for _, p := range cell.AAPairs {
		if p.Disturbed != "" {
			disturbed++
		}
	}
	if disturbed > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d pairs stayed disturbed although their trials were repeated. They count: nothing is left out for its value.", disturbed, len(cell.Pairs)+len(cell.AAPairs)))
	}
	return notes
}

func ratio3(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

func pValue(p float64) string {
	if p < 0.001 {
		return "below 0.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

// comparedTitle names the cell of a comparison where there are several.
func comparedTitle(c result.ComparedCell) string {
	if a, b := strings.TrimSuffix(c.CellA, "/A"), strings.TrimSuffix(c.CellB, "/B"); a != b {
		return a + " beside " + b
	}
	return strings.TrimSuffix(c.CellA, "/A")
}

// abPictureColumns is the width of the picture's plot in text.
const abPictureColumns = 64

// abPicture draws the pairs, the interval and the band of no change over one axis of B/A.
func abPicture(c result.ComparedCell) []string {
	if len(c.Pairs) == 0 {
		return nil
	}
	axis := abAxisOf(c)
	column := func(ratio float64) int {
		return min(abPictureColumns-1, int(axis.share(ratio)*abPictureColumns))
	}
	blank := func() []rune { return []rune(strings.Repeat(" ", abPictureColumns)) }
	counts := make([]int, abPictureColumns)
	for _, p := range c.Pairs {
		counts[column(p.Ratio())]++
	}
	pairs := blank()
	for i, n := range counts {
		pairs[i] = []rune(" ·:⁝█")[min(n, 4)]
	}
	estimate := blank()
	for i := column(c.IntervalLowRatio); i <= column(c.IntervalHighRatio); i++ {
		estimate[i] = '─'
	}
	estimate[column(c.IntervalLowRatio)], estimate[column(c.IntervalHighRatio)] = '├', '┤'
	estimate[column(c.EstimateRatio)] = '●'
	band := blank()
	for i := column(1 / (1 + c.MarginRatio)); i <= column(1+c.MarginRatio); i++ {
		band[i] = '░'
	}
	band[column(1)] = '│'
	ruler := blank()
	for _, t := range axis.ticks() {
		text := []rune(tickLabel(t))
		at := max(0, min(abPictureColumns-len(text), column(t)-len(text)/2))
		if strings.TrimSpace(string(ruler[max(0, at-1):min(abPictureColumns, at+len(text)+1)])) == "" {
			copy(ruler[at:], text)
		}
	}
	var lines []string
	for _, l := range []struct {
		name string
		body []rune
	}{{"pairs", pairs}, {"estimate", estimate}, {"no change", band}, {"B/A", ruler}} {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%-10s %s", l.name, string(l.body)), " "))
	}
	return lines
}

// abAxis is a range of ratios.
type abAxis struct{ low, high float64 }

// abAxisOf holds 1, the pairs, the interval and the band, with a little room.
func abAxisOf(c result.ComparedCell) abAxis {
	a := abAxis{low: 1 / (1 + c.MarginRatio), high: 1 + c.MarginRatio}
	for _, p := range c.Pairs {
		a.low, a.high = min(a.low, p.Ratio()), max(a.high, p.Ratio())
	}
	a.low, a.high = min(a.low, c.IntervalLowRatio), max(a.high, c.IntervalHighRatio)
	room := 0.04 * (a.high - a.low)
	return abAxis{a.low - room, a.high + room}
}

// share is where a ratio lies, 0 to 1.
func (a abAxis) share(ratio float64) float64 {
	return max(0, min(1, (ratio-a.low)/(a.high-a.low)))
}

// ticks are round ratios, some six.
func (a abAxis) ticks() []float64 { return ticksBetween(a.low, a.high, 6) }

// comparisonAB prints the outcome of an A/B comparison; nothing for a run without one.
func (p *page) comparisonAB(run *result.Run) {
	if run.Comparison == nil {
		return
	}
	p.heading("A beside B")
	for i, cell := range run.Comparison.Cells {
		if i > 0 {
			p.line("")
		}
		if len(run.Comparison.Cells) > 1 {
			p.line("%s", p.bold(comparedTitle(cell)))
		}
		for _, line := range abPicture(cell) {
			p.line("%s", line)
		}
		for _, note := range abNotes(*run.Comparison, cell) {
			p.wrapped(p.dim("* "), note)
		}
	}
}

// abRows are the pairs in the order in which they were measured.
func abRows(c result.ComparedCell) (columns []column, rows [][]string) {
	columns = []column{{"Pair", true}, {"First", false}, {"A Mpps", true}, {"B Mpps", true}, {"B/A", true}, {"Note", false}}
	for i, pair := range c.Pairs {
		first := "A"
		if pair.BFirst {
			first = "B"
		}
		rows = append(rows, []string{strconv.Itoa(i + 1), first, Mpps(pair.APPS), Mpps(pair.BPPS), strconv.FormatFloat(pair.Ratio(), 'f', 4, 64), pair.Disturbed})
	}
	for i, pair := range c.AAPairs {
		rows = append(rows, []string{fmt.Sprintf("A/A %d", i+1), "A", Mpps(pair.FirstPPS), Mpps(pair.SecondPPS), strconv.FormatFloat(pair.SecondPPS/pair.FirstPPS, 'f', 4, 64), pair.Disturbed})
	}
	return columns, rows
}

// pairsAB prints every pair.
func (p *page) pairsAB(run *result.Run) {
	if run.Comparison == nil {
		return
	}
	p.heading("Pairs of A and B, Mpps per direction; of A/A pairs both are A")
	for _, cell := range run.Comparison.Cells {
		if len(run.Comparison.Cells) > 1 {
			p.line("%s", p.bold(comparedTitle(cell)))
		}
		columns, rows := abRows(cell)
		p.table(columns, rows, nil)
	}
}

func markdownAB(b *bytes.Buffer, run *result.Run) {
	if run.Comparison == nil {
		return
	}
	b.WriteString("\n## A beside B\n")
	for _, cell := range run.Comparison.Cells {
		if len(run.Comparison.Cells) > 1 {
			fmt.Fprintf(b, "\n### %s\n", markdownText(comparedTitle(cell)))
		}
		b.WriteString("\n")
		codeBlock(b, "", strings.Join(abPicture(cell), "\n")+"\n")
		b.WriteString("\n")
		for _, note := range abNotes(*run.Comparison, cell) {
			fmt.Fprintf(b, "- %s\n", markdownText(note))
		}
		b.WriteString("\n")
		columns, rows := abRows(cell)
		markdownTable(b, columns, rows)
	}
}

// variedHeadline are the first sentences of a comparison or a sweep; nil for another run.
func variedHeadline(run *result.Run) []string {
	var list []string
	switch {
	case run.Comparison != nil:
		for _, c := range run.Comparison.Cells {
			text := abSentence(*run.Comparison, c)
			if len(run.Comparison.Cells) > 1 {
				text = comparedTitle(c) + ": " + text
			}
			list = append(list, text)
		}
		if len(list) == 0 {
			list = append(list, "A and B were not compared: no cell could be measured on both sides.")
		}
	case run.Sweep != nil:
		for _, c := range run.Sweep.Curves {
			list = append(list, sweepSentence(*run.Sweep, c))
		}
	}
	return list
}
