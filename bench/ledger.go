package bench

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/linerate/linerate/observe/ledger"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
	"github.com/linerate/linerate/testbed/lab"
	"github.com/linerate/linerate/trial"
)

// LedgerConfig lists the devices that test frames pass, by their parts in the lab:
// "da" for "da-ID".
func LedgerConfig(l *lab.Lab, direct, tracked bool) ledger.Config {
	device := func(ns, name, peer string, side result.LossSide) ledger.Device {
		return ledger.Device{Netns: ns, Name: name, Label: strings.TrimSuffix(name, "-"+l.ID), Side: side, Peer: peer}
	}
	a, b := l.Ports(direct)
	if direct {
		return ledger.Config{Devices: []ledger.Device{
			device(a.Netns, a.Interface, b.Interface, result.TesterSide), device(b.Netns, b.Interface, a.Interface, result.TesterSide),
		}}
	}
	d := l.DUT
	devices := []ledger.Device{
		device(a.Netns, a.Interface, d.A.Interface, result.TesterSide), device(d.A.Netns, d.A.Interface, a.Interface, result.DUTSide),
		device(d.B.Netns, d.B.Interface, b.Interface, result.DUTSide), device(b.Netns, b.Interface, d.B.Interface, result.TesterSide),
	}
	for _, inner := range d.Inner {
		devices = append(devices, device(inner.Netns, inner.Interface, inner.Peer, result.DUTSide))
	}
	return ledger.Config{DUTNetns: d.Namespaces(), Conntrack: tracked, Devices: devices}
}

// Bounds on the trials that are made for the ledger.
const (
	ledgerTrials = 3
	ledgerTimeS  = 3
	// certainRatio is the share of the missing frames that full rings and programs have to
	// explain; else drops are traced.
	certainRatio = 0.99
)

// account writes the cell's ledger: that of the trials at the upper bound of the goal
// that the cell is described at, or, where counters leave frames there unexplained, that of
// trials made for it with the kernel's drops traced.
func (m *measurement) account(ctx context.Context, cell *result.Cell, bounds []search.Bounds) error {
	b := bounds[described(bounds)]
	if !b.HasUpper {
		return nil
	}
	counted := result.SumLedgers(atLoad(m.trials, b.UpperPPS))
	if counted == nil {
		return nil // nothing was lost, or this testbed keeps no ledger
	}
	if certain(counted) {
		cell.Ledger = counted
	} else if err := m.traceLoss(ctx, cell, b, bounds); err != nil {
		return err
	}
	l := cell.Ledger
	if l == nil {
		return nil
	}
	l.LoadPPS = b.UpperPPS
	if !l.Balanced() {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "ledger-unbalanced", Text: fmt.Sprintf("%d of %d frames sent at the upper bound are unexplained (%.2f %%): neither received nor under any named drop", l.Unexplained, l.Sent, 100*l.UnexplainedRatio())})
	}
	return nil
}

// certain tells whether counters that count nothing but lost test frames explain a ledger.
func certain(l *result.Ledger) bool {
	var sum uint64
	for _, d := range l.Drops {
		if ledger.Certain(d) {
			sum += d.Frames
		}
	}
	return float64(sum) >= certainRatio*float64(l.Missing())
}

// traceLoss makes trials at an upper bound with the kernel's drops traced, until one
// has lost a frame. The search never sees them: tracing costs the DUT some of its throughput.
func (m *measurement) traceLoss(ctx context.Context, cell *result.Cell, b search.Bounds, bounds []search.Bounds) error {
	m.purpose = result.ForLedger
	request := trial.Request{LoadPPS: b.UpperPPS, Duration: time.Duration(b.Goal.TrialDurationS * float64(time.Second)), Trace: true}
	var traced []result.Trial
	for n := 0; n < ledgerTrials && cell.Ledger == nil && (n == 0 || float64(n+1)*b.Goal.TrialDurationS <= ledgerTimeS); n++ {
		t, err := m.make(ctx, request, "where frames are lost; not counted")
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			cell.Warnings = append(cell.Warnings, result.Warning{Code: "ledger-missing", Text: fmt.Sprintf("where frames were lost could not be traced: %v", err)})
			return nil
		}
		if err := m.run.store.AppendTrial(t); err != nil {
			return err
		}
		m.run.events.TrialEnded(t, bounds)
		traced = append(traced, t)
		cell.Ledger = result.SumLedgers(traced)
	}
	return nil
}

// causeTexts say what the largest part of the loss means for the figure.
var causeTexts = map[result.Cause]string{
	result.Overload:   "the DUT was too slow",
	result.Policy:     "a rule or a program on the DUT dropped them, and more CPU would change nothing",
	result.Path:       "the DUT could not forward them, however fast it is",
	result.Instrument: "the tester lost them, not the DUT",
}

// ledgerEvidence says what became of the frames that were lost at the upper bound.
func ledgerEvidence(l *result.Ledger) []string {
	if l == nil || len(l.Drops) == 0 {
		return nil
	}
	byCause := map[result.Cause]uint64{}
	for _, d := range l.Drops {
		byCause[d.Cause()] += d.Frames
	}
	cause := result.Unknown
	for _, c := range []result.Cause{result.Overload, result.Policy, result.Path, result.Instrument} {
		if byCause[c] > byCause[cause] {
			cause = c
		}
	}
	d := l.Drops[0]
	text := fmt.Sprintf("%.1f %% of the %d frames missing there were %s on %s: %s", percent(float64(d.Frames), float64(l.Missing())), l.Missing(), d.Reason, cmp.Or(d.Device, "the DUT"), d.Meaning())
	if says := causeTexts[cause]; says != "" {
		text += fmt.Sprintf("; %.1f %% in all say that %s", percent(float64(byCause[cause]), float64(l.Missing())), says)
	}
	return []string{text}
}
