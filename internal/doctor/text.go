package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Widths of a page in columns.
const (
	narrowest    = 60
	widest       = 120
	narrowDetail = 45
	// mostCPUs is how many CPUs the table of disturbances shows: the worst ones.
	mostCPUs = 16
)

// Sequences of ECMA-48 for colours.
const (
	plain  = "\x1b[0m"
	bold   = "\x1b[1m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	red    = "\x1b[31m"
)

var statusColours = map[Status]string{OK: green, Limited: yellow, Missing: red}

var verdictColours = map[Verdict]string{Ready: green, ReadyWithLimits: yellow, NotPossible: red}

// WriteText prints the report as a table no wider than width columns (between
// 60 and 120), with long texts wrapped in their column.
func (r Report) WriteText(w io.Writer, colour bool, width int) error {
	p := page{colour: colour, width: min(max(width, narrowest), widest)}
	p.nameWidth = p.widestName(r)
	for _, g := range r.Groups {
		p.line("%s", p.paint(bold, g.Name))
		for _, row := range g.Rows {
			p.row(row)
		}
		p.line("")
	}
	p.disturbance(r.Disturbance)
	head := string(r.Verdict) + ": "
	for i, l := range wrap(r.Summary, p.width-len(head)) {
		if i == 0 {
			p.line("%s%s", p.paint(verdictColours[r.Verdict], head), l)
		} else {
			p.line("%*s%s", len(head), "", l)
		}
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("print the examination: %w", err)
	}
	return nil
}

type page struct {
	b                strings.Builder
	colour           bool
	width, nameWidth int
}

func (p *page) line(format string, values ...any) {
	p.b.WriteString(strings.TrimRight(fmt.Sprintf(format, values...), " ") + "\n")
}

func (p *page) paint(colour, text string) string {
	if !p.colour {
		return text
	}
	return colour + text + plain
}

func (p *page) widestName(r Report) int {
	n := 0
	for _, g := range r.Groups {
		for _, row := range g.Rows {
			n = max(n, utf8.RuneCountInString(row.Name))
		}
	}
	return n
}

// row prints status, name and detail side by side, with cost and cure under the
// detail, or on a narrow page under the name.
func (p *page) row(row Row) {
	const statusWidth = len(Missing)
	const underName = 2 + statusWidth + 2
	indent := underName + p.nameWidth + 2
	lines := wrap(row.Detail, p.width-indent)
	p.line("  %s%*s  %-*s  %s", p.paint(statusColours[row.Status], string(row.Status)), statusWidth-len(row.Status), "", p.nameWidth, row.Name, lines[0])
	for _, l := range lines[1:] {
		p.line("%*s%s", indent, "", l)
	}
	if p.width-indent < narrowDetail {
		indent = underName
	}
	p.note(indent, "costs: ", row.Cost)
	p.note(indent, "cure:  ", row.Fix)
}

func (p *page) note(indent int, label, text string) {
	if text == "" {
		return
	}
	for i, l := range wrap(text, p.width-indent-len(label)) {
		if i > 0 {
			label = strings.Repeat(" ", len(label))
		}
		p.line("%*s%s%s", indent, "", label, l)
	}
}

// disturbance prints the CPUs with the longest pauses.
func (p *page) disturbance(all []CPUDisturbance) {
	if len(all) == 0 {
		return
	}
	worst := slices.Clone(all)
	slices.SortStableFunc(worst, func(a, b CPUDisturbance) int { return int(int64(b.MaxNS) - int64(a.MaxNS)) })
	heading := "pauses of each CPU while it wanted to run"
	if len(worst) > mostCPUs {
		worst = worst[:mostCPUs]
		heading = fmt.Sprintf("pauses of the %d worst of %d CPUs while they wanted to run", mostCPUs, len(all))
	}
	slices.SortFunc(worst, func(a, b CPUDisturbance) int { return a.CPU - b.CPU })
	p.line("%s", p.paint(bold, heading))
	p.line("  %3s  %6s  %6s  %7s  %7s  %7s  %10s", "CPU", "steal", "pauses", "of time", "P99.9", "longest", "overflow")
	for _, d := range worst {
		overflow := "-"
		if d.MaxNS > 0 {
			overflow = kpps(d.RingOverflowPPS())
		}
		p.line("  %3d  %4.1f %%  %6d  %5.2f %%  %7s  %7s  %10s", d.CPU, 100*d.StealRatio, d.Pauses, 100*d.PausedRatio, short(d.P999NS), short(d.MaxNS), overflow)
	}
	for _, l := range wrap("P99.9: work that comes at a random moment waits no longer in 99.9 % of moments. "+
		"Overflow: the load above which the longest pause overflows the ring of a veth.", p.width-2) {
		p.line("  %s", l)
	}
	p.line("")
}

// wrap breaks text between words into lines of at most width columns; a longer word stands alone.
func wrap(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
