package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/linerate/linerate/result"
)

// The drawing area of a percentile chart, in units of its view box.
const (
	percentileWidth, percentileHeight = 520.0, 300.0
	percentileLeft, percentileRight   = 62.0, 508.0
	percentileTop, percentileBottom   = 26.0, 248.0
)

// percentileChart has a curve of latency over percentile for each scenario. The
// horizontal axis gives each nine of a percentile the same width, so that the rare slow
// frames can be seen beside the typical ones.
type percentileChart struct {
	ID, Title, Description   string
	Caption                  string
	Width, Height            float64
	Left, Right, Top, Bottom float64
	X, Y                     []tick
	Curves                   []percentileCurve
}

type percentileCurve struct {
	Class, Name, Points, Tip string
}

// TickX is beside the vertical axis.
func (ch percentileChart) TickX() float64 { return ch.Left - 8 }

// TickY and NameY are below the horizontal axis.
func (ch percentileChart) TickY() float64 { return ch.Bottom + 17 }

// NameY is below the ticks.
func (ch percentileChart) NameY() float64 { return ch.Bottom + 38 }

func percentileChartOf(g layerGroup, id string) percentileChart {
	ch := percentileChart{ID: id, Title: fmt.Sprintf("Latency by layer at %s Mpps: %s", Mpps(g.loadPPS), g.traffic), Width: percentileWidth, Height: percentileHeight,
		Left: percentileLeft, Right: percentileRight, Top: percentileTop, Bottom: percentileBottom}
	ch.Caption = Mpps(g.loadPPS) + " Mpps per direction"
	least, most, frames := math.Inf(1), 1.0, uint64(10)
	for _, l := range g.layers {
		least, most, frames = min(least, float64(max(1, l.at.Latency.MinNS))), max(most, float64(l.at.Latency.MaxNS)), max(frames, l.at.Latency.Frames)
	}
	nines := math.Ceil(math.Log10(float64(frames)))
	scale := logScale{from: math.Pow(10, math.Floor(math.Log10(least))), to: 1.1 * most}
	y := func(ns float64) float64 { return ch.Bottom - (ch.Bottom-ch.Top)*scale.percent(ns)/100 }
	x := func(above float64) float64 {
		if above <= 0 {
			return ch.Right
		}
		return min(ch.Right, ch.Left-(ch.Right-ch.Left)*math.Log10(above)/nines)
	}
	for n := 0.0; n < nines; n++ {
		ch.X = append(ch.X, tick{x(math.Pow(10, -n)), percentileName(int(n))})
	}
	for e := math.Log10(scale.from); math.Pow(10, e) <= scale.to; e++ {
		ch.Y = append(ch.Y, tick{y(math.Pow(10, e)), timeTick(math.Pow(10, e))})
	}
	for i, l := range g.layers {
		tip := l.name + ": " + percentileSentence(l.at.Latency)
		ch.Curves = append(ch.Curves, percentileCurve{Class: fmt.Sprintf("layer%d", i%6), Name: l.name, Points: percentilePoints(l.at.Latency, x, y), Tip: tip})
		ch.Description += tip + " "
	}
	return ch
}

// percentileName is the percentile that a tick with so many nines stands at.
func percentileName(nines int) string {
	switch nines {
	case 0:
		return "P0"
	case 1:
		return "P90"
	case 2:
		return "P99"
	}
	return "P99." + strings.Repeat("9", nines-2)
}

func percentileSentence(l *result.Latency) string {
	texts := percentileTexts(l)
	for i, p := range percentiles {
		texts[i] = p.name + " " + texts[i]
	}
	return strings.Join(texts, ", ") + "."
}

// percentilePoints walks the histogram; x takes the share of frames that are slower.
func percentilePoints(l *result.Latency, x, y func(float64) float64) string {
	var b strings.Builder
	point := func(above, ns float64) { fmt.Fprintf(&b, "%.1f,%.1f ", x(above), y(ns)) }
	point(1, float64(max(1, l.MinNS)))
	seen := uint64(0)
	for _, k := range l.Histogram {
		seen += k.Frames
		point(1-float64(seen)/float64(max(l.Frames, 1)), min(float64(k.UpToNS), float64(l.MaxNS)))
	}
	return strings.TrimSpace(b.String())
}
