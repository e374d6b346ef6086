package report

import (
	"fmt"
	"slices"

	"github.com/linerate/linerate/result"
)

// layersBelow are the scenarios that a scenario is built upon, the nearest first: what
// its latency is set against. Those that are not listed are routers.
var layersBelow = map[string][]string{
	"none": nil, "route": {"none"}, "bridge": {"none"}, "xdp": {"xdp-bridge", "none"}, "xdp-bridge": {"none"}, "testpmd": {"none"}, "ovs": {"none"},
	"snat": {"conntrack", "route", "none"},
}

func below(scenario string) []string {
	if list, ok := layersBelow[scenario]; ok {
		return list
	}
	return []string{"route", "none"}
}

// layer is one scenario's latency at a load that others have too.
type layer struct {
	name, scenario, backend string
	at                      result.LatencyAt
}

// layerGroup are the scenarios with the same traffic at the same load.
type layerGroup struct {
	traffic string
	loadPPS float64
	layers  []layer
}

// layerGroups are the loads that the plan fixes and at which at least two scenarios
// were measured. Without a cell of scenario none the tester's floor stands for it.
func layerGroups(d digest) []layerGroup {
	var groups []layerGroup
	for _, c := range d.Cells {
		for _, at := range c.LatencyAt {
			if at.LoadRatio > 0 || at.Latency == nil {
				continue
			}
			traffic := c.Traffic + fmt.Sprintf(", IPv%d", c.IPVersion)
			i := slices.IndexFunc(groups, func(g layerGroup) bool { return g.traffic == traffic && g.loadPPS == at.LoadPPS })
			if i < 0 {
				i = len(groups)
				groups = append(groups, layerGroup{traffic: traffic, loadPPS: at.LoadPPS})
				if f, ok := d.Run.LatencyFloor(c.Cell, at.LoadPPS); ok && c.Scenario != "none" && f.LoadPPS == at.LoadPPS && f.Latency != nil && !hasNone(d, c) {
					groups[i].layers = append(groups[i].layers, layer{name: "none (tester)", scenario: "none", at: f})
				}
			}
			groups[i].layers = append(groups[i].layers, layer{c.Name, c.Scenario, c.Backend, at})
		}
	}
	return slices.DeleteFunc(groups, func(g layerGroup) bool { return len(g.layers) < 2 })
}

// hasNone tells whether the traffic of a cell was measured without a DUT as a cell of its own.
func hasNone(d digest, c cell) bool {
	return slices.ContainsFunc(d.Cells, func(o cell) bool {
		return o.Scenario == "none" && o.Traffic == c.Traffic && o.IPVersion == c.IPVersion && len(o.LatencyAt) > 0
	})
}

// base is the layer that l is set against: the nearest one below it, with the same
// backend if there is a choice; nil if none was measured.
func (g layerGroup) base(l layer) *layer {
	for _, scenario := range below(l.scenario) {
		var found *layer
		for i, o := range g.layers {
			if o.scenario == scenario && (found == nil || o.backend == l.backend) {
				found = &g.layers[i]
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// layerTables has one table for each kind of traffic.
func layerTables(d digest) []figureTable {
	var tables []figureTable
	for _, g := range layerGroups(d) {
		title := "Latency by layer at the same load: " + g.traffic
		i := slices.IndexFunc(tables, func(t figureTable) bool { return t.Title == title })
		if i < 0 {
			i = len(tables)
			tables = append(tables, newLayerTable(title, i))
		}
		t := &tables[i]
		t.Rows = append(t.Rows, []string{fmt.Sprintf("%s Mpps per direction", Mpps(g.loadPPS))})
		for _, l := range g.layers {
			t.Rows = append(t.Rows, layerRows(g, l)...)
		}
		t.Charts = append(t.Charts, percentileChartOf(g, fmt.Sprintf("layers-%d-%d", i, len(t.Charts))))
	}
	return tables
}

func newLayerTable(title string, number int) figureTable {
	t := figureTable{Anchor: fmt.Sprintf("layers-%d", number), Title: title, Columns: []column{{"Scenario", false}}}
	for _, p := range percentiles {
		t.Columns = append(t.Columns, column{p.name, true})
	}
	t.Columns = append(t.Columns, column{"|IPDV|\nP99", true}, column{"lost", true})
	t.Notes = []string{
		"Every scenario forwards the same frames at the same load. A line \"over\" is how much more the scenario above it has at that percentile than the layer below: what it costs the typical frame (P50) and the unlucky ones (P99.9).",
		"A difference of percentiles is not the percentile of a difference: it says how far the whole curve moves, not what one frame would have saved. Percentiles are up to 3.1 % above the value, so less than that is no difference. P99.9 and max are also a measure of what else the machine did: repeat the run before building on them.",
	}
	return t
}

// layerRows are the figures of a layer, and below them what it adds to its base.
func layerRows(g layerGroup, l layer) [][]string {
	figures, added := []string{l.name}, []string{}
	base := g.base(l)
	if base != nil {
		added = append(added, "  over "+base.name)
	}
	for _, p := range percentiles {
		figures = append(figures, timeNS(p.of(*l.at.Latency)))
		if base != nil {
			added = append(added, signedTime(int64(p.of(*l.at.Latency))-int64(p.of(*base.at.Latency))))
		}
	}
	rows := [][]string{append(figures, timeNS(l.at.IPDVAmountP99NS), Percent(l.at.LossRatio))}
	if base != nil {
		rows = append(rows, append(added, signedTime(int64(l.at.IPDVAmountP99NS)-int64(base.at.IPDVAmountP99NS)), ""))
	}
	return rows
}
