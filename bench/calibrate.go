package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/engine"
	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
	"github.com/linerate/linerate/trial"
)

// Calibration goal: a ceiling within 10 % from short trials is enough to tell a
// DUT's limit from the tester's.
var ceilingGoal = search.Goal{Name: "ceiling", LossRatio: result.CarriedLossRatio, ExceedRatio: 0.5, Width: 0.1, TrialDurationS: 0.25, DurationSumS: 0.75}

const (
	calibrationBudgetS = 4
	probeDuration      = 250 * time.Millisecond
	probeAttempts      = 3
	// A paced generator polls the clock between frames and reaches about half of its
	// unpaced rate; much less means that the calibration was disturbed.
	plausibleShare = 5
	// Nothing on a direct link holds frames back.
	calibrationDrain = 30 * time.Millisecond
)

// shape is the traffic that a ceiling holds for.
type shape struct {
	ipVersion  int
	frameSize  plan.FrameSize
	flows      int
	directions plan.Direction
	source     string
}

func shapeOf(p plan.Plan, c plan.Cell) shape {
	return shape{c.IPVersion, c.FrameSize, c.Flows, c.Directions, p.Traffic.Source()}
}

func (s shape) cell() plan.Cell {
	return plan.Cell{Scenario: plan.NoDUT, IPVersion: s.ipVersion, FrameSize: s.frameSize, Flows: s.flows, Directions: s.directions}
}

// calibrate finds the ceiling of each shape that the cells have: the highest load
// per direction that generator and sink carry without a DUT.
func (r *run) calibrate(ctx context.Context, cells []plan.Cell) error {
	for _, c := range cells {
		s := shapeOf(r.options.Plan, c)
		if _, done := r.ceilings[s]; done || r.lacking[s] != "" {
			continue
		}
		ceiling, err := r.ceilingOf(ctx, s)
		var missing *kernel.MissingError
		if errors.As(err, &missing) {
			r.lacking[s] = missing.Line()
			continue
		}
		if ended, gone := errors.AsType[*generator.EndedError](err); gone && ctx.Err() == nil {
			r.lacking[s] = fmt.Sprintf("calibrate without a DUT: %v", ended)
			continue
		}
		if none, ok := errors.AsType[*noFigureError](err); ok {
			r.lacking[s] = fmt.Sprintf("calibrate without a DUT: %v", none)
			continue
		}
		if err != nil {
			return fmt.Errorf("calibrate without a DUT: %w", err)
		}
		r.ceilings[s] = ceiling
		cal := &r.record.Calibration
		cal.Ceilings = append(cal.Ceilings, ceiling)
		if cal.CeilingPPS == 0 || ceiling.PPS < cal.CeilingPPS {
			cal.CeilingPPS = ceiling.PPS
		}
		r.events.Calibrated(ceiling)
		if err := r.save(); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) ceilingOf(ctx context.Context, s shape) (c result.Ceiling, err error) {
	cell := s.cell()
	st, err := r.testbed.openStation(cell)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	if err := st.learn(ctx); err != nil {
		return c, err
	}
	st.hasten()
	c = result.Ceiling{IPVersion: s.ipVersion, FrameSize: s.frameSize, Flows: s.flows, Directions: s.directions, Engine: st.engineName()}
	m := &measurement{run: r, bed: st, cell: cell.ID(), purpose: result.ForCalibration, directions: s.directions.Count()}
	// As fast as it goes: no paced load can be higher.
	var unpaced result.Trial
	for attempt := 0; attempt < probeAttempts && unpaced.Received == 0; attempt++ {
		if unpaced, err = m.measure(ctx, trial.Request{Duration: probeDuration}, "as fast as it goes"); err != nil {
			return c, err
		}
	}
	if err := st.silent(unpaced); err != nil {
		return c, err
	}
	c.Bound = unpacedBound(unpaced)
	if engine.Unpaced(c.Engine) {
		c.Unpaced, c.PPS = true, unpaced.ReceivedPPS()/float64(s.directions.Count())
		return c, nil
	}
	most := float64(unpaced.Sent) / unpaced.ActualDurationS / float64(s.directions.Count())
	for attempt := 0; attempt < probeAttempts && c.PPS < most/plausibleShare; attempt++ {
		if err := m.ceiling(ctx, &c, min(r.options.Plan.Search.MinLoadPPS, most/2), most); err != nil {
			return c, err
		}
	}
	if c.PPS == 0 {
		return c, noFigure("no load from %.0f to %.0f pps passes without a DUT at a loss of at most 0.5 %%: this machine is too busy; stop what else runs and try again", r.options.Plan.Search.MinLoadPPS, most)
	}
	if c.PPS < most/plausibleShare {
		r.warn("calibration-disturbed", fmt.Sprintf("generator and sink carry %.0f pps as fast as they go, and only %.0f pps paced in %d searches: something else takes the CPUs; the ceiling is too low", most, c.PPS, probeAttempts))
	}
	return c, nil
}

// unpacedBound is what keeps a generator that goes as fast as it can from going
// faster: itself, unless a sink takes the CPU that they share, or refuses frames.
func unpacedBound(t result.Trial) result.Verdict {
	s := shortfallOf([]result.Trial{t})
	if s.generatorSink > sinkCrowds || s.testerDrops > s.lost/2 && s.testerDrops > 0 {
		return result.ReceiverBound
	}
	return result.GeneratorBound
}

// ceiling searches once and keeps the result if it is higher than what there is.
func (m *measurement) ceiling(ctx context.Context, c *result.Ceiling, least, most float64) error {
	find, err := search.NewMLR(search.Config{Goals: []search.Goal{ceilingGoal}, MinLoadPPS: least, MaxLoadPPS: most, MaxTrialSeconds: calibrationBudgetS})
	if err != nil {
		return err
	}
	if err := m.search(ctx, find); err != nil {
		return err
	}
	b := find.Bounds()[0]
	if !b.HasLower || b.LowerPPS <= c.PPS {
		return nil
	}
	c.PPS = b.LowerPPS
	if b.HasUpper {
		c.Bound, _ = judgeSound(result.Cell{Scenario: plan.NoDUT}, b, m.trials, most)
	}
	if t := m.median(b.LowerPPS, ceilingGoal.TrialDurationS); t != nil && t.Latency != nil {
		c.P50NS = t.Latency.P50NS
	}
	return nil
}
