package report

import (
	"bytes"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
)

// figureTable is a table that every format shows alike: figures, and a sentence for
// each kind of them that a reader may meet for the first time.
type figureTable struct {
	Anchor, Title string
	Columns       []column
	// Rows has a row of one text as a label of those that follow.
	Rows  [][]string
	Notes []string
	// Charts are shown by HTML only.
	Charts []percentileChart
}

// figureTables are those of a run, in the order of the report. A run that did not
// measure what a table shows does not have it.
func figureTables(d digest) []figureTable {
	tables := layerTables(d)
	for _, t := range []*figureTable{latencyTable(d), variationTable(d)} {
		if t != nil {
			tables = append(tables, *t)
		}
	}
	return tables
}

func (p *page) figureTables(d digest) {
	for _, t := range figureTables(d) {
		p.heading(t.Title)
		p.table(t.Columns, t.Rows, func(int, int) lipgloss.Style { return lipgloss.NewStyle() })
		p.line("")
		for _, n := range t.Notes {
			p.wrapped(p.dim("* "), n)
		}
	}
}

func markdownFigureTables(b *bytes.Buffer, d digest) {
	for _, t := range figureTables(d) {
		fmt.Fprintf(b, "\n## %s\n\n", markdownText(t.Title))
		columns := append([]column{}, t.Columns...)
		for i := range columns {
			columns[i].Heading = strings.ReplaceAll(columns[i].Heading, "\n", " ")
		}
		markdownTable(b, columns, t.Rows)
		b.WriteString("\n")
		for _, n := range t.Notes {
			fmt.Fprintf(b, "- %s\n", markdownText(n))
		}
	}
}

// Time prints nanoseconds in the unit that leaves three digits: "12.3 µs".
func Time(ns uint64) string { return timeNS(ns) }

// signedTime prints a difference of times with its sign.
func signedTime(ns int64) string {
	switch {
	case ns < 0:
		return "-" + timeNS(uint64(-ns))
	case ns > 0:
		return "+" + timeNS(uint64(ns))
	}
	return "0"
}
