package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/linerate/linerate/result"
)

// cpuChart is the busy time of each core in stacked bars; widths are percentages, heights pixels.
type cpuChart struct {
	ID, Title, Description string
	Height                 int
	Bars                   []cpuBar
}

type cpuBar struct {
	Label, Busy  string
	LabelY, Y, H int
	Parts        []cpuPart
}

type cpuPart struct {
	Class, Tip string
	X, Width   float64
}

// Rows of the CPU chart, in pixels.
const (
	cpuRowHeight = 38
	cpuBarHeight = 14
)

func cpuChartOf(c cell, index int) *cpuChart {
	if c.CPU == nil || len(c.CPU.PerCore) == 0 {
		return nil
	}
	ch := &cpuChart{ID: fmt.Sprintf("cpu-%d", index), Title: "CPU time per core at the throughput: " + c.Label, Height: cpuRowHeight * len(c.CPU.PerCore)}
	for i, core := range c.CPU.PerCore {
		y := i * cpuRowHeight
		b := cpuBar{Label: fmt.Sprintf("CPU %d", core.CPU), LabelY: y + 13, Y: y + 19, H: cpuBarHeight, Busy: fmt.Sprintf("%.0f %% busy", 100*(1-core.Idle)) + ownersText(core)}
		if core.Role != "" {
			b.Label += " · " + roleName(core.Role)
		}
		at := 0.0
		for _, p := range coreParts(core) {
			width := 100 * max(0, min(p.share, 1-at/100))
			b.Parts = append(b.Parts, cpuPart{Class: p.class, X: at, Width: width, Tip: fmt.Sprintf("CPU %d %s %.1f %%", core.CPU, p.class, 100*p.share)})
			at += width
		}
		ch.Bars = append(ch.Bars, b)
		ch.Description += fmt.Sprintf("CPU %d %s: user %.1f, system %.1f, softirq %.1f, irq %.1f, steal %.1f, idle %.1f %%. ",
			core.CPU, core.Role, 100*core.User, 100*core.System, 100*core.SoftIRQ, 100*core.IRQ, 100*core.Steal, 100*core.Idle)
	}
	return ch
}

func roleName(role string) string {
	if role == "dut" {
		return "DUT"
	}
	return role
}

// ownersText says whose work a CPU did beside the DUT's and the generator's.
func ownersText(c result.Core) (text string) {
	if c.Sink >= 0.005 {
		who := "sink"
		if strings.Contains(c.Role, "client") || strings.Contains(c.Role, "server") {
			who = "the programs' threads"
		}
		text += fmt.Sprintf(", %s %.0f %%", who, 100*c.Sink)
	}
	if c.Foreign >= 0.005 {
		text += fmt.Sprintf(", other programs %.0f %%", 100*c.Foreign)
	}
	return text
}

type coreShare struct {
	class string
	share float64
}

func coreParts(c result.Core) []coreShare {
	return []coreShare{{"softirq", c.SoftIRQ}, {"system", c.System}, {"user", c.User}, {"irq", c.IRQ}, {"steal", c.Steal}}
}

// latencyChart is a histogram over a logarithmic axis of time, with its percentiles.
type latencyChart struct {
	ID, Title, Description string
	Ticks                  []tick
	Bins                   []latencyBin
	Marks                  []latencyMark
}

type latencyBin struct {
	X, Width, Y, Height float64
	Tip                 string
}

type latencyMark struct {
	X, LabelY           float64
	Name, Value, Anchor string
}

// The latency chart's heights in pixels, and its number of bins.
const (
	latencyTop, latencyBottom = 46.0, 132.0
	latencyBins               = 44
)

func latencyChartOf(c cell, index int) *latencyChart {
	l := c.Latency
	if l == nil || l.MaxNS == 0 {
		return nil
	}
	ch := &latencyChart{ID: fmt.Sprintf("latency-%d", index), Title: "Latency at the throughput: " + c.Label, Description: latencyLine(l)}
	scale := logScale{from: max(1, 0.9*float64(l.MinNS)), to: 1.1 * float64(l.MaxNS)}
	for e := math.Ceil(math.Log10(scale.from)); math.Pow(10, e) <= scale.to; e++ {
		ns := math.Pow(10, e)
		ch.Ticks = append(ch.Ticks, tick{scale.percent(ns), timeTick(ns)})
	}
	ch.Bins = latencyHistogram(l, scale)
	for _, p := range []struct {
		name string
		ns   uint64
	}{{"P50", l.P50NS}, {"P99", l.P99NS}, {"P99.9", l.P999NS}, {"max", l.MaxNS}} {
		m := latencyMark{X: scale.percent(float64(p.ns)), Name: p.name, Value: timeNS(p.ns), Anchor: "start"}
		if m.X > 60 {
			m.Anchor = "end"
		}
		ch.Marks = append(ch.Marks, m)
	}
	placeLabels(ch.Marks)
	return ch
}

// The rows of labels over the histogram, in pixels, and the width of a character in percent
// of a chart as narrow as a phone has it.
const (
	latencyLabels    = 3
	firstLabelY      = 11.0
	labelStepY       = 13.0
	characterPercent = 2.0
)

// placeLabels gives each label the first row in which it covers none before it.
func placeLabels(marks []latencyMark) {
	type span struct{ from, to float64 }
	var rows [latencyLabels][]span
	for i := range marks {
		m := &marks[i]
		width := characterPercent * float64(len([]rune(m.Name+" "+m.Value)))
		at := span{m.X, m.X + width}
		if m.Anchor == "end" {
			at = span{m.X - width, m.X}
		}
		row := 0
		for row < latencyLabels-1 && slices.ContainsFunc(rows[row], func(s span) bool { return at.from < s.to && s.from < at.to }) {
			row++
		}
		rows[row] = append(rows[row], at)
		m.LabelY = firstLabelY + labelStepY*float64(row)
	}
}

func timeTick(ns float64) string {
	switch {
	case ns >= 1e9:
		return tickLabel(ns/1e9) + " s"
	case ns >= 1e6:
		return tickLabel(ns/1e6) + " ms"
	case ns >= 1e3:
		return tickLabel(ns/1e3) + " µs"
	}
	return tickLabel(ns) + " ns"
}

// latencyHistogram puts the buckets into equal steps of the axis. Heights grow
// with the logarithm of the frames: a tail of a few frames is what matters.
func latencyHistogram(l *result.Latency, scale logScale) []latencyBin {
	var frames [latencyBins]uint64
	most := uint64(0)
	for _, b := range l.Histogram {
		i := min(latencyBins-1, int(scale.percent(float64(b.UpToNS))/100*latencyBins))
		frames[i] += b.Frames
		most = max(most, frames[i])
	}
	var bins []latencyBin
	for i, n := range frames {
		if n == 0 {
			continue
		}
		h := (latencyBottom - latencyTop) * math.Log1p(float64(n)) / math.Log1p(float64(most))
		upTo := scale.from * math.Pow(scale.to/scale.from, float64(i+1)/latencyBins)
		bins = append(bins, latencyBin{X: 100 * float64(i) / latencyBins, Width: 100.0/latencyBins - 0.25, Y: latencyBottom - h, Height: h,
			Tip: fmt.Sprintf("up to %s: %s frames", timeNS(uint64(upTo)), Thousands(n))})
	}
	return bins
}
