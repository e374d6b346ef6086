package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/linerate/linerate/result"
)

// kernelPlot is what a graph over the kernels shows.
type kernelPlot struct {
	id, title, yName string
	value            func(result.Cell) (float64, bool)
}

// kernelGraph draws the scenarios over the kernels, with the most flows of each; nil if there is nothing to draw.
func kernelGraph(run *result.Run, p kernelPlot) *graph {
	if len(run.Kernels) < 2 {
		return nil
	}
	g := &graph{ID: p.id, Title: p.title, XName: "kernel", YName: p.yName, XTop: float64(len(run.Kernels))}
	most := slices.Max(run.Plan.Traffic.Flows)
	for _, group := range kernelGroups(run) {
		line := graphLine{Name: group.label, Mark: markOfLine(len(g.Lines))}
		for _, c := range group.cells {
			if v, measured := p.value(c); measured && c.Flows == most {
				at := slices.IndexFunc(run.Kernels, func(k result.Kernel) bool { return k.Name == c.Kernel })
				line.Points = append(line.Points, [2]float64{float64(at + 1), v})
				g.YTop = max(g.YTop, v)
			}
		}
		if len(line.Points) > 0 {
			g.Lines = append(g.Lines, line)
		}
	}
	if len(g.Lines) == 0 {
		return nil
	}
	for i := range run.Kernels {
		g.XTicks = append(g.XTicks, graphTick{float64(i + 1), strconv.Itoa(i + 1)})
	}
	step := roundStep(g.YTop / 4)
	for y := 0.0; y < g.YTop+step; y += step {
		g.YTicks = append(g.YTicks, graphTick{y, Thousands(uint64(y))})
	}
	g.YTop = g.YTicks[len(g.YTicks)-1].At
	return g
}

// roundStep is 1, 2 or 5 times a power of ten, the next above v.
func roundStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(max(v, 1))))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= v {
			return f * power
		}
	}
	return 10 * power
}
