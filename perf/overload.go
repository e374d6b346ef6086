package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/linerate/linerate/result"
)

// leastOfThroughput is the share of its throughput that a router should still deliver under overload.
const leastOfThroughput = 0.7

// overload offers a router more than it can carry.
func overload(ctx context.Context, s *session, t *table) (err error) {
	rounds, duration := pick(s, 5, 2), pick(s, time.Second, 500*time.Millisecond)
	t.Compared = fmt.Sprintf("a router of the lab at 150 %% and 300 %% of its throughput T against T, 64 bytes, %d flows, trials of %v", flowCount, duration)
	t.Wanted = "at least 0.7 T reaches the sink: an overload must not collapse because of the lab"
	t.columns = []column{
		{"load / T", "load_over_throughput", "%.2f"}, {"asked Mpps", "asked_mpps", "%.3f"}, {"sent Mpps", "sent_mpps", "%.3f"}, {"delivered Mpps", "delivered_mpps", "%.3f"},
		{"/ T", "delivered_over_throughput", "%.2f"}, {"least", "least_over_throughput", "%.2f"}, {"most", "most_over_throughput", "%.2f"},
		{"lost %", "lost_percent", "%.1f"}, {"at DUT ring %", "dut_ring_percent", "%.1f"}, {"at sink ring %", "sink_ring_percent", "%.1f"},
		{"DUT cores", "dut_cores_busy", "%.2f"},
	}
	r, err := openRig()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	s.say("overload: searching the throughput")
	throughput, err := r.throughput(ctx)
	if err != nil {
		return err
	}
	t.note("T is the conditional throughput of the PDR, found just before: %.3f Mpps; the generator alone sends up to %.3f Mpps", throughput/1e6, r.ceilingPPS/1e6)
	factors := []float64{1.5, 3}
	trials := make([][]result.Trial, len(factors))
	for round := range rounds {
		s.say("overload: round %d of %d", round+1, rounds)
		for i, f := range factors {
			m, err := r.measure(ctx, f*throughput, duration)
			if err != nil {
				return err
			}
			trials[i] = append(trials[i], m)
		}
	}
	for i, f := range factors {
		tabulateOverload(t, f, throughput, trials[i])
	}
	return nil
}

func tabulateOverload(t *table, factor, throughput float64, trials []result.Trial) {
	var sent, delivered, share, cores figures
	var intended, lost, atDUT, atSink uint64
	for _, m := range trials {
		sent = append(sent, float64(m.Sent)/m.ActualDurationS)
		delivered = append(delivered, m.ReceivedPPS())
		share = append(share, m.ReceivedPPS()/throughput)
		if m.CPU != nil {
			cores = append(cores, m.CPU.DUTCoresBusy)
		}
		intended += m.Sent
		lost += m.Lost
		atDUT += m.DUTInputDrops
		atSink += m.TesterDrops
	}
	percent := func(n uint64) float64 { return 100 * float64(n) / float64(max(intended, 1)) }
	t.add(factor, factor*throughput/1e6, sent.median()/1e6, delivered.median()/1e6, share.median(), share.least(), share.most(),
		percent(lost), percent(atDUT), percent(atSink), cores.median())
	if short := sent.median() / (factor * throughput); short < 0.99 {
		t.note("at %g T the generator sent %.0f %% of what was asked", factor, 100*short)
	}
	t.want(atLeast(fmt.Sprintf("delivered / T at %g T", factor), share.median(), leastOfThroughput, ""))
}
