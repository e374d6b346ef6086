package report

import (
	"bytes"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
)

// section is a table with its graph and the sentences that explain it, for every
// format that people read.
type section struct {
	// Anchor is the section's id in HTML.
	Anchor, Heading string
	// Lead stands before the table, Notes after it.
	Lead    []string
	Columns []column
	Rows    [][]string
	Graph   *graph
	// Ladder takes the place of the table in HTML.
	Ladder *ladder
	// Flames stand behind the table, in HTML only.
	Flames []flame
	Notes  []string
}

// sectionsOf are the sections of a run in the order of the report.
func sectionsOf(d digest) []section {
	if ofKernels(d.Run) {
		return kernelSections(d)
	}
	list := ladderSections(d)
	for _, s := range []*section{sizesSection(d), throughputSection(d), lossSection(d), burstSection(d), recoverySection(d), pathsSection(d), eventSection(d), deviationSection(d), captureSection(d)} {
		if s != nil {
			list = append(list, *s)
		}
	}
	return append(list, costSections(d)...)
}

// Short is the heading without what stands behind it, for a list of contents.
func (s section) Short() string {
	if s.Ladder != nil {
		return "Ladder: " + s.Ladder.Traffic
	}
	short, _, _ := strings.Cut(s.Heading, " (")
	short, _, _ = strings.Cut(short, ":")
	return short
}

// sections prints them in a text report.
func (p *page) sections(d digest) {
	for _, s := range sectionsOf(d) {
		p.section(s)
	}
}

func (p *page) section(s section) {
	p.heading(s.Heading)
	for _, text := range s.Lead {
		p.wrapped("", text)
	}
	if len(s.Rows) > 0 {
		p.table(s.Columns, s.Rows, func(int, int) lipgloss.Style { return lipgloss.NewStyle() })
	}
	if s.Graph != nil {
		p.line("")
		p.out.WriteString(s.Graph.Text())
	}
	if len(s.Notes) > 0 {
		p.line("")
	}
	for _, text := range s.Notes {
		p.wrapped(p.dim("* "), text)
	}
}

func markdownSections(b *bytes.Buffer, d digest) {
	for _, s := range sectionsOf(d) {
		markdownSection(b, s)
	}
}

func markdownSection(b *bytes.Buffer, s section) {
	fmt.Fprintf(b, "\n## %s\n", markdownText(s.Heading))
	for _, text := range s.Lead {
		fmt.Fprintf(b, "\n%s\n", markdownText(text))
	}
	if len(s.Rows) > 0 {
		b.WriteString("\n")
		flat := make([]column, len(s.Columns))
		for i, c := range s.Columns {
			flat[i] = column{strings.ReplaceAll(c.Heading, "\n", " "), c.Right}
		}
		markdownTable(b, flat, s.Rows)
	}
	if s.Graph != nil {
		b.WriteString("\n")
		codeBlock(b, "text", s.Graph.Text())
	}
	for i, text := range s.Notes {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "- %s\n", markdownText(text))
	}
}
