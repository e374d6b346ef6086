package report

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// column is a heading of a text table; numbers stand to the right.
type column struct {
	Heading string
	Right   bool
}

// table prints rows under a rule. A heading or a cell may have several lines.
// style may colour a cell of the body; nil leaves all plain. A row of one text under
// several columns is a label of the rows that follow.
func (p *page) table(columns []column, rows [][]string, style func(row, col int) lipgloss.Style) {
	headings := make([]string, len(columns))
	for i, c := range columns {
		headings[i] = c.Heading
	}
	widths := make([]int, len(columns))
	for _, row := range append([][]string{headings}, rows...) {
		if isLabel(columns, row) {
			continue
		}
		for i, text := range row {
			widths[i] = max(widths[i], lipgloss.Width(text))
		}
	}
	total := 2 * (len(columns) - 1)
	for _, w := range widths {
		total += w
	}
	p.row(columns, widths, headings, func(int) lipgloss.Style { return lipgloss.NewStyle().Bold(true) })
	p.line("%s", p.dim(strings.Repeat("─", total)))
	for r, row := range rows {
		if isLabel(columns, row) {
			p.line("%s", p.bold(row[0]))
			continue
		}
		p.row(columns, widths, row, func(col int) lipgloss.Style {
			if style == nil {
				return lipgloss.NewStyle()
			}
			return style(r, col)
		})
	}
}

func isLabel(columns []column, row []string) bool { return len(row) == 1 && len(columns) > 1 }

// row prints the lines of one row; a text with fewer lines than its neighbours stands at the top.
func (p *page) row(columns []column, widths []int, row []string, style func(col int) lipgloss.Style) {
	height := 1
	for _, text := range row {
		height = max(height, 1+strings.Count(text, "\n"))
	}
	for l := range height {
		var b strings.Builder
		for i, text := range row {
			part := ""
			if lines := strings.Split(text, "\n"); l < len(lines) {
				part = lines[l]
			}
			pad := strings.Repeat(" ", widths[i]-lipgloss.Width(part))
			painted := p.with(style(i), part)
			if columns[i].Right {
				painted = pad + painted
			} else {
				painted += pad
			}
			b.WriteString(painted + "  ")
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
	}
}

// summary is the table of all cells with the throughput for each goal.
func (p *page) summary(d digest) {
	if s := streamsSection(d); s != nil {
		p.section(*s)
	}
	if s := unpacedSection(d); s != nil {
		p.section(*s)
	}
	if len(d.Cells) > 0 {
		if d = d.searched(); len(d.Cells) == 0 {
			return
		}
	}
	columns, goalTerms := summaryColumns(d)
	verdictColumn := len(columns) - 1
	var rows [][]string
	var verdicts []string
	for _, c := range d.Cells {
		rows = append(rows, summaryRow(c, false, goalTerms))
		verdicts = append(verdicts, c.verdict())
		if c.measured() && c.Ways > 1 {
			rows = append(rows, summaryRow(c, true, goalTerms))
			verdicts = append(verdicts, "")
		}
	}
	p.heading("Throughput")
	p.table(columns, rows, func(row, col int) lipgloss.Style {
		switch {
		case col == verdictColumn:
			return verdictStyle(verdicts[row])
		case verdicts[row] == "skipped":
			return lipgloss.NewStyle().Foreground(grey)
		case col >= firstGoalColumn && col < firstGoalColumn+len(d.Goals) && verdicts[row] != "":
			return lipgloss.NewStyle().Bold(true)
		}
		return lipgloss.NewStyle()
	})
	p.line("")
	p.wrapped(p.dim("* "), "Mpps and Gbit/s are per direction; a line \"sum\" is both directions together. \">=\" is a lower bound: the tester "+
		"or the maximum load ended the search. d is the trial duration and S the trial time that decides a load.")
	for _, note := range skippedNotes(d.Cells) {
		p.wrapped(p.dim("* "), note)
	}
}

const firstGoalColumn = 4

// summaryColumns gives the headings, and for each goal the terms that its heading states for all cells ("" when cells differ).
func summaryColumns(d digest) ([]column, []string) {
	columns := []column{{"Scenario", false}, {"Flows", true}, {"Dir", false}, {"Frame", true}}
	var shared []string
	for i, name := range d.Goals {
		terms := sharedTerms(d.Cells, i)
		shared = append(shared, terms)
		columns = append(columns, column{name + " Mpps\n" + strings.ReplaceAll(terms, ", ", "\n"), true})
	}
	return append(columns, column{"Gbit/s\nL1", true}, column{"DUT\ncores\nbusy", true}, column{"ns\n/pkt", true}, column{"Verdict", false}), shared
}

// sharedTerms is d and S of a goal if all cells agree.
func sharedTerms(cells []cell, goal int) string {
	terms := ""
	for _, c := range cells {
		t := c.Figures[goal].terms()
		if t == "" {
			continue
		}
		if terms != "" && t != terms {
			return ""
		}
		terms = t
	}
	return terms
}

// summaryRow is a cell's line, or the line of its sum over both directions.
func summaryRow(c cell, sum bool, shared []string) []string {
	rate, l1 := perDirection, perDirectionL1
	row := []string{c.Name, Thousands(uint64(c.Flows)), string(c.Directions), frameSize(c.FrameSize)}
	if sum {
		rate, l1 = total, totalL1
		row = []string{"", "", "sum", ""}
	}
	for i, f := range c.Figures {
		text := f.amount(rate, Mpps)
		if shared[i] == "" && f.HasNumber() && !sum {
			text += "\n" + f.terms()
		}
		row = append(row, text)
	}
	row = append(row, c.main().amount(l1, gbit))
	if sum {
		return append(row, "", "", "")
	}
	return append(row, c.coresBusy(), c.nsPerPacket(), c.verdict())
}

// cores is the table of the cores that wanted rates would take.
func (p *page) cores(d digest) {
	columns := []column{{"Scenario", false}, {"Flows", true}, {"Dir", false}, {"Frame", true}, {"ns/packet", true}}
	for _, r := range wantedRates {
		columns = append(columns, column{r.Name, true})
	}
	var rows [][]string
	for _, c := range d.Cells {
		if len(c.Cores) == 0 {
			continue
		}
		row := []string{c.Name, Thousands(uint64(c.Flows)), string(c.Directions), frameSize(c.FrameSize), c.nsPerPacket()}
		for _, n := range c.Cores {
			row = append(row, coreCount(n.Cores))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return
	}
	p.heading("DUT cores needed for a rate, one direction at that frame size")
	p.table(columns, rows, nil)
	p.line("")
	p.wrapped(p.dim("* "), extrapolation)
}
