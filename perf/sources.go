package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/xdp"
	"github.com/linerate/linerate/internal/kernel"
)

// What a source of full frames should reach.
const (
	leastOfBare = 0.8
	leastOfTool = 4
)

// Places in the list of sources.
const (
	fullSource = iota
	bareSource
	firstTool
)

// sources compares what arrives per second from each source, in rounds of all sources.
func sources(ctx context.Context, s *session, t *table) (err error) {
	rounds, window := pick(s, 5, 2), pick(s, 2*time.Second, 500*time.Millisecond)
	t.Compared = "frames of 64 bytes per second into a veth whose far end counts them in XDP; sender and counter on one CPU; " +
		"all sources in each round in random order, each sent for " + window.String() + " after a warm-up"
	t.Wanted = "linerate at least 0.8 of a bare live-frames program, and at least 4 times the faster of the two tools"
	t.columns = []column{
		{"source", "source", "%s"}, {"Mpps", "median_mpps", "%.3f"}, {"min", "min_mpps", "%.3f"}, {"max", "max_mpps", "%.3f"},
		{"/ bare", "median_ratio_to_bare", "%.2f"}, {"linerate /", "median_linerate_ratio", "%.2f"}, {"frames", "frames", "%s"},
	}
	w, err := openWire()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	g, err := xdp.New(generator.Config{Streams: []generator.Stream{w.stream()}, Sizes: []int{64}, CPUs: []int{w.cpu}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	list, err := w.list(s, t, g, window)
	if err != nil {
		return err
	}
	rates := make([]figures, len(list))
	err = w.rounds(ctx, s, t, list, rates, rounds, window)
	fastest := tabulateSources(t, list, rates)
	if err != nil {
		return err
	}
	wantOfSources(t, list, rates, fastest)
	return nil
}

// rounds adds to the rates of all sources. A tool that fails is left out.
func (w *wire) rounds(ctx context.Context, s *session, t *table, list []source, rates []figures, rounds int, window time.Duration) error {
	skipped := make([]bool, len(list))
	r := rand.New(rand.NewPCG(s.seed, 0))
	for round := range rounds {
		s.say("sources: round %d of %d", round+1, rounds)
		for _, i := range r.Perm(len(list)) {
			if skipped[i] {
				continue
			}
			pps, err := w.rate(ctx, list[i], window)
			if err != nil && i >= firstTool && ctx.Err() == nil {
				t.note("skipped: %v", err)
				skipped[i], rates[i] = true, nil
				continue
			}
			if err != nil {
				return err
			}
			rates[i] = append(rates[i], pps)
		}
	}
	return nil
}

// list is the sources that this machine has: linerate first, bare second, then tools.
func (w *wire) list(s *session, t *table, g *xdp.Generator, window time.Duration) ([]source, error) {
	list := []source{w.full(g), w.bare(window)}
	if _, err := kernel.FindTool("tcpreplay"); err != nil {
		t.note("skipped: %v; apt-get install tcpreplay", err)
	} else {
		replay, err := w.tcpreplay(s.folder)
		if err != nil {
			return nil, err
		}
		list = append(list, replay)
	}
	if _, err := kernel.FindTool("dpdk-testpmd"); err != nil {
		t.note("skipped: %v; apt-get install dpdk-dev and librte-net-af-xdp23", err)
		return list, nil
	}
	return append(list, w.testpmd(s.folder)), nil
}

// tabulateSources takes ratios round by round, and the median of them. It tells
// which tool is the fastest, -1 if there is none.
func tabulateSources(t *table, list []source, rates []figures) (fastest int) {
	fastest = -1
	for i, s := range list {
		if len(rates[i]) == 0 {
			continue
		}
		mpps := func(pps float64) float64 { return pps / 1e6 }
		var toBare, ofFull any
		if i != bareSource {
			toBare = rates[i].over(rates[bareSource]).median()
		}
		if i != fullSource {
			ofFull = rates[fullSource].over(rates[i]).median()
		}
		t.add(s.name, mpps(rates[i].median()), mpps(rates[i].least()), mpps(rates[i].most()), toBare, ofFull, s.what)
		if i >= firstTool && (fastest < 0 || rates[i].median() > rates[fastest].median()) {
			fastest = i
		}
	}
	return fastest
}

func wantOfSources(t *table, list []source, rates []figures, fastest int) {
	t.want(atLeast("linerate / bare", rates[fullSource].over(rates[bareSource]).median(), leastOfBare, ""))
	if fastest < 0 {
		t.want(unmeasured("linerate / the faster tool", "none of the tools is here"))
		return
	}
	t.want(atLeast("linerate / "+list[fastest].name+", the faster tool", rates[fullSource].over(rates[fastest]).median(), leastOfTool, ""))
}
