package report

import (
	"fmt"
	"strings"

	"github.com/linerate/linerate/frame"
)

// The heights of the bar chart's parts, in pixels. Its widths are percentages, so that text keeps its size on any screen.
const (
	barLabelHeight = 22
	barHeight      = 15
	barRowGap      = 14
	barAxisHeight  = 26
	// barShare is the width of the longest bar in percent; the rest is for its number.
	barShare = 84.0
)

// barChart has one row for each cell and one bar for each goal.
type barChart struct {
	Title, Description string
	Height, AxisY      int
	Ticks              []tick
	Rows               []barRow
	Goals              []legend
}

type legend struct{ Class, Name string }

type barRow struct {
	Label, Verdict string
	LabelY         int
	Bars           []bar
	Ceiling        *ceilingMark
	// Missing says why there is no bar.
	Missing  string
	MissingY int
}

type bar struct {
	Class, Value, Tip string
	Y, TextY          int
	Width             float64
	// Open is the bar of a lower bound: its end is not known.
	Open, Empty bool
}

type ceilingMark struct {
	X, LabelY  float64
	Y1, Y2     int
	Label, Tip string
	// Outside is a ceiling to the right of the scale.
	Outside bool
}

func barChartOf(d digest) barChart {
	ch := barChart{Title: "Throughput of every cell, Mpps per direction",
		Description: "One row for each cell, one bar for each goal; a vertical mark is the ceiling of generator and sink without a device. The numbers are those of the summary table."}
	d = d.searched()
	for i, name := range d.Goals {
		ch.Goals = append(ch.Goals, legend{fmt.Sprintf("goal%d", i%4), name})
	}
	top := 0.0
	for _, c := range d.Cells {
		for _, f := range c.Figures {
			if c.measured() && f.isFound() {
				top = max(top, f.PerDirectionPPS)
			}
		}
	}
	if top == 0 {
		top = 1e6
	}
	top *= 1.06
	y := 4
	for _, c := range d.Cells {
		r, next := barRowOf(c, y, top)
		ch.Rows = append(ch.Rows, r)
		y = next
	}
	ch.AxisY, ch.Height = y, y+barAxisHeight
	for _, v := range niceTicks(top/1e6, 6) {
		ch.Ticks = append(ch.Ticks, tick{barShare * v * 1e6 / top, tickLabel(v)})
	}
	return ch
}

func barRowOf(c cell, y int, top float64) (barRow, int) {
	r := barRow{Label: c.Label, Verdict: c.verdict(), LabelY: y + 14}
	y += barLabelHeight
	first := y
	if !c.measured() {
		r.Missing, r.MissingY = "skipped: "+c.ShortReason(), y+11
		return r, y + barHeight + barRowGap
	}
	for i, f := range c.Figures {
		b := bar{Class: fmt.Sprintf("goal%d", i%4), Y: y + 1, TextY: y + 12, Tip: pretty(figureSentence(c, f))}
		b.Value = strings.TrimSpace(f.Goal.Name + " " + pretty(f.amount(perDirection, Mpps)))
		b.Open, b.Empty = f.Relation == AtLeast, !f.isFound()
		if f.isFound() {
			b.Width = barShare * f.PerDirectionPPS / top
		}
		r.Bars = append(r.Bars, b)
		y += barHeight
	}
	if c.CeilingPPS > 0 {
		m := &ceilingMark{X: barShare * c.CeilingPPS / top, Y1: first - 2, Y2: y + 1, Label: "ceiling " + Mpps(c.CeilingPPS),
			LabelY: float64(first - 8), Tip: "generator and sink without a device: " + Mpps(c.CeilingPPS) + " Mpps"}
		if m.X > barShare+1 {
			m.X, m.Outside = 100, true
		}
		r.Ceiling = m
	}
	return r, y + barRowGap
}

// gauge is the share of a link's line rate that the headline's figure fills.
type gauge struct {
	Link, Share, Needed string
	Width               float64
}

func gaugesOf(d digest) []gauge {
	c, ok := headlineCell(d.Cells)
	if !ok || simulated(d.Run) || imported(d.Run) {
		return nil
	}
	f := c.main()
	var gauges []gauge
	for _, r := range wantedRates {
		if r.LinkBPS == 0 {
			continue
		}
		line := frame.LineRatePPS(r.LinkBPS, c.MeanBytes)
		share := f.PerDirectionPPS / line
		g := gauge{Link: r.Name, Needed: Mpps(line) + " Mpps", Share: sharePercent(share), Width: 100 * min(1, share)}
		switch {
		case share > 1:
			g.Share = "filled"
		case f.Relation == AtLeast:
			g.Share = "≥ " + g.Share
		}
		gauges = append(gauges, g)
	}
	return gauges
}
