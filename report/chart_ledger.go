package report

import (
	"fmt"
	"math"

	"github.com/linerate/linerate/result"
)

// ledgerChart shows where the frames of a ledger went: from sent to received and
// lost, to scale, and from lost to its reasons, enlarged.
type ledgerChart struct {
	ID, Title, Description string
	Width, Height          float64
	Bands                  []ledgerBand
	Nodes                  []ledgerNode
	Rows                   []ledgerRow
	Counters               []result.Counter
	Line                   string
}

// ledgerBand is a flow from one node to another.
type ledgerBand struct{ Class, Path, Tip string }

type ledgerNode struct {
	Class               string
	X, Y, Width, Height float64
	Label, Value        string
	LabelX, LabelY      float64
}

// Measures of the picture, in units of its view box.
const (
	ledgerWidth     = 760.0
	ledgerLostX     = 250.0
	ledgerReasonX   = 430.0
	ledgerNodeWidth = 10.0
	ledgerRowHeight = 40.0
	ledgerTop       = 8.0
	ledgerLeastBand = 2.0
	ledgerGap       = 26.0
)

func ledgerChartOf(c cell, index int) *ledgerChart {
	l := c.Ledger
	if l == nil || l.Sent == 0 {
		return nil
	}
	ch := &ledgerChart{ID: fmt.Sprintf("ledger-%d", index), Title: "Where the frames went: " + c.Label, Width: ledgerWidth, Rows: ledgerRows(l), Counters: l.Counters, Line: ledgerLine(l)}
	ch.Description = ch.Line
	for _, r := range ch.Rows {
		ch.Description += fmt.Sprintf(" %s: %s.", r.name(), r.Frames)
	}
	var drawn []ledgerRow
	for _, r := range ch.Rows {
		if r.share > 0 {
			drawn = append(drawn, r)
		}
	}
	body := max(130, ledgerRowHeight*float64(len(drawn)))
	ch.Height = ledgerTop + body + 24
	ch.addTotals(l, body-ledgerGap)
	ch.addReasons(drawn, body, ch.Nodes[2])
	return ch
}

// addTotals draws sent, received and lost to scale; a part that is too thin to see is
// given a little more.
func (ch *ledgerChart) addTotals(l *result.Ledger, height float64) {
	lostShare := float64(l.Missing()) / float64(l.Sent)
	lost := math.Min(height-ledgerLeastBand, math.Max(ledgerLeastBand, height*lostShare))
	received := height - lost
	node := func(class, label, value string, x, y, h float64) ledgerNode {
		return ledgerNode{Class: class, X: x, Y: y, Width: ledgerNodeWidth, Height: h, Label: label, Value: value, LabelX: x + ledgerNodeWidth + 7, LabelY: y + 14}
	}
	sent := node("sent", "sent", Thousands(l.Sent), 0, ledgerTop, height)
	arrived := node("received", "received", Thousands(l.Received)+", "+Percent(1-lostShare), ledgerLostX, ledgerTop, received)
	missing := node("lost", "lost", Thousands(l.Missing())+", "+Percent(lostShare), ledgerLostX, ledgerTop+received+ledgerGap, lost)
	missing.LabelX, missing.LabelY = ledgerLostX+ledgerNodeWidth, missing.Y+lost+15 // below its bands
	ch.Nodes = append(ch.Nodes, sent, arrived, missing)
	ch.Bands = append(ch.Bands,
		ledgerBand{"received", band(sent.X+ledgerNodeWidth, sent.Y, received, arrived.X, arrived.Y, received), arrived.Label + " " + arrived.Value},
		ledgerBand{"lost", band(sent.X+ledgerNodeWidth, sent.Y+received, lost, missing.X, missing.Y, lost), missing.Label + " " + missing.Value})
}

// addReasons stacks the reasons over the whole height, so that a loss of 0.5 % can be seen.
func (ch *ledgerChart) addReasons(rows []ledgerRow, body float64, lost ledgerNode) {
	if len(rows) == 0 {
		return
	}
	sum := 0.0
	for _, r := range rows {
		sum += r.share
	}
	// Each row has room for its label; the rest is divided by the shares.
	spare := body - ledgerRowHeight*float64(len(rows))
	y, from := ledgerTop, lost.Y
	for _, r := range rows {
		share := r.share / sum
		room := ledgerRowHeight + spare*share
		h := math.Max(ledgerLeastBand, (room-8)*math.Min(1, 0.15+share))
		n := ledgerNode{Class: r.Class, X: ledgerReasonX, Y: y, Width: ledgerNodeWidth, Height: h, Label: r.name(), Value: r.Frames + ", " + r.OfLost + " of the lost",
			LabelX: ledgerReasonX + ledgerNodeWidth + 7, LabelY: y + 13}
		ch.Nodes = append(ch.Nodes, n)
		ch.Bands = append(ch.Bands, ledgerBand{r.Class, band(lost.X+ledgerNodeWidth, from, lost.Height*share, n.X, n.Y, h), n.Label + ": " + r.Frames + ", " + r.Meaning})
		from += lost.Height * share
		y += room
	}
}

// band is the outline of a flow that leaves at (x1, y1) and is h1 high, and arrives
// at (x2, y2) and is h2 high.
func band(x1, y1, h1, x2, y2, h2 float64) string {
	m := (x1 + x2) / 2
	return fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1fV%.1fC%.1f %.1f %.1f %.1f %.1f %.1fZ",
		x1, y1, m, y1, m, y2, x2, y2, y2+h2, m, y2+h2, m, y1+h1, x1, y1+h1)
}
