package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
	"github.com/linerate/linerate/trial"
)

// confidence of all intervals and of the noise floor.
const confidence = 0.95

// overload is the fixed load of a forwarding rate, in times of the highest throughput:
// far enough above it that the DUT has no time left, and what it forwards is what it can.
const overload = 2

// figure is one measurement of one cell of one variant.
type figure struct {
	// pps is per direction.
	pps float64
	// disturbed is why it stayed disturbed after repeating; empty if it did not.
	disturbed string
}

// varied measures variants of the plan again and again.
type varied struct {
	*run
	variants []plan.Variant
	// started counts the measurements, of all.
	started, all int
	random       *rand.Rand
}

// vary measures the variants: sides of a comparison, or values of a sweep.
func (r *run) vary(ctx context.Context, variants []plan.Variant) error {
	p := r.options.Plan
	v := &varied{run: r, variants: variants, all: len(p.Measurements()), random: rand.New(rand.NewPCG(uint64(p.Repeated.Seed), 0))}
	for _, variant := range variants {
		if err := v.as(variant, func() error { return r.calibrate(ctx, variant.Cells) }); err != nil {
			return err
		}
	}
	if p.AB.On() {
		return v.compare(ctx)
	}
	return v.sweep(ctx)
}

// as does something with the plan of a variant in the place of the run's.
func (v *varied) as(variant plan.Variant, do func() error) (err error) {
	own := v.options.Plan
	defer func() {
		v.options.Plan = own
		err = errors.Join(err, v.testbed.follow(own))
	}()
	v.options.Plan = variant.Plan.Short()
	if err := v.testbed.follow(v.options.Plan); err != nil {
		return err
	}
	return do()
}

// first searches each cell of each variant once: the figures by which the load is
// chosen, and the cells of the record. A cell that some variant cannot have is skipped
// in all pairs: skipped tells which. The other values of a sweep have their points without it.
func (v *varied) first(ctx context.Context) (skipped []bool, err error) {
	skipped = make([]bool, len(v.variants[0].Cells))
	for _, variant := range v.variants {
		for i, c := range variant.Cells {
			cell, err := v.searchOf(ctx, variant, c)
			if err != nil {
				return nil, err
			}
			skipped[i] = skipped[i] || cell.Skipped != ""
		}
	}
	return skipped, nil
}

// searchOf makes one short search.
func (v *varied) searchOf(ctx context.Context, variant plan.Variant, c plan.Cell) (cell result.Cell, err error) {
	err = v.as(variant, func() error {
		cell, err = v.inCell(ctx, c, v.searchCell)
		return err
	})
	if err != nil && len(cell.Goals) == 0 {
		return cell, fmt.Errorf("cell %s: %w", c.ID(), err)
	}
	return cell, errors.Join(err, v.ended(cell))
}

// inCell numbers and tells a measurement.
func (v *varied) inCell(ctx context.Context, c plan.Cell, measure func(context.Context, *result.Cell, trial.Measurer) error) (result.Cell, error) {
	v.started++
	v.events.CellStarted(v.started, v.all, c)
	return v.run.inCell(ctx, c, func(ctx context.Context, cell *result.Cell, t tester) error { return measure(ctx, cell, t) })
}

// ended keeps the first measurement of a cell in the record, in the order of the variants.
func (v *varied) ended(cell result.Cell) error {
	known := slices.ContainsFunc(v.record.Cells, func(c result.Cell) bool { return c.ID == cell.ID })
	if !known && (len(cell.Goals) > 0 || cell.Unpaced != nil || cell.Skipped != "") {
		v.record.Cells = append(v.record.Cells, cell)
		var order []string
		for _, variant := range v.variants {
			for _, c := range variant.Cells {
				order = append(order, c.ID())
			}
		}
		slices.SortStableFunc(v.record.Cells, func(a, b result.Cell) int { return slices.Index(order, a.ID) - slices.Index(order, b.ID) })
	}
	v.events.CellEnded(cell)
	return v.save()
}

