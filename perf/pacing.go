package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/afpacket"
	"github.com/linerate/linerate/generator/xdp"
)

// rateTolerance is the share by which the achieved rate may differ from the asked one, in percent.
const rateTolerance = 0.1

// paced is one engine at one rate, over all rounds.
type paced struct {
	engine    string
	generator generator.Generator
	pps       float64
	errors    figures // in percent
	gaps      frame.Histogram
	unsent    uint64
	intended  uint64
	lost      uint64
}

// pacing compares the rate asked of each engine with the rate at which frames left.
func pacing(ctx context.Context, s *session, t *table) (err error) {
	rounds, duration := pick(s, 5, 2), pick(s, 2*time.Second, 500*time.Millisecond)
	t.Compared = "asked and achieved rate of each engine, frames of 64 bytes of " + fmt.Sprint(flowCount) +
		" flows into a veth whose far end counts them; the rate is that between the first departure and the last, over " + duration.String()
	t.Wanted = "engine xdp within 0.1 % of 10, 100 and 500 kpps in the median of the rounds; the gap between departures is printed (resolution 3 %)"
	t.columns = []column{
		{"engine", "engine", "%s"}, {"kpps", "asked_kpps", "%.0f"}, {"error %", "median_error_percent", "%+.4f"},
		{"least %", "least_error_percent", "%+.4f"}, {"most %", "most_error_percent", "%+.4f"}, {"target us", "gap_target_us", "%.2f"},
		{"P50 us", "gap_p50_us", "%.2f"}, {"P99 us", "gap_p99_us", "%.2f"}, {"max us", "gap_max_us", "%.1f"},
		{"unsent %", "unsent_percent", "%.4f"}, {"lost", "lost_frames", "%d"},
	}
	w, err := openWire()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	engines, stop, err := w.engines()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	var all []*paced
	for _, g := range engines {
		for _, kpps := range []float64{10, 100, 500, 1000} {
			all = append(all, &paced{engine: g.Engine(), generator: g, pps: kpps * 1000})
		}
	}
	err = w.paceAll(ctx, s, all, rounds, duration)
	tabulatePacing(t, all)
	if err != nil {
		return err
	}
	noteThrottling(t, all, w.priority)
	for _, p := range all {
		if p.engine == "xdp" && p.pps <= 500_000 {
			t.want(atMost(fmt.Sprintf("|error| of xdp at %.0f kpps", p.pps/1e3), abs(p.errors.median()), rateTolerance, " %"))
		}
	}
	return nil
}

// paceAll offers every load once in each round.
func (w *wire) paceAll(ctx context.Context, s *session, all []*paced, rounds int, duration time.Duration) error {
	for round := range rounds {
		s.say("pacing: round %d of %d", round+1, rounds)
		for i, p := range all {
			load := generator.Load{PPS: p.pps, Duration: duration, Epoch: uint16(round*len(all) + i)}
			if err := w.pace(ctx, p, load); err != nil {
				return fmt.Errorf("engine %s at %.0f pps: %w", p.engine, p.pps, err)
			}
		}
	}
	return nil
}

// engines opens both generators on the wire.
func (w *wire) engines() (list []generator.Generator, stop func() error, err error) {
	config := generator.Config{Streams: []generator.Stream{w.stream()}, Sizes: frame.Sizes{64}, CPUs: []int{w.cpu}}
	x, err := xdp.New(config)
	if err != nil {
		return nil, nil, err
	}
	x.Priority = w.priority
	a, err := afpacket.New(config)
	if err != nil {
		return nil, nil, errors.Join(err, x.Close())
	}
	a.Priority = w.priority
	return []generator.Generator{x, a}, func() error { return errors.Join(x.Close(), a.Close()) }, nil
}

// pace offers the load once and adds what came of it.
func (w *wire) pace(ctx context.Context, p *paced, load generator.Load) error {
	before, err := w.settled()
	if err != nil {
		return err
	}
	c, err := p.generator.Send(ctx, load)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	after, err := w.settled()
	if err != nil {
		return err
	}
	sent := c.Streams[0].Sent
	if sent < 2 || c.Duration <= 0 {
		return fmt.Errorf("%d frames left in %v: that is no rate", sent, c.Duration)
	}
	// Between n departures lie n-1 gaps.
	achieved := float64(sent-1) / c.Duration.Seconds()
	p.errors = append(p.errors, 100*(achieved/p.pps-1))
	p.gaps.Add(&c.Gaps)
	p.unsent += c.Streams[0].Unsent
	p.intended += c.Streams[0].Intended
	p.lost += sent - min(sent, after-before)
	return nil
}

func tabulatePacing(t *table, all []*paced) {
	us := func(ns uint64) float64 { return float64(ns) / 1e3 }
	for _, p := range all {
		if len(p.errors) == 0 {
			continue
		}
		t.add(p.engine, p.pps/1e3, p.errors.median(), p.errors.least(), p.errors.most(), 1e6/p.pps,
			us(p.gaps.QuantileNS(0.5)), us(p.gaps.QuantileNS(0.99)), us(p.gaps.QuantileNS(1)), 100*float64(p.unsent)/float64(p.intended), p.lost)
	}
}

// throttled is a gap that only the kernel's bound on real-time threads makes again and again.
const throttled = 30 * time.Millisecond

// noteThrottling names the reason if the kernel held the sending threads back. With
// CONFIG_RT_GROUP_SCHED a real-time thread that never sleeps is stopped for the rest
// of each second even if nobody else wants the CPU (Linux 6.18, kernel/sched/rt.c).
func noteThrottling(t *table, all []*paced, priority int) {
	longest := time.Duration(0)
	for _, p := range all {
		longest = max(longest, time.Duration(p.gaps.QuantileNS(1)))
	}
	runtime, err := journal.ReadSysctl("", "kernel.sched_rt_runtime_us")
	if priority <= 0 || longest < throttled || err != nil || runtime == "-1" {
		return
	}
	t.note("sending threads have SCHED_FIFO %d, as in a run, and kernel.sched_rt_runtime_us is %s: of each second the kernel withholds the rest from them; "+
		"that is the gap of %v", priority, runtime, longest.Round(time.Millisecond))
}
