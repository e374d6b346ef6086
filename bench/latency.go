package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
	"github.com/linerate/linerate/trial"
)

// latencyLoad is a load that the latency is measured at; share is 0 for one that the
// plan gives in packets per second.
type latencyLoad struct{ share, pps float64 }

// latencyTrials measures the latency of a cell at the loads of the plan, once its
// throughput is known.
func (m *measurement) latencyTrials(ctx context.Context, cell *result.Cell, bounds []search.Bounds) error {
	p := m.run.options.Plan.Latency
	if !p.Enabled {
		return nil
	}
	throughput, goal := latencyThroughput(p, bounds)
	if throughput == 0 && len(p.Loads) > 0 {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "no-latency-at-shares",
			Text: fmt.Sprintf("%s has no lower bound: there is no throughput to take shares of, and the latency was not measured at %v of it", goal, p.Loads)})
	}
	own := m.forLatency()
	for _, load := range latencyLoads(p, throughput) {
		at, err := own.latencyAt(ctx, load, p)
		if err != nil {
			return err
		}
		cell.LatencyAt = append(cell.LatencyAt, at)
	}
	return nil
}

// forLatency is a measurement of the same cell whose trials are kept apart from those
// of the search.
func (m *measurement) forLatency() *measurement {
	return &measurement{run: m.run, bed: m.bed, cell: m.cell, purpose: result.ForLatency, directions: m.directions, repeatLimit: unlimited}
}

// latencyThroughput is the lower bound of the goal that the plan names, or of the one
// that the cell is described at; 0 if it has none.
func latencyThroughput(p plan.Latency, bounds []search.Bounds) (pps float64, goal string) {
	b := bounds[described(bounds)]
	for _, named := range bounds {
		if strings.EqualFold(named.Goal.Name, p.ThroughputGoal) {
			b = named
		}
	}
	if !b.HasLower {
		return 0, b.Goal.Name
	}
	return b.LowerPPS, b.Goal.Name
}

func latencyLoads(p plan.Latency, throughput float64) []latencyLoad {
	var loads []latencyLoad
	for _, share := range p.Loads {
		if throughput > 0 {
			loads = append(loads, latencyLoad{float64(share), float64(share) * throughput})
		}
	}
	for _, pps := range p.LoadsPPS {
		loads = append(loads, latencyLoad{0, pps})
	}
	return loads
}

// latencyAt makes the trials at one load and returns the one with the median P99.
func (m *measurement) latencyAt(ctx context.Context, load latencyLoad, p plan.Latency) (result.LatencyAt, error) {
	var list []result.LatencyAt
	for range max(1, p.TrialsPerLoad) {
		at, err := m.latencyTrial(ctx, load, time.Duration(p.TrialDuration))
		if err != nil {
			return at, err
		}
		list = append(list, at)
	}
	slices.SortStableFunc(list, func(a, b result.LatencyAt) int { return cmp.Compare(p99(a), p99(b)) })
	middle := list[(len(list)-1)/2]
	middle.Trials = len(list)
	return middle, nil
}

// p99 is the greatest of all where no frame arrived.
func p99(at result.LatencyAt) uint64 {
	if at.Latency == nil {
		return math.MaxUint64
	}
	return at.Latency.P99NS
}

// latencyTrial makes one trial. Where the last repetition was disturbed too it counts,
// and says so.
func (m *measurement) latencyTrial(ctx context.Context, load latencyLoad, duration time.Duration) (result.LatencyAt, error) {
	reason := "latency at a load of the plan"
	if load.share > 0 {
		reason = fmt.Sprintf("latency at %v of the throughput", plan.Ratio(load.share))
	}
	t, why, err := m.single(ctx, trial.Request{LoadPPS: load.pps, Duration: duration, Variation: true}, reason)
	if err != nil {
		return result.LatencyAt{}, err
	}
	at := t.LatencyAt()
	at.LoadRatio, at.Disturbed = load.share, why
	return at, nil
}

// sameLoad is the factor within which two loads have the same floor: without a DUT the
// latency hardly depends on the load.
const sameLoad = 1.25

// floorLoads are the loads at which the tester's own latency is measured for a shape of
// traffic: one for each group of loads that the cells had and that are near each other.
// Loads at which a cell of scenario none was measured are left out.
func floorLoads(cells []result.Cell, of func(result.Cell) bool) []float64 {
	var all, known []float64
	for _, c := range cells {
		if !of(c) {
			continue
		}
		for _, at := range c.LatencyAt {
			if c.Direct() {
				known = append(known, at.LoadPPS)
			} else {
				all = append(all, at.LoadPPS)
			}
		}
	}
	all = slices.DeleteFunc(all, func(load float64) bool {
		return slices.ContainsFunc(known, func(k float64) bool { return load <= sameLoad*k && k <= sameLoad*load })
	})
	slices.Sort(all)
	var loads []float64
	for begin := 0; begin < len(all); {
		end := begin + 1
		for end < len(all) && all[end] <= sameLoad*all[begin] {
			end++
		}
		loads = append(loads, all[(begin+end-1)/2])
		begin = end
	}
	return loads
}