// load is the fixed load for the i-th cell of every variant, per direction.
func (v *varied) load(i int) float64 {
	if v.options.Plan.Figure() == plan.FigureThroughput {
		return 0
	}
	if fixed := v.options.Plan.Repeated.LoadPPS; fixed > 0 {
		return fixed
	}
	var highest, most float64
	for _, variant := range v.variants {
		for _, c := range v.record.Cells {
			if c.ID != variant.Cells[i].ID() || len(c.Goals) == 0 {
				continue
			}
			highest = max(highest, c.Goals[0].ConditionalPPS)
			if most == 0 || c.CeilingPPS < most {
				most = c.CeilingPPS
			}
		}
	}
	load := min(overload*highest, most)
	if load < overload*highest*0.75 {
		v.warn("load-near-throughput", fmt.Sprintf("the fixed load of %.0f pps is all that generator and sink carry, and not far above the throughput of %.0f pps: a DUT that is not overloaded forwards whatever it is offered, and its forwarding rate tells little; set repeated.figure to throughput", load, highest))
	}
	return load
}

// take makes one measurement of a cell: its forwarding rate at the load, or its
// throughput if there is none.
func (v *varied) take(ctx context.Context, variant plan.Variant, c plan.Cell, load float64) (f figure, err error) {
	if load == 0 {
		return v.throughput(ctx, variant, c)
	}
	var cell result.Cell
	err = v.as(variant, func() error {
		cell, err = v.inCell(ctx, c, func(ctx context.Context, cell *result.Cell, bed trial.Measurer) error {
			f, err = v.rate(ctx, cell, bed, load)
			return err
		})
		return err
	})
	if err == nil && cell.Skipped != "" {
		err = noFigure("%s", cell.Skipped)
	}
	if err == nil && f.pps <= 0 {
		err = noFigure("no frame came through at %.0f pps", load)
	}
	if err != nil {
		return f, fmt.Errorf("cell %s: %w", c.ID(), err)
	}
	return f, v.ended(cell)
}

// searchAttempts is how often a search that found no load to pass is made at most.
const searchAttempts = 3

// throughput is what a short search finds. One that finds nothing is made again: on a
// noisy machine it may lose its way, and there is no figure that could be left out.
func (v *varied) throughput(ctx context.Context, variant plan.Variant, c plan.Cell) (f figure, err error) {
	for range searchAttempts {
		cell, err := v.searchOf(ctx, variant, c)
		if err != nil {
			return f, err
		}
		if cell.Skipped != "" {
			return f, fmt.Errorf("cell %s: %w", c.ID(), noFigure("%s", cell.Skipped))
		}
		if cell.Unpaced != nil {
			f.pps, _, _ = cell.Unpaced.Arrival()
			return f, nil
		}
		if f.pps = cell.Goals[0].ConditionalPPS; f.pps > 0 {
			return f, nil
		}
		v.all++
	}
	return f, fmt.Errorf("cell %s: %w", c.ID(), noFigure("no load was found to pass %s in %d searches: there is nothing to compare; see its trials", variant.Plan.ShortGoal().Name, searchAttempts))
}

// rate is the mean forwarding rate of some trials at a load.
func (v *varied) rate(ctx context.Context, cell *result.Cell, bed trial.Measurer, load float64) (f figure, err error) {
	p := v.options.Plan.Repeated
	warm := v.measurementOf(cell, bed, result.ForWarmUp)
	if _, err := warm.measure(ctx, trial.Request{LoadPPS: load / 10, Duration: warmUp}, "warm-up, not counted"); err != nil {
		return f, err
	}
	m := v.measurementOf(cell, bed, result.ForComparison)
	for range p.Trials {
		t, why, err := m.single(ctx, trial.Request{LoadPPS: load, Duration: time.Duration(p.TrialDuration)}, "forwarding rate at a fixed load")
		if err != nil {
			return f, err
		}
		if why != "" {
			f.disturbed = why
		}
		f.pps += t.ReceivedPPS() / float64(cell.Directions.Count()) / float64(p.Trials)
	}
	return f, nil
}

func (v *varied) judging() stats.Options {
	p := v.options.Plan
	return stats.Options{Alpha: float64(p.AB.Alpha), Confidence: confidence, LeastChange: float64(p.AB.LeastChange), Seed: p.Repeated.Seed}
}
