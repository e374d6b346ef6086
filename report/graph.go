package report

import (
	"fmt"
	"math"
	"strings"
)

// graph is a diagram with lines, as text and as SVG. Both axes begin at 0.
type graph struct {
	ID, Title, XName, YName string
	// XTop and YTop are the right end and the top.
	XTop, YTop float64
	XTicks     []graphTick
	YTicks     []graphTick
	Lines      []graphLine
}

type graphTick struct {
	At    float64
	Label string
}

// graphLine is one line of a graph; Dashed is a limit rather than a result.
type graphLine struct {
	Name   string
	Mark   string
	Points [][2]float64
	Dashed bool
}

// The plot of the text form, in characters.
const (
	graphColumns = 60
	graphRows    = 12
	lineMarks    = "*+oxs#%@&=~^"
)

// markOfLine is the sign of the i-th line in the text form.
func markOfLine(i int) string { return string(lineMarks[i%len(lineMarks)]) }

// Text draws the graph with characters; where two marks meet, the later one is seen.
func (g *graph) Text() string {
	cells := make([][]rune, graphRows+1)
	for r := range cells {
		cells[r] = []rune(strings.Repeat(" ", graphColumns+1))
	}
	at := func(v, top float64, n int) int {
		if top <= 0 {
			return 0
		}
		return int(math.Round(float64(n) * max(0, min(1, v/top))))
	}
	for _, l := range g.Lines {
		for i, p := range l.Points {
			x, y := at(p[0], g.XTop, graphColumns), at(p[1], g.YTop, graphRows)
			if i > 0 {
				g.join(cells, at(l.Points[i-1][0], g.XTop, graphColumns), at(l.Points[i-1][1], g.YTop, graphRows), x, y)
			}
			cells[graphRows-y][x] = []rune(l.Mark)[0]
		}
	}
	labels := map[int]string{}
	width := 0
	for _, t := range g.YTicks {
		labels[graphRows-at(t.At, g.YTop, graphRows)] = t.Label
		width = max(width, len([]rune(t.Label)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", g.YName)
	for r, row := range cells {
		fmt.Fprintf(&b, "%*s |%s\n", width, labels[r], strings.TrimRight(string(row), " "))
	}
	fmt.Fprintf(&b, "%*s +%s\n", width, "", strings.Repeat("-", graphColumns+1))
	axis := []rune(strings.Repeat(" ", width+2+graphColumns+10))
	for _, t := range g.XTicks {
		label := []rune(t.Label)
		from := max(0, width+2+at(t.At, g.XTop, graphColumns)-len(label)/2)
		copy(axis[from:], label)
	}
	fmt.Fprintf(&b, "%s\n%*s\n", strings.TrimRight(string(axis), " "), width+3+graphColumns, g.XName)
	for _, l := range g.Lines {
		fmt.Fprintf(&b, "%*s %s %s\n", width, "", l.Mark, l.Name)
	}
	return b.String()
}

// join dots the way between two marks.
func (g *graph) join(cells [][]rune, x0, y0, x1, y1 int) {
	n := max(abs(x1-x0), abs(y1-y0))
	for i := 1; i < n; i++ {
		x, y := x0+(x1-x0)*i/n, y0+(y1-y0)*i/n
		if c := &cells[graphRows-y][x]; *c == ' ' {
			*c = '.'
		}
	}
}

func abs(v int) int { return max(v, -v) }

// The drawing area of the SVG, in units of its view box.
const (
	plotWidth, plotHeight = 620.0, 300.0
	plotLeft, plotRight   = 62.0, 600.0
	plotTop, plotBottom   = 26.0, 250.0
)

// SVGTick is a tick in place.
type SVGTick struct {
	At    float64
	Label string
}

// SVGLine is a line in place; Class is its colour.
type SVGLine struct {
	Name, Class, Points string
	Marks               [][2]float64
}

// Width and Height are those of the view box; Left, Right, Top and Bottom those of the axes.
func (g *graph) Width() float64  { return plotWidth }
func (g *graph) Height() float64 { return plotHeight }

// Left is where the vertical axis stands.
func (g *graph) Left() float64 { return plotLeft }

// Right is the end of the horizontal axis.
func (g *graph) Right() float64 { return plotRight }

// Top is the end of the vertical axis.
func (g *graph) Top() float64 { return plotTop }

// Bottom is where the horizontal axis stands.
func (g *graph) Bottom() float64 { return plotBottom }

func (g *graph) x(v float64) float64 {
	return plotLeft + (plotRight-plotLeft)*max(0, min(1, v/max(g.XTop, 1e-9)))
}

func (g *graph) y(v float64) float64 {
	return plotBottom - (plotBottom-plotTop)*max(0, min(1, v/max(g.YTop, 1e-9)))
}

// SVGX and SVGY are the ticks in place.
func (g *graph) SVGX() []SVGTick { return placed(g.XTicks, g.x) }

// SVGY are the ticks of the vertical axis in place.
func (g *graph) SVGY() []SVGTick { return placed(g.YTicks, g.y) }

func placed(ticks []graphTick, at func(float64) float64) []SVGTick {
	var list []SVGTick
	for _, t := range ticks {
		list = append(list, SVGTick{at(t.At), t.Label})
	}
	return list
}

// SVGLines are the lines in place.
func (g *graph) SVGLines() []SVGLine {
	var list []SVGLine
	for i, l := range g.Lines {
		s := SVGLine{Name: l.Name, Class: fmt.Sprintf("line%d", i%4)}
		if l.Dashed {
			s.Class += " dashed"
		}
		var points []string
		for _, p := range l.Points {
			s.Marks = append(s.Marks, [2]float64{g.x(p[0]), g.y(p[1])})
			points = append(points, fmt.Sprintf("%.1f,%.1f", g.x(p[0]), g.y(p[1])))
		}
		s.Points = strings.Join(points, " ")
		list = append(list, s)
	}
	return list
}
