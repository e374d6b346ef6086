package report

import (
	"fmt"

	"github.com/linerate/linerate/result"
)

// Heights of the chart of an A/B comparison, in pixels; widths are percentages.
const (
	abRowHeight  = 13
	abHeadHeight = 46
)

// htmlAB is a comparison as the template sees it.
type htmlAB struct {
	Title, Sentence string
	Notes           []string
	Chart           *abChart
	Rows            [][]string
	Verdict         string
}

// abChart has one dot for each pair below the estimate with its interval.
type abChart struct {
	ID, Description          string
	Height, PlotY, TickY     int
	BandX, BandWidth, One    float64
	Low, High, Estimate      float64
	Ticks                    []tick
	Dots                     []abDot
	EstimateLabel, BandLabel string
}

type abDot struct {
	X    float64
	Y    int
	Kind string
	Tip  string
}

func htmlABOf(run *result.Run) []htmlAB {
	if run.Comparison == nil {
		return nil
	}
	var list []htmlAB
	for i, c := range run.Comparison.Cells {
		h := htmlAB{Title: comparedTitle(c), Sentence: abSentence(*run.Comparison, c), Notes: abNotes(*run.Comparison, c), Verdict: c.Verdict}
		_, h.Rows = abRows(c)
		if len(c.Pairs) > 0 {
			h.Chart = abChartOf(c, i)
		}
		list = append(list, h)
	}
	return list
}

func abChartOf(c result.ComparedCell, index int) *abChart {
	axis := abAxisOf(c)
	at := func(ratio float64) float64 { return 100 * axis.share(ratio) }
	ch := &abChart{
		ID: fmt.Sprintf("ab-%d", index), PlotY: abHeadHeight, One: at(1), Low: at(c.IntervalLowRatio), High: at(c.IntervalHighRatio), Estimate: at(c.EstimateRatio),
		BandX: at(1 / (1 + c.MarginRatio)), TickY: abHeadHeight + abRowHeight*len(c.Pairs) + 4,
		Description:   "One dot for each pair, the first at the top, at its ratio B/A; above them the estimate with its 95 % interval; the grey band is what counts as no change.",
		EstimateLabel: fmt.Sprintf("B/A %s (%s to %s)", ratio3(c.EstimateRatio), ratio3(c.IntervalLowRatio), ratio3(c.IntervalHighRatio)),
		BandLabel:     "±" + Percent(c.MarginRatio),
	}
	ch.BandWidth, ch.Height = at(1+c.MarginRatio)-ch.BandX, ch.TickY+22
	for _, t := range axis.ticks() {
		ch.Ticks = append(ch.Ticks, tick{At: at(t), Label: tickLabel(t)})
	}
	for i, p := range c.Pairs {
		dot := abDot{X: at(p.Ratio()), Y: abHeadHeight + abRowHeight*i + abRowHeight/2, Tip: fmt.Sprintf("pair %d: A %s, B %s Mpps, B/A %.4f", i+1, Mpps(p.APPS), Mpps(p.BPPS), p.Ratio())}
		if p.Disturbed != "" {
			dot.Kind, dot.Tip = "disturbed", dot.Tip+"; "+p.Disturbed
		}
		ch.Dots = append(ch.Dots, dot)
	}
	return ch
}
