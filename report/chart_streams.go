package report

import "fmt"

// streamChart has one bar for each cell, stacked of its streams, in groups by the number
// of streams. Widths are percentages, as in the bar chart of frames.
type streamChart struct {
	Title, Description string
	Height, AxisY      int
	Ticks              []tick
	Rows               []streamBar
}

type streamBar struct {
	// Group is set on the first bar of a group.
	Group         string
	GroupY        int
	Label, Value  string
	Y, TextY      int
	Width         float64
	Parts         []streamPart
	Direct        float64
	DirectTip     string
	HasDirectMark bool
	Missing       string
}

// streamPart is one stream: Class is one of the chart's colours in turn.
type streamPart struct {
	Class, Tip string
	X, Width   float64
}

// streamColours is how many colours the streams take in turn.
const streamColours = 6

const streamGroupGap = 8

// streamChartOf is nil for a run without streams.
func streamChartOf(d digest) *streamChart {
	cells := streamCells(d)
	if len(cells) == 0 {
		return nil
	}
	ch := &streamChart{Title: "Payload that arrived, Gbit/s, by stream",
		Description: "One bar for each scenario, in groups by the number of streams; each part of a bar is one stream. A vertical mark is what the same streams carry over a direct link without a device. The numbers are those of the table above."}
	top := 0.0
	for _, c := range cells {
		top = max(top, c.TotalReceiverL4BPS, c.DirectL4BPS)
	}
	if top == 0 {
		top = 1e9
	}
	top *= 1.06
	y, group := 4, ""
	for i, c := range cells {
		b := streamBar{Label: c.Name}
		if g := streamsLabel(c) + ", " + streamCount(c.Flows); g != group {
			group = g
			if i > 0 {
				y += streamGroupGap
			}
			b.Group, b.GroupY = g, y+14
			y += barLabelHeight
		}
		b.Y, b.TextY = y+1, y+12
		if !c.measured() {
			b.Missing = "skipped"
		} else {
			b.fill(c, top)
		}
		ch.Rows = append(ch.Rows, b)
		y += barHeight + 3
	}
	ch.AxisY, ch.Height = y+4, y+4+barAxisHeight
	for _, v := range niceTicks(top/1e9, 6) {
		ch.Ticks = append(ch.Ticks, tick{labelShare + streamShare*v*1e9/top, tickLabel(v)})
	}
	return ch
}

// labelShare is the width of the scenario's name to the left of its bar, and streamShare
// that of the longest bar, in percent.
const (
	labelShare  = 14.0
	streamShare = 66.0
)

func (b *streamBar) fill(c cell, top float64) {
	x := labelShare
	for i, s := range c.Streams {
		w := streamShare * s.ReceiverL4BPS / top
		tip := fmt.Sprintf("%s, stream %d of %d: %s Gbit/s", c.Name, i+1, len(c.Streams), gbit(s.ReceiverL4BPS))
		b.Parts = append(b.Parts, streamPart{Class: fmt.Sprintf("stream%d", i%streamColours), X: x, Width: w, Tip: tip})
		x += w
	}
	b.Width = x
	b.Value = gbit(c.TotalReceiverL4BPS)
	if c.BaseRatio > 0 {
		b.Value += fmt.Sprintf(" (%.2f times)", c.BaseRatio)
	}
	if endBound(c) && c.Scenario != noDevice {
		b.Value += ", end hosts the limit"
	}
	if c.DirectL4BPS > 0 && c.Scenario != noDevice {
		b.HasDirectMark, b.Direct = true, labelShare+streamShare*c.DirectL4BPS/top
		b.DirectTip = "without a device: " + gbit(c.DirectL4BPS) + " Gbit/s"
	}
}

func streamCount(n int) string {
	if n == 1 {
		return "1 stream"
	}
	return fmt.Sprintf("%d streams", n)
}
