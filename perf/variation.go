package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/linerate/linerate/trial"
)

// leastWhileVarying is the share of its forwarding rate that a router beside its sink
// should keep while the sink measures the delay variation.
// It is on in latency trials only, which decide no throughput.
const leastWhileVarying = 0.95

// variation compares an overloaded router whose sink measures the delay variation with
// the same router whose sink does not. On two CPUs sink and router share one, so that
// what the sink needs more the router has less.
func variation(ctx context.Context, s *session, t *table) (err error) {
	pairs, duration := pick(s, 20, 3), pick(s, time.Second, 500*time.Millisecond)
	t.Compared = fmt.Sprintf("what a router of the lab delivers at 150 %% of its throughput while the sink compares each frame's latency with that of the one before it in its flow (IPDV), "+
		"and while it does not; %d flows, %d pairs of trials of %v, AB or BA by chance", flowCount, pairs, duration)
	t.Wanted = "at least 0.95 in the median of the pairs; it is on in latency trials only, which decide no throughput"
	t.columns = []column{
		{"pair", "pair", "%d"}, {"first", "first", "%s"}, {"IPDV Mpps", "with_mpps", "%.4f"}, {"not Mpps", "without_mpps", "%.4f"}, {"ratio", "ratio", "%.4f"},
	}
	r, err := openRig()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	s.say("variation: searching the throughput")
	throughput, err := r.throughput(ctx)
	if err != nil {
		return err
	}
	load := 1.5 * throughput
	order := rand.New(rand.NewPCG(s.seed, 2))
	var ratios figures
	for n := range pairs {
		s.say("variation: pair %d of %d", n+1, pairs)
		withFirst := order.IntN(2) == 0
		var delivered [2]float64 // without, with
		for half := range 2 {
			with, side := (half == 0) == withFirst, 0
			if with {
				side = 1
			}
			for range 3 {
				m, err := r.bed.Measure(ctx, trial.Request{LoadPPS: load, Duration: duration, Variation: with})
				if err != nil {
					return err
				}
				if delivered[side] = m.ReceivedPPS(); trial.Disturbed(m) == "" {
					break
				}
			}
		}
		if delivered[0] == 0 {
			return fmt.Errorf("pair %d: nothing arrived; stop what else runs on this machine", n+1)
		}
		first := "not"
		if withFirst {
			first = "IPDV"
		}
		ratio := delivered[1] / delivered[0]
		ratios = append(ratios, ratio)
		t.add(n+1, first, delivered[1]/1e6, delivered[0]/1e6, ratio)
	}
	t.note("load %.3f Mpps; ratios from %.4f to %.4f", load/1e6, ratios.least(), ratios.most())
	t.want(atLeast("with / without, median", ratios.median(), leastWhileVarying, ""))
	return nil
}
