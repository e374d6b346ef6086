package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/result"
)

// leastWithLedger is the share of its forwarding rate that a router should keep in
// the trials that count.
const leastWithLedger = 0.98

// ledgerSetup is one way of loading the router and of watching it.
type ledgerSetup struct {
	name string
	// share of the throughput that is offered.
	share float64
	// drop makes the router drop every second frame by a rule.
	drop bool
	// trace names every drop of the kernel; else the ledger is made of counters.
	trace bool
	// figure is what is compared.
	figure func(result.Trial) float64
	unit   string
}

func ledgerSetups() []ledgerSetup {
	perPacket := func(m result.Trial) float64 { return m.CPU.NSPerPacket }
	delivered := func(m result.Trial) float64 { return m.ReceivedPPS() / 1e6 }
	return []ledgerSetup{
		{"counters, overload", 1.5, false, false, delivered, "Mpps delivered"},
		{"traced, below T", 0.7, false, true, perPacket, "DUT ns/packet"},
		{"traced, overload", 1.5, false, true, delivered, "Mpps delivered"},
		{"traced, a rule drops half", 1.5, true, true, delivered, "Mpps delivered"},
	}
}

// ledgerCost compares a router of which a ledger is kept with the same router without.
func ledgerCost(ctx context.Context, s *session, t *table) (err error) {
	pairs, duration := pick(s, 7, 3), pick(s, time.Second, 500*time.Millisecond)
	t.Compared = fmt.Sprintf("a router of the lab with a ledger and without, below its throughput T and above it: the ledger of every trial, made of counters, "+
		"and that of the trials of purpose ledger, with the kernel's drops traced; %d pairs of trials of %v for each, AB or BA by chance", pairs, duration)
	t.Wanted = "counters keep at least 0.98 of the rate delivered, in the median of the pairs; what tracing costs is why it has trials of its own"
	t.columns = []column{
		{"ledger", "ledger", "%s"}, {"load / T", "load_over_throughput", "%.2f"}, {"figure", "figure", "%s"}, {"with", "with", "%.4f"}, {"without", "without", "%.4f"},
		{"ratio", "ratio_median", "%.4f"}, {"least", "ratio_least", "%.4f"}, {"most", "ratio_most", "%.4f"}, {"skb drops traced", "traced_frames", "%d"},
	}
	r, err := openRig()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	s.say("ledger: searching the throughput")
	throughput, err := r.throughput(ctx)
	if err != nil {
		return err
	}
	order := rand.New(rand.NewPCG(s.seed, 2))
	for _, setup := range ledgerSetups() {
		if err := r.compareLedger(ctx, s, t, setup, throughput, order, pairs, duration); err != nil {
			return err
		}
	}
	t.note("T is the conditional throughput of the PDR, found just before: %.3f Mpps", throughput/1e6)
	return nil
}

// compareLedger makes the pairs of one setup.
func (r *rig) compareLedger(ctx context.Context, s *session, t *table, setup ledgerSetup, throughput float64, order *rand.Rand, pairs int, duration time.Duration) (err error) {
	if setup.drop {
		undo, err := r.dropHalf()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, undo()) }()
	}
	watch := r.bed.Ledger
	defer func() { r.bed.Ledger = watch }()
	var ratios figures
	var sides [2]figures // without, with
	var drops uint64
	for n := range pairs {
		s.say("ledger: %s, pair %d of %d", setup.name, n+1, pairs)
		withFirst := order.IntN(2) == 0
		var values [2]float64
		for half := range 2 {
			side := 0
			r.bed.Ledger = nil
			if (half == 0) == withFirst {
				side, r.bed.Ledger = 1, watch
			}
			m, err := r.measureTraced(ctx, setup.share*throughput, duration, side == 1 && setup.trace)
			if err != nil {
				return err
			}
			if m.Ledger != nil && m.Ledger.Traced {
				drops += m.Ledger.Dropped() - m.DUTInputDrops - m.TesterDrops
			}
			values[side] = setup.figure(m)
			sides[side] = append(sides[side], values[side])
		}
		if values[0] == 0 {
			return fmt.Errorf("pair %d: nothing arrived; stop what else runs on this machine", n+1)
		}
		ratios = append(ratios, values[1]/values[0])
	}
	t.add(setup.name, setup.share, setup.unit, sides[1].median(), sides[0].median(), ratios.median(), ratios.least(), ratios.most(), drops)
	if !setup.trace {
		t.want(atLeast("delivered with a ledger of counters / without", ratios.median(), leastWithLedger, ""))
	}
	return nil
}

// dropHalf makes the router drop every second frame until undo is called.
func (r *rig) dropHalf() (undo func() error, err error) {
	rules := func(text string) journal.Action {
		return journal.Action{Kind: journal.Command, Netns: r.lab.DUT.Netns, Argv: []string{"nft", "-f", "-"}, Stdin: text}
	}
	applied, err := dut.Apply([]dut.Step{{
		Do:   rules("table ip perf {\n chain forward {\n type filter hook forward priority 0\n numgen inc mod 2 == 0 drop\n }\n}\n"),
		Undo: rules("delete table ip perf\n"),
	}}, r.journal)
	if err != nil {
		return nil, err
	}
	return applied.Undo, nil
}
