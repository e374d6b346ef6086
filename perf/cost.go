package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// leastWhileWatched is the share of its forwarding rate that a watched router should keep.
const leastWhileWatched = 0.99

// cost compares a router whose threads are watched with the same router unwatched.
func cost(ctx context.Context, s *session, t *table) (err error) {
	pairs, duration := pick(s, 10, 3), pick(s, time.Second, 500*time.Millisecond)
	t.Compared = fmt.Sprintf("what a router of the lab delivers at 150 %% of its throughput while the CPU time of its threads is measured, "+
		"and while it is not; %d pairs of trials of %v, AB or BA by chance", pairs, duration)
	t.Wanted = "at least 0.99 in the median of the pairs"
	t.columns = []column{
		{"pair", "pair", "%d"}, {"first", "first", "%s"}, {"watched Mpps", "watched_mpps", "%.4f"}, {"not Mpps", "unwatched_mpps", "%.4f"}, {"ratio", "ratio", "%.4f"},
	}
	r, err := openRig()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	s.say("cost: searching the throughput")
	throughput, err := r.throughput(ctx)
	if err != nil {
		return err
	}
	load := 1.5 * throughput
	order := rand.New(rand.NewPCG(s.seed, 1))
	var ratios figures
	for n := range pairs {
		s.say("cost: pair %d of %d", n+1, pairs)
		watchedFirst := order.IntN(2) == 0
		var delivered [2]float64 // unwatched, watched
		for half := range 2 {
			watch := (half == 0) == watchedFirst
			if err := r.unwatch(); err != nil {
				return err
			}
			side := 0
			if watch {
				side = 1
				if err := r.watch(); err != nil {
					return err
				}
			}
			m, err := r.measure(ctx, load, duration)
			if err != nil {
				return err
			}
			delivered[side] = m.ReceivedPPS()
		}
		if delivered[0] == 0 {
			return fmt.Errorf("pair %d: nothing arrived without an observer; stop what else runs on this machine", n+1)
		}
		first := "not"
		if watchedFirst {
			first = "watched"
		}
		ratio := delivered[1] / delivered[0]
		ratios = append(ratios, ratio)
		t.add(n+1, first, delivered[1]/1e6, delivered[0]/1e6, ratio)
	}
	t.note("load %.3f Mpps; ratios from %.4f to %.4f", load/1e6, ratios.least(), ratios.most())
	t.want(atLeast("watched / not watched, median", ratios.median(), leastWhileWatched, ""))
	return nil
}
