package result

import (
	"cmp"
	"slices"
)

// LossSide says whose loss a dropped frame is.
type LossSide string

// The values of LossSide.
const (
	DUTSide    LossSide = "dut"
	TesterSide LossSide = "tester"
)

// Ledger says where each frame of a trial went, or of several trials together:
// sent = received + all drops + unexplained. All counts are frames.
type Ledger struct {
	// Trials is the number of trials that were added up.
	Trials int `json:"trials"`
	// Traced tells that a program saw every drop in the kernel. Without it the drops are
	// those that counters tell of, and what a rule dropped is unexplained.
	Traced bool `json:"traced"`
	// LoadPPS is the intended load per direction of the trials; absent in the ledger of one trial.
	LoadPPS  float64 `json:"load_pps,omitempty"`
	Sent     uint64  `json:"sent"`
	Received uint64  `json:"received"`
	// Drops are the named losses, the largest first.
	Drops []Drop `json:"drops"`
	// Unexplained is what no drop names: sent - received - the sum of the drops. It
	// is below 0 if more drops were counted than frames are missing.
	Unexplained int64 `json:"unexplained"`
	// Counters are the kernel's counters that grew meanwhile. They describe frames
	// that are among the drops already, or frames that nobody lost, and are never added.
	Counters []Counter `json:"counters"`
}

// Drop is a number of test frames that were dropped for one reason at one place.
type Drop struct {
	// Reason is the kernel's drop reason (enum skb_drop_reason of its BTF, without
	// SKB_DROP_REASON_), or, where frames are dropped before there is an skb, one of
	// RECEIVE_RING_FULL, XDP_DROP, XDP_RX_ERROR, DEVICE_DOWN, REDIRECT_FAILED_* and XMIT_FAILED_*.
	Reason string `json:"reason"`
	// Place is the function of the kernel that dropped the frames, with the offset of
	// the instruction (/proc/kallsyms), or the counter that tells of them.
	Place string `json:"place"`
	// Side is dut for losses of the DUT, among them its full receive ring, and tester
	// for losses of the instrument, among them the sink's full receive ring.
	Side LossSide `json:"side"`
	// Device is the device that the frames were on; empty if that is not known.
	Device string `json:"device,omitempty"`
	Frames uint64 `json:"frames"`
}

// Counter is the growth of a counter of the kernel.
type Counter struct {
	// Name is the counter's own: Ip.InHdrErrors (RFC 4293), conntrack.drop, qdisc.tbf.drops, ...
	Name   string `json:"name"`
	Device string `json:"device,omitempty"`
	Frames uint64 `json:"frames"`
	// Explains names the drop reasons that the counter tells of in other words;
	// empty if it counts frames that nobody lost.
	Explains []string `json:"explains,omitempty"`
}

// maxUnexplainedRatio is the share of the sent frames up to which a ledger balances.
const maxUnexplainedRatio = 0.001

// UnexplainedRatio is the share of the sent frames that no drop names. It is
// below 0 if more drops were counted than frames are missing.
func (l *Ledger) UnexplainedRatio() float64 {
	if l == nil || l.Sent == 0 {
		return 0
	}
	return float64(l.Unexplained) / float64(l.Sent)
}

// Balanced tells whether at most 0.1 % of the sent frames are unexplained.
func (l *Ledger) Balanced() bool {
	r := l.UnexplainedRatio()
	return r <= maxUnexplainedRatio && r >= -maxUnexplainedRatio
}

// Dropped is the number of frames whose loss has a name.
func (l *Ledger) Dropped() uint64 {
	var sum uint64
	for _, d := range l.Drops {
		sum += d.Frames
	}
	return sum
}

// Missing is the number of frames that were sent and not received.
func (l *Ledger) Missing() uint64 {
	if l.Received > l.Sent {
		return 0
	}
	return l.Sent - l.Received
}

// Close sorts the entries, the largest first, and sets Unexplained.
func (l *Ledger) Close() {
	slices.SortStableFunc(l.Drops, func(a, b Drop) int {
		return cmp.Or(cmp.Compare(b.Frames, a.Frames), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Place, b.Place), cmp.Compare(a.Device, b.Device))
	})
	slices.SortStableFunc(l.Counters, func(a, b Counter) int {
		return cmp.Or(cmp.Compare(b.Frames, a.Frames), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Device, b.Device))
	})
	l.Unexplained = int64(l.Sent) - int64(l.Received) - int64(l.Dropped())
}

// SumLedgers adds up the ledgers of some trials; nil if none of them lost a frame.
func SumLedgers(trials []Trial) *Ledger {
	sum := &Ledger{Traced: true, Drops: []Drop{}, Counters: []Counter{}}
	lost := false
	for _, t := range trials {
		sum.Trials++
		sum.Sent += t.Sent
		sum.Received += t.Received
		if t.Ledger == nil {
			continue
		}
		lost = true
		sum.Traced = sum.Traced && t.Ledger.Traced
		for _, d := range t.Ledger.Drops {
			sum.addDrop(d)
		}
		for _, c := range t.Ledger.Counters {
			sum.addCounter(c)
		}
	}
	if !lost {
		return nil
	}
	sum.Close()
	return sum
}

func (l *Ledger) addDrop(d Drop) {
	for i := range l.Drops {
		o := &l.Drops[i]
		if o.Reason == d.Reason && o.Place == d.Place && o.Side == d.Side && o.Device == d.Device {
			o.Frames += d.Frames
			return
		}
	}
	l.Drops = append(l.Drops, d)
}

func (l *Ledger) addCounter(c Counter) {
	for i := range l.Counters {
		o := &l.Counters[i]
		if o.Name == c.Name && o.Device == c.Device {
			o.Frames += c.Frames
			return
		}
	}
	l.Counters = append(l.Counters, c)
}
