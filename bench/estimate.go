package bench

import (
	"context"
	"slices"
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/search"
	"github.com/linerate/linerate/testbed/sim"
)

// What a run in the lab takes besides its trials, in seconds: to open and close the
// testbed, to calibrate one shape of traffic, and to set up one cell (its scenario,
// sinks, generator and the learning of its flows).
const (
	openingSeconds     = 1
	calibrationSeconds = 3
	settingUpSeconds   = 1
)

const (
	// estimateSeeds is how often the search of a cell is simulated; odd, for a median.
	estimateSeeds = 21
	// estimateTrials bounds a simulated search whatever the plan asks for.
	estimateTrials = 500
	// estimateJitter is how much the capacity of the simulated device changes from second to
	// second, as a standard deviation: fitted to one measured run of each of the plans
	// linux-router, every-way and ecmp-kernel-frames, on two virtual CPUs of a host that others
	// use too. With it the estimates were within 12 % of what these took. On a machine that is
	// left alone searches end earlier.
	estimateJitter plan.Ratio = 0.03
)

// Span is a range of times in seconds over simulated searches.
type Span struct{ LeastS, MedianS, MeanS, MostS float64 }

// Estimate is what a plan is expected to take.
type Estimate struct {
	// TrialSeconds is the traffic of one cell with a DUT, WallSeconds all of its time but for
	// what only some cells have.
	TrialSeconds, WallSeconds Span
	// BeforeSeconds opens the testbed and calibrates each shape of traffic, with the
	// latency of the tester alone, which is measured after the cells.
	BeforeSeconds float64
	Cells         int
	// Direct of the Cells have no DUT, and take DirectSeconds each.
	Direct        int
	DirectSeconds float64
	// OtherSeconds is what only some cells take, of all cells together: daemons that converge,
	// and trials in which something befalls the DUT.
	OtherSeconds float64
}

// TotalSeconds is the time from start to end, with the mean for each cell.
func (e Estimate) TotalSeconds() float64 { return e.total(e.WallSeconds.MeanS) }

// MostSeconds is the time from start to end if each cell takes the longest.
func (e Estimate) MostSeconds() float64 { return e.total(e.WallSeconds.MostS) }

func (e Estimate) total(perCell float64) float64 {
	return e.BeforeSeconds + e.OtherSeconds + float64(e.Direct)*e.DirectSeconds + float64(e.Cells-e.Direct)*perCell
}

// PerCellSeconds is the mean over all cells.
func (e Estimate) PerCellSeconds() float64 {
	if e.Cells == 0 {
		return 0
	}
	return (e.TotalSeconds() - e.BeforeSeconds) / float64(e.Cells)
}

// EstimateOf simulates the plan's search with several seeds on a device like a Linux
// router (preset linux-like of testbed sim), or on the plan's own device if its
// testbed is sim, whose trials take virtual time only. Trials that are repeated
// because something disturbed them come on top.
func EstimateOf(p plan.Plan) (Estimate, error) {
	if variants := p.Variants(); len(variants) > 0 {
		return estimateVaried(p, variants), nil
	}
	if p.OfStreams() {
		return estimateStreams(p), nil
	}
	cells := p.Cells()
	e := Estimate{Cells: len(cells)}
	if len(cells) == 0 {
		return e, nil
	}
	shapes := map[shape]bool{}
	for _, c := range cells {
		shapes[shapeOf(p, c)] = true
	}
	simulation := p.Testbed == "sim"
	latencies, floors := latencyEstimate(p)
	device := plan.Sim{Preset: sim.DefaultPreset, Jitter: new(estimateJitter)}
	if simulation {
		device = p.Sim
	} else {
		e.BeforeSeconds = openingSeconds + (calibrationSeconds+floors)*float64(len(shapes))
	}
	var traffic, wall []float64
	others := testSeconds(p)
	for seed := range int64(estimateSeeds) {
		device.Seed = p.Sim.Seed + seed
		cell, took, err := simulateCell(p, cells[0], device)
		if err != nil {
			return e, err
		}
		traffic, wall = append(traffic, cell), append(wall, took+settingUpSeconds+latencies+others)
	}
	e.TrialSeconds = spanOf(traffic)
	if !simulation {
		e.WallSeconds = spanOf(wall)
		e.addCells(p, cells, latencies+others)
	}
	return e, nil
}

func spanOf(values []float64) Span {
	slices.Sort(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return Span{values[0], values[len(values)/2], sum / float64(len(values)), values[len(values)-1]}
}

// simulateCell searches a simulated device as a cell of the plan is searched, and
// returns the seconds of its trials, and those that went by in virtual time.
func simulateCell(p plan.Plan, c plan.Cell, device plan.Sim) (trialSeconds, elapsedSeconds float64, err error) {
	bed, err := sim.New(device)
	if err != nil {
		return 0, 0, err
	}
	if c.Direct() {
		c.Scenario = "route"
	}
	station := bed.Station(c, p.Trial)
	config := searchConfig(p.Search, bed.Model.MaxLoadPPS)
	find, err := newSearch(p.Search.Algorithm, config)
	if err != nil {
		return 0, 0, err
	}
	ctx := context.Background()
	if _, err := station.Measure(ctx, warmUpLoad(config), warmUp); err != nil {
		return 0, 0, err
	}
	for range estimateTrials {
		if !p.Has(plan.Throughput) {
			break
		}
		load, more := find.Next()
		if !more {
			break
		}
		t, err := station.Measure(ctx, load.PPS, time.Duration(load.DurationS*float64(time.Second)))
		if err != nil {
			return 0, 0, err
		}
		find.Add(search.Trial{LoadPPS: load.PPS, DurationS: load.DurationS, LossRatio: t.LossRatio()})
		trialSeconds += load.DurationS
	}
	return trialSeconds, bed.Elapsed().Seconds(), nil
}
