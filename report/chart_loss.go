package report

import (
	"fmt"
	"sort"
	"strings"

	"github.com/linerate/linerate/result"
)

// The drawing area of a loss chart, in units of its view box.
const (
	lossWidth           = 520.0
	lossLeft, lossRight = 62.0, 508.0
	lossTop, lossBottom = 40.0, 272.0
	zoomBottom          = 212.0
)

// labelWidth is the room that a goal's label needs beside its bounds.
const labelWidth = 100.0

// unsentLimit is the share of unsent frames above which a trial says nothing about the DUT's lower bound.
const unsentLimit = 0.001

// lossChart is loss against load, each trial a mark.
type lossChart struct {
	ID, Title, Description   string
	Width, Height            float64
	Left, Right, Top, Bottom float64
	ZeroTop                  float64
	X, Y                     []tick
	Goals                    []goalMark
	Ceiling                  *tick
	// Curve joins the loss of all search trials of a load, as SVG points.
	Curve string
	Marks []trialMark

	// MarkClass is "trial" in the chart of all trials and "zoomed" in that of a part.
	MarkClass string

	// fromPPS and topPPS are the loads at the left and at the right edge.
	fromPPS, topPPS float64
	scale           lossScale
}

type tick struct {
	At    float64
	Label string
}

// PlotWidth is the width between the axes.
func (ch lossChart) PlotWidth() float64 { return ch.Right - ch.Left }

// ZeroHeight is the height of the band that holds the trials without loss.
func (ch lossChart) ZeroHeight() float64 { return ch.Bottom - ch.ZeroTop }

// TickX, TickY and NameY are where the texts beside the axes stand.
func (ch lossChart) TickX() float64 { return ch.Left - 8 }

// TickY is below the horizontal axis.
func (ch lossChart) TickY() float64 { return ch.Bottom + 17 }

// NameY is below the ticks of the horizontal axis.
func (ch lossChart) NameY() float64 { return ch.Bottom + 38 }

// goalMark is a goal's two bounds as a band, and the loss that it allows as a line.
type goalMark struct {
	Class, Label            string
	X, BandWidth            float64
	HasBand                 bool
	LabelX, LabelY          float64
	Anchor                  string
	LossY                   float64
	LossLabel, Tip, LossTip string
}

// Below is the height from the label down to y.
func (g goalMark) Below(y float64) float64 { return y - g.LabelY }

// trialMark is one trial: "search" is a dot, "unsent" a triangle, "other" a ring, "discarded" a cross.
// Triangle and cross have a path.
type trialMark struct {
	Kind, Tip, Path string
	X, Y            float64
}

func lossChartOf(c cell, index int) lossChart {
	top := 0.0
	for _, t := range c.Trials {
		top = max(top, t.IntendedLoadPPS*1.05)
	}
	ch := newLossChart(fmt.Sprintf("loss-%d", index), c, 0, top, lossBottom)
	ch.Title = "Loss against load: " + c.Label
	ch.Description = fmt.Sprintf("%d trials. Horizontal: intended load per direction in Mpps. Vertical: loss ratio in percent, zero on a line of its own below a logarithmic scale.", len(c.Trials))
	if n := discarded(c.Trials); n > 0 {
		ch.Description += fmt.Sprintf(" %d of them repeated, not counted.", n)
	}
	for _, f := range c.Figures {
		if f.isFound() {
			ch.Description += " " + figureSentence(c, f)
		}
	}
	return ch
}

// zoomChartOf shows the loads around the bounds, where most trials of a search
// are; nil when the whole chart already shows them well.
func zoomChartOf(c cell, index int, whole lossChart) *lossChart {
	low, high := 0.0, 0.0
	for _, f := range c.Figures {
		if !f.isFound() {
			continue
		}
		lower, upper := drawnBounds(c, f)
		if low == 0 || lower < low {
			low = lower
		}
		high = max(high, upper)
	}
	from, to := low*0.955, high*1.045
	if low == 0 || to-from > 0.4*whole.topPPS {
		return nil
	}
	ch := newLossChart(fmt.Sprintf("zoom-%d", index), c, from, to, zoomBottom)
	if len(ch.Marks) < 3 {
		return nil
	}
	ch.MarkClass = "zoomed"
	ch.Title = "Loss near the bounds: " + c.Label
	ch.Description = fmt.Sprintf("%d of the %d trials, those of loads from %s to %s Mpps.", len(ch.Marks), len(c.Trials), Mpps(from), Mpps(to))
	return &ch
}

func calibrationChartOf(trials []result.Trial) lossChart {
	top := 0.0
	for _, t := range trials {
		top = max(top, t.IntendedLoadPPS*1.05)
	}
	ch := newLossChart("loss-calibration", cell{Trials: trials}, 0, top, lossBottom)
	ch.Title = "Loss against load without a device: calibration"
	ch.Description = fmt.Sprintf("%d trials of generator and sink joined without a device.", len(trials))
	return ch
}

