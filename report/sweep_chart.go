package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/linerate/linerate/result"
)

// The size of the chart of a sweep in its own units; it is scaled to the page.
const (
	sweepWidth, sweepHeight = 720.0, 300.0
	sweepLeft, sweepRight   = 60.0, 700.0
	sweepTop, sweepBottom   = 24.0, 250.0
)

// htmlSweep is a curve as the template sees it.
type htmlSweep struct {
	Title, Sentence, Note, Field string
	Chart                        *sweepChart
	Columns                      []column
	Rows                         [][]string
}

// sweepChart has the values side by side, however far apart they are as numbers.
type sweepChart struct {
	ID, Description, Field, Curve           string
	Width, Height, Left, Right, Top, Bottom float64
	Y                                       []tick
	Points                                  []sweepPoint
	TickY, NameY, TickX                     float64
}

type sweepPoint struct {
	X, Y, LowY, HighY float64
	Label, Class, Tip string
	HasInterval       bool
	Repeats           []float64
}

func htmlSweepOf(run *result.Run) []htmlSweep {
	if run.Sweep == nil {
		return nil
	}
	var list []htmlSweep
	for i, c := range run.Sweep.Curves {
		columns, rows := sweepRows(*run.Sweep, c)
		h := htmlSweep{Title: c.Title, Sentence: sweepSentence(*run.Sweep, c), Note: sweepNote(*run.Sweep, c), Field: run.Sweep.Field, Chart: sweepChartOf(*run.Sweep, c, i)}
		const bar = 4 // the chart shows it better
		h.Columns = slices.Delete(columns, bar, bar+1)
		for _, r := range rows {
			h.Rows = append(h.Rows, slices.Delete(r, bar, bar+1))
		}
		list = append(list, h)
	}
	return list
}

func sweepChartOf(s result.Sweep, c result.Curve, index int) *sweepChart {
	ch := &sweepChart{ID: fmt.Sprintf("sweep-%d", index), Field: s.Field, Width: sweepWidth, Height: sweepHeight, Left: sweepLeft, Right: sweepRight, Top: sweepTop, Bottom: sweepBottom,
		TickY: sweepBottom + 18, NameY: sweepHeight - 6, TickX: sweepLeft - 8,
		Description: "One mark for each value with its 95 % interval, small dots for its repeats, packets per second per direction from zero. Filled marks are as good as the best."}
	highest := 0.0
	for _, p := range c.Points {
		highest = max(highest, p.EstimatePPS, p.IntervalHighPPS)
		for _, v := range p.PPS {
			highest = max(highest, v)
		}
	}
	if highest == 0 {
		return nil
	}
	axis := abAxis{0, highest * 1.08}
	y := func(pps float64) float64 { return sweepBottom - axis.share(pps)*(sweepBottom-sweepTop) }
	for _, t := range axis.ticks() {
		ch.Y = append(ch.Y, tick{At: y(t), Label: Mpps(t)})
	}
	gap := (sweepRight - sweepLeft) / float64(len(c.Points))
	var line []string
	for i, p := range c.Points {
		if len(p.PPS) == 0 {
			continue
		}
		q := sweepPoint{X: sweepLeft + gap*(float64(i)+0.5), Y: y(p.EstimatePPS), Label: p.Value, Class: "sweepmark",
			Tip: fmt.Sprintf("%s=%s: %s Mpps", s.Field, p.Value, Mpps(p.EstimatePPS))}
		if p.IntervalHighPPS > 0 {
			q.HasInterval, q.LowY, q.HighY = true, y(p.IntervalLowPPS), y(p.IntervalHighPPS)
		}
		if p.AsGood {
			q.Class += " good"
		}
		for _, v := range p.PPS {
			q.Repeats = append(q.Repeats, y(v))
		}
		line = append(line, fmt.Sprintf("%.1f,%.1f", q.X, q.Y))
		ch.Points = append(ch.Points, q)
	}
	if numbers(s.Values) { // nothing lies between two names
		ch.Curve = strings.Join(line, " ")
	}
	return ch
}
