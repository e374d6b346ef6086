package result

import (
	"encoding/json"
	"testing"
)

func ledgerOf(sent, received uint64, drops ...Drop) *Ledger {
	l := &Ledger{Trials: 1, Traced: true, Sent: sent, Received: received, Drops: drops}
	l.Close()
	return l
}

func TestLedgerBalances(t *testing.T) {
	ring := Drop{Reason: "RECEIVE_RING_FULL", Side: DUTSide, Device: "da", Frames: 100}
	for _, tt := range []struct {
		received    uint64
		unexplained int64
		balanced    bool
	}{{9900, 0, true}, {9890, 10, true}, {9889, 11, false}, {9910, -10, true}, {9911, -11, false}} {
		l := ledgerOf(10_000, tt.received, ring)
		if l.Unexplained != tt.unexplained || l.Balanced() != tt.balanced {
			t.Errorf("received %d: %d unexplained, balanced %v; want %d, %v", tt.received, l.Unexplained, l.Balanced(), tt.unexplained, tt.balanced)
		}
	}
}

func TestSumLedgers(t *testing.T) {
	ring := Drop{Reason: "RECEIVE_RING_FULL", Side: DUTSide, Device: "da", Frames: 100}
	rule := Drop{Reason: "NETFILTER_DROP", Side: DUTSide, Device: "da", Frames: 150}
	trials := []Trial{{Sent: 1000, Received: 900, Ledger: ledgerOf(1000, 900, ring)}, {Sent: 1000, Received: 1000}, {Sent: 1000, Received: 745, Ledger: ledgerOf(1000, 745, ring, rule)}}
	l := SumLedgers(trials)
	if l.Trials != 3 || l.Sent != 3000 || l.Received != 2645 || l.Unexplained != 5 || l.Dropped() != 350 || len(l.Drops) != 2 || l.Drops[0].Reason != "RECEIVE_RING_FULL" || l.Drops[0].Frames != 200 {
		t.Errorf("%+v", l)
	}
	if l := SumLedgers(trials[1:2]); l != nil {
		t.Errorf("trials without loss have the ledger %+v", l)
	}
}

func TestTrialWithoutLossHasNoLedger(t *testing.T) {
	text, err := json.Marshal(Trial{})
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	if _, there := keys["ledger"]; there {
		t.Errorf("a trial without loss is written with a ledger: %s", text)
	}
}

func TestCause(t *testing.T) {
	for _, tt := range []struct {
		drop Drop
		want Cause
	}{
		{Drop{Reason: "RECEIVE_RING_FULL", Side: DUTSide}, Overload},
		{Drop{Reason: "RECEIVE_RING_FULL", Side: TesterSide}, Instrument},
		{Drop{Reason: "NETFILTER_DROP", Place: "nft_do_chain+0x3e8", Side: DUTSide}, Policy},
		{Drop{Reason: "NETFILTER_DROP", Place: "connection tracking (nf_hook_slow+0x7d)", Side: DUTSide}, Overload},
		{Drop{Reason: "NOT_SPECIFIED", Place: "ip_error+0x94", Side: DUTSide}, Path},
		{Drop{Reason: "NOT_SPECIFIED", Place: "elsewhere+0x1", Side: DUTSide}, Unknown},
		{Drop{Reason: "A_REASON_OF_TOMORROW", Side: DUTSide}, Unknown},
	} {
		if got := tt.drop.Cause(); got != tt.want || tt.drop.Meaning() == "" {
			t.Errorf("%+v is %s (%s), want %s", tt.drop, got, tt.drop.Meaning(), tt.want)
		}
	}
}
