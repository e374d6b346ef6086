package report

import (
	"fmt"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// percentiles are the columns that every table of latencies has.
var percentiles = []struct {
	name string
	of   func(result.Latency) uint64
}{
	{"P50", func(l result.Latency) uint64 { return l.P50NS }}, {"P90", func(l result.Latency) uint64 { return l.P90NS }},
	{"P99", func(l result.Latency) uint64 { return l.P99NS }}, {"P99.9", func(l result.Latency) uint64 { return l.P999NS }},
	{"max", func(l result.Latency) uint64 { return l.MaxNS }},
}

var loadColumns = []column{{"Load", true}, {"Mpps", true}}

// loadRow begins a row of a load.
func loadRow(at result.LatencyAt) []string {
	load := "fixed"
	if at.LoadRatio > 0 {
		load = plan.Ratio(at.LoadRatio).String()
	}
	return []string{load, Mpps(at.LoadPPS)}
}

// latencyTable is nil for a run without latency trials.
func latencyTable(d digest) *figureTable {
	t := &figureTable{Anchor: "latency", Title: "Latency over load", Columns: append([]column{}, loadColumns...)}
	for _, p := range percentiles {
		t.Columns = append(t.Columns, column{p.name, true})
	}
	t.Columns = append(t.Columns, column{"tester\nP50", true}, column{"tester\nP99", true})
	for _, c := range d.Cells {
		if len(c.LatencyAt) > 0 {
			t.Rows = append(t.Rows, []string{c.Label})
		}
		for _, at := range c.LatencyAt {
			row := append(loadRow(at), percentileTexts(at.Latency)...)
			floor, ok := d.Run.LatencyFloor(c.Cell, at.LoadPPS)
			if c.Scenario == "none" || !ok || floor.Latency == nil {
				row = append(row, "-", "-")
			} else {
				row = append(row, timeNS(floor.Latency.P50NS), timeNS(floor.Latency.P99NS))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if t.Rows == nil {
		return nil
	}
	t.Notes = []string{
		"Latency is the time from the stamp that the generator writes into a frame until the sink's program sees it, of every frame that arrived. P99 is the time that 99 of 100 frames did not exceed.",
		fmt.Sprintf("Load is a share of the cell's throughput (%s), or fixed by the plan. RFC 2544 section 26.2 asks for the latency at the throughput, where queues are full; the lower loads show the device without them.", throughputGoal(d)),
		"tester is the same without a device between generator and sink, at the nearest load measured in this run: that part of every latency is the instrument's own. It is shown and not subtracted, because percentiles do not subtract.",
	}
	return t
}

// throughputGoal names the goal whose lower bound the loads are shares of.
func throughputGoal(d digest) string {
	if g := d.Run.Plan.Latency.ThroughputGoal; g != "" {
		return "the lower bound of " + g
	}
	return "the lower bound of the last goal that has one"
}

func percentileTexts(l *result.Latency) []string {
	texts := make([]string, len(percentiles))
	for i, p := range percentiles {
		texts[i] = "-"
		if l != nil {
			texts[i] = timeNS(p.of(*l))
		}
	}
	return texts
}

// variationTable is nil for a run without latency trials.
func variationTable(d digest) *figureTable {
	t := &figureTable{Anchor: "variation", Title: "Jitter and order over load", Columns: append(append([]column{}, loadColumns...),
		column{"PDV", true}, column{"IPDV\nmin", true}, column{"IPDV\nmedian", true}, column{"IPDV\nmax", true}, column{"|IPDV|\nP99", true},
		column{"reordered", true}, column{"duplicated", true}, column{"lost", true})}
	disturbed := 0
	for _, c := range d.Cells {
		if len(c.LatencyAt) > 0 {
			t.Rows = append(t.Rows, []string{c.Label})
		}
		for _, at := range c.LatencyAt {
			row := append(loadRow(at), "-", "-", "-", "-", "-")
			if at.Latency != nil {
				row[2] = timeNS(at.PDVNS)
			}
			if at.IPDVPairs > 0 {
				row = append(row[:3], signedTime(at.IPDVMinNS), signedTime(at.IPDVMedianNS), signedTime(at.IPDVMaxNS), timeNS(at.IPDVAmountP99NS))
			}
			if at.Disturbed != "" {
				disturbed++
			}
			t.Rows = append(t.Rows, append(row, Percent(at.ReorderedRatio), Percent(at.DuplicatedRatio), Percent(at.LossRatio)))
		}
	}
	if t.Rows == nil {
		return nil
	}
	t.Notes = []string{
		"PDV, packet delay variation, is P99.9 less the least latency: how much longer than the luckiest frame nearly every frame may take (RFC 8219 section 7.3.1).",
		"IPDV, inter-packet delay variation, is how much more latency a frame had than the one before it in its flow, with a minus if less (RFC 5481, RFC 8219 section 7.3.2). |IPDV| P99 leaves the sign away: the jitter that 99 of 100 pairs did not exceed.",
		"A frame is reordered if a later one of its flow came before it (RFC 4737), and duplicated if it came again; a router should do neither. Frames that were lost have no latency: read the percentiles of a row with loss as those of the lucky ones.",
	}
	if disturbed > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d of these trials were disturbed by the machine each time they were made: trials.jsonl says by what.", disturbed))
	}
	return t
}
