package report

import (
	"strings"
	"testing"

	"github.com/linerate/linerate/result"
)

// addLedgers gives some cells of the fixture a ledger: a slow DUT, a rule and a full
// table, and one that does not balance.
func addLedgers(run *result.Run) {
	set := func(cell int, l result.Ledger) {
		l.Trials, l.Traced, l.LoadPPS = 5, false, run.Cells[cell].Goals[1].UpperPPS
		l.Close()
		run.Cells[cell].Ledger = &l
	}
	ring := result.Drop{Reason: "RECEIVE_RING_FULL", Place: "tx_dropped of a", Side: result.DUTSide, Device: "da", Frames: 4170}
	counters := []result.Counter{{Name: "Ip.ForwDatagrams", Frames: 704530}}
	set(1, result.Ledger{Sent: 708700, Received: 704518, Drops: []result.Drop{ring,
		{Reason: "RECEIVE_RING_FULL", Place: "tx_dropped of db", Side: result.TesterSide, Device: "b", Frames: 12}}, Counters: counters})
	defer func() { run.Cells[3].Ledger.Trials, run.Cells[3].Ledger.Traced = 1, true }()
	set(3, result.Ledger{Sent: 457300, Received: 448154, Drops: []result.Drop{
		{Reason: "NETFILTER_DROP", Place: "connection tracking (nf_hook_slow+0x7d)", Side: result.DUTSide, Device: "da", Frames: 5280},
		{Reason: "NETFILTER_DROP", Place: "nft_do_chain+0x3e8", Side: result.DUTSide, Device: "da", Frames: 2611}, {Reason: "NOT_SPECIFIED", Place: "ip_error+0x94", Side: result.DUTSide, Device: "da", Frames: 40},
		{Reason: "QDISC_DROP", Place: "__dev_queue_xmit+0xd01", Side: result.DUTSide, Device: "db", Frames: 1203}, {Reason: "RECEIVE_RING_FULL", Place: "tx_dropped of a", Side: result.DUTSide, Device: "da", Frames: 12}},
		Counters: []result.Counter{{Name: "conntrack.drop", Frames: 5280, Explains: []string{"NETFILTER_DROP"}}, {Name: "qdisc.tbf.drops", Device: "db", Frames: 1203, Explains: []string{"QDISC_DROP", "QDISC_OVERLIMIT", "QDISC_CONGESTED"}}}})
	set(4, result.Ledger{Sent: 440800, Received: 436100, Drops: []result.Drop{ring}, Counters: counters})
	run.Cells[4].Warnings = append(run.Cells[4].Warnings, result.Warning{Code: "ledger-unbalanced", Text: "530 of 440800 frames sent at the upper bound are unexplained (0.12 %): neither received nor under any named drop"})
}

func TestLedgerInEveryReport(t *testing.T) {
	run, trials := fixture()
	for _, w := range []Writer{Text{WidthColumns: 1000}, Markdown{}, HTML{}, JSON{}} {
		got := strings.ReplaceAll(string(written(t, w, run, trials)), `\_`, "_")
		for _, want := range []string{"RECEIVE_RING_FULL", "NETFILTER_DROP", "nexplained"} {
			if !strings.Contains(got, want) {
				t.Errorf("%T does not say %q", w, want)
			}
		}
	}
}

// TestLedgerChartIsToScale checks that the bands leave nothing out and stay in the picture.
func TestLedgerChartIsToScale(t *testing.T) {
	run, trials := fixture()
	charts := 0
	for i, c := range digestOf(run, trials).Cells {
		ch := ledgerChartOf(c, i)
		if (ch == nil) != (c.Ledger == nil) {
			t.Fatalf("cell %s: chart %v, ledger %v", c.ID, ch, c.Ledger)
		}
		if ch == nil {
			continue
		}
		charts++
		drops := 0
		for _, r := range ch.Rows {
			if r.share > 0 {
				drops++
			}
		}
		if len(ch.Nodes) != 3+drops || len(ch.Bands) != 2+drops {
			t.Errorf("cell %s: %d nodes and %d bands for %d reasons", c.ID, len(ch.Nodes), len(ch.Bands), drops)
		}
		received, lost := ch.Nodes[1].Height, ch.Nodes[2].Height
		if sum := received + lost; sum != ch.Nodes[0].Height {
			t.Errorf("cell %s: received and lost are %v high, sent %v", c.ID, sum, ch.Nodes[0].Height)
		}
		for _, n := range ch.Nodes {
			if n.Y < 0 || n.Y+n.Height > ch.Height || n.Height <= 0 {
				t.Errorf("cell %s: %s from %v to %v of %v", c.ID, n.Label, n.Y, n.Y+n.Height, ch.Height)
			}
		}
	}
	if charts != 3 {
		t.Errorf("%d charts, want 3", charts)
	}
}
