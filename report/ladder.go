package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// ladder are the scenarios with the same traffic, the fastest first: from the tester
// alone down to the dearest thing that the DUT was made to do.
type ladder struct {
	Traffic string
	Rungs   []rung
	// Unpaced is of an engine that cannot be paced: the bars are what arrived, with loss.
	Unpaced bool
}

// rung is one scenario of a ladder; rates are per direction.
type rung struct {
	Name, Rate, PerCore, CostNS, OfRoute, Verdict string
	// Width is the length of the bar in percent of the longest.
	Width float64
	// Open is a lower bound, Tester the figure of generator and sink alone.
	Open, Tester bool
	pps          float64
}

// leastRungs is how many scenarios make a ladder.
const leastRungs = 3

// laddersOf are the ladders of a run, one for each kind of traffic that enough
// scenarios were measured with.
func laddersOf(d digest) []ladder {
	var ladders []ladder
	routes := map[string]float64{}
	for _, c := range d.Cells {
		if c.Variant != "" || !c.measured() || c.Unpaced == nil && !c.main().isFound() || c.Unpaced != nil && unpacedFigure(c.Cell).PerDirectionPPS <= 0 {
			continue
		}
		traffic := c.Traffic + fmt.Sprintf(", IPv%d", c.IPVersion)
		if c.Unpaced != nil {
			traffic += ", one load of " + c.Engine
		}
		i := slices.IndexFunc(ladders, func(l ladder) bool { return l.Traffic == traffic })
		if i < 0 {
			i = len(ladders)
			ladders = append(ladders, ladder{Traffic: traffic, Unpaced: c.Unpaced != nil})
		}
		if c.Scenario == "route" {
			routes[traffic] = rungOf(c).pps
		}
		ladders[i].Rungs = append(ladders[i].Rungs, rungOf(c))
	}
	ladders = slices.DeleteFunc(ladders, func(l ladder) bool { return len(l.Rungs) < leastRungs })
	for _, l := range ladders {
		slices.SortStableFunc(l.Rungs, func(a, b rung) int { return cmp.Compare(b.pps, a.pps) })
		for i := range l.Rungs {
			l.Rungs[i].against(l.Rungs[0].pps, routes[l.Traffic])
		}
	}
	return ladders
}

func rungOf(c cell) rung {
	f := c.main()
	if c.Unpaced != nil {
		f = unpacedFigure(c.Cell)
	}
	r := rung{Name: c.Name, Rate: f.amount(perDirection, Mpps), Verdict: c.verdict(), Open: f.Relation == AtLeast, Tester: c.Direct(), pps: f.PerDirectionPPS, CostNS: "-", PerCore: "-"}
	if c.CPU != nil && c.CPU.NSPerPacket > 0 && !c.Direct() {
		r.CostNS, r.PerCore = Thousands(uint64(c.CPU.NSPerPacket+0.5)), Mpps(1e9/c.CPU.NSPerPacket)
	}
	if r.Tester {
		r.Name += " (tester)"
	}
	return r
}

// against sets a rung beside the longest bar and beside routing.
func (r *rung) against(longest, route float64) {
	r.Width = 100 * r.pps / longest
	r.OfRoute = "-"
	if route > 0 {
		r.OfRoute = fmt.Sprintf("%.2f", r.pps/route)
	}
}

// The bar of a rung in text, in characters.
const rungColumns = 28

func (r rung) bar() string {
	n := max(1, int(r.Width/100*rungColumns+0.5))
	if r.Open {
		return strings.Repeat("█", max(1, n-1)) + "▶"
	}
	return strings.Repeat("█", n)
}

// RateText is the rate as HTML has it.
func (r rung) RateText() string { return pretty(r.Rate) }

// ladderSections are the ladders as sections of the report.
func ladderSections(d digest) []section {
	var list []section
	for i, l := range laddersOf(d) {
		s := section{
			Anchor: fmt.Sprintf("ladder-%d", i), Heading: "From the fastest to the dearest: " + l.Traffic,
			Columns: []column{{"Scenario", false}, {"Mpps", true}, {"", false}, {"of\nroute", true}, {"ns\n/pkt", true}, {"Mpps\n/core", true}, {"Verdict", false}},
			Ladder:  &l,
		}
		for _, r := range l.Rungs {
			s.Rows = append(s.Rows, []string{r.Name, r.Rate, r.bar(), r.OfRoute, r.CostNS, r.PerCore, r.Verdict})
		}
		what := "Mpps per direction at the goal that allows most loss. "
		if l.Unpaced {
			what = "Mpps per direction that arrived of one load that was not searched for: forwarding rates with loss, no throughput. "
		}
		s.Notes = []string{what + "\"of route\" is that figure as a share of what plain IP forwarding carries with the same traffic; \"ns/pkt\" is the DUT's CPU time for a packet, and \"Mpps/core\" what one core of it would carry if it did nothing else: the figure to compare ways of forwarding by, because a faster tester does not change it. A process that polls all the time takes its core whether packets come or not."}
		list = append(list, s)
	}
	return list
}