// newLossChart draws the trials of loads between from and top.
func newLossChart(id string, c cell, from, top, bottom float64) lossChart {
	ch := lossChart{ID: id, Width: lossWidth, Height: bottom + 48, Left: lossLeft, Right: lossRight, Top: lossTop, Bottom: bottom,
		MarkClass: "trial", fromPPS: from, topPPS: top}
	var shown []result.Trial
	var ratios []float64
	for _, t := range c.Trials {
		if t.IntendedLoadPPS >= from && t.IntendedLoadPPS <= top {
			shown = append(shown, t)
			ratios = append(ratios, t.LossRatio())
		}
	}
	for _, f := range c.Figures {
		ratios = append(ratios, f.Goal.LossRatio)
	}
	ch.scale = newLossScale(bottom-12, bottom-34, lossTop+6, ratios)
	ch.ZeroTop = bottom - 23
	for _, v := range ticksBetween(from/1e6, top/1e6, 6) {
		ch.X = append(ch.X, tick{ch.x(v * 1e6), tickLabel(v)})
	}
	ch.Y = lossTicks(ch.scale)
	if c.CeilingPPS > from && c.CeilingPPS <= top {
		ch.Ceiling = &tick{ch.x(c.CeilingPPS), "┆ ceiling " + Mpps(c.CeilingPPS)}
	}
	for _, t := range shown {
		ch.Marks = append(ch.Marks, markOf(t, ch.x(t.IntendedLoadPPS), ch.scale.y(t.LossRatio())))
	}
	ch.Curve = ch.curve(shown)
	if len(shown) > 0 {
		for i, f := range c.Figures {
			ch.addGoal(c, f, i)
		}
	}
	return ch
}

// x is the place of a load, at the edges at most.
func (ch lossChart) x(pps float64) float64 {
	if ch.topPPS <= ch.fromPPS {
		return lossLeft
	}
	return lossLeft + (lossRight-lossLeft)*max(0, min(1, (pps-ch.fromPPS)/(ch.topPPS-ch.fromPPS)))
}

// lossTicks labels zero and the decades, at most six of them.
func lossTicks(s lossScale) []tick {
	ticks := []tick{{s.zero, "0"}}
	step := 1 + (-s.decades)/6
	for e := 0; e >= s.decades; e -= step {
		ratio := 1.0
		for range -e {
			ratio /= 10
		}
		ticks = append(ticks, tick{s.y(ratio), strings.TrimSuffix(Percent(ratio), " %")})
	}
	return ticks
}

// addGoal marks a goal's bounds; a bound above the ceiling is not drawn.
func (ch *lossChart) addGoal(c cell, f Figure, index int) {
	g := goalMark{Class: fmt.Sprintf("goal%d", index%4), LossY: ch.scale.y(f.Goal.LossRatio)}
	if f.Goal.LossRatio > 0 {
		g.LossLabel = Percent(f.Goal.LossRatio)
		g.LossTip = fmt.Sprintf("%s allows a loss of %s", f.Goal.Name, g.LossLabel)
	}
	if f.isFound() {
		lower, upper := drawnBounds(c, f)
		g.HasBand, g.X, g.Tip = true, ch.x(lower), pretty(figureSentence(c, f))
		g.BandWidth = max(1.5, ch.x(upper)-g.X)
		g.Label = fmt.Sprintf("%s %s", f.Goal.Name, pretty(f.amount(perDirection, Mpps)))
		// The bounds of two goals are often too near for two labels in a line: the
		// first stands to the left of its bounds, the second lower and to the right.
		g.LabelY = 14 + 15*float64(index%2)
		g.LabelX, g.Anchor = g.X+g.BandWidth+5, "start"
		if g.X > lossRight-labelWidth || index%2 == 0 && g.X > lossLeft+labelWidth {
			g.LabelX, g.Anchor = g.X-5, "end"
		}
	}
	ch.Goals = append(ch.Goals, g)
}

// drawnBounds are a figure's bounds with none above the ceiling; they are equal when there is no upper bound.
func drawnBounds(c cell, f Figure) (lower, upper float64) {
	lower = f.Goal.LowerPPS
	if aboveCeiling(c.Cell, lower) {
		lower = c.CeilingPPS
	}
	if f.Goal.UpperPPS > lower && !aboveCeiling(c.Cell, f.Goal.UpperPPS) {
		return lower, f.Goal.UpperPPS
	}
	return lower, lower
}

func markOf(t result.Trial, x, y float64) trialMark {
	m := trialMark{Kind: "search", X: x, Y: y}
	m.Tip = fmt.Sprintf("trial %d (%s): %s Mpps each way for %s, sent %s, lost %s, unsent %s, loss ratio %s", t.Number, t.Purpose, Mpps(t.IntendedLoadPPS),
		seconds(t.IntendedDurationS), Thousands(t.Sent), Thousands(t.Lost), Thousands(t.Unsent), Percent(t.LossRatio()))
	switch {
	case t.Discarded != "":
		m.Kind = "discarded"
		m.Path = fmt.Sprintf("M%.1f %.1fl7.2 7.2m0 -7.2l-7.2 7.2", x-3.6, y-3.6)
		m.Tip += "; repeated, not counted: " + t.Discarded
	case t.UnsentRatio() > unsentLimit:
		m.Kind = "unsent"
		m.Path = fmt.Sprintf("M%.1f %.1fl5 8.6h-10z", x, y-5.4)
	case t.Purpose != result.ForSearch && t.Purpose != result.ForCalibration:
		m.Kind = "other"
	}
	return m
}

// curve runs through the loss of all search trials at a load taken together, those that were repeated left out.
func (ch lossChart) curve(trials []result.Trial) string {
	type sum struct{ lost, intended uint64 }
	at := map[float64]sum{}
	for _, t := range trials {
		if t.Purpose == result.ForWarmUp || t.Purpose == result.ForLedger || t.Discarded != "" {
			continue
		}
		v := at[t.IntendedLoadPPS]
		at[t.IntendedLoadPPS] = sum{v.lost + t.Lost + t.Unsent, v.intended + t.Intended}
	}
	var loads []float64
	for l := range at {
		loads = append(loads, l)
	}
	sort.Float64s(loads)
	var points []string
	for _, l := range loads {
		v := at[l]
		if v.intended > 0 {
			points = append(points, fmt.Sprintf("%.1f,%.1f", ch.x(l), ch.scale.y(float64(v.lost)/float64(v.intended))))
		}
	}
	return strings.Join(points, " ")
}
