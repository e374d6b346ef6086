package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
	"github.com/linerate/linerate/trial"
)

// testCell puts a cell through the tests that the plan asks for, in the order of plan.Tests.
func (r *run) testCell(ctx context.Context, cell *result.Cell, bed trial.Measurer) error {
	if !r.options.Plan.Has(plan.Throughput) {
		load := warmUpLoad(searchConfig(r.options.Plan.Search, cell.CeilingPPS))
		if _, err := r.measurementOf(cell, bed, result.ForWarmUp).measure(ctx, trial.Request{LoadPPS: load, Duration: warmUp}, "warm-up, not counted"); err != nil {
			return err
		}
	}
	for _, t := range plan.Tests() {
		if !r.options.Plan.Has(t) {
			continue
		}
		test := map[plan.Test]func(context.Context, *result.Cell, trial.Measurer) error{
			plan.Throughput: r.searchCell, plan.LossRate: r.sweepCell, plan.Bursts: r.burstCell, plan.Recovery: r.recoverCell,
		}[t]
		if err := test(ctx, cell, bed); err != nil {
			return err
		}
	}
	return r.eventCell(ctx, cell, bed)
}

// measurementOf makes and stores the trials of one test.
func (r *run) measurementOf(cell *result.Cell, bed trial.Measurer, purpose result.Purpose) *measurement {
	return &measurement{run: r, bed: bed, cell: cell.ID, purpose: purpose, directions: cell.Directions.Count(), repeatLimit: unlimited}
}

// maxLoadPPS is the greatest load of a cell per direction: the ceiling, or less if the plan says so.
func maxLoadPPS(p plan.Plan, cell *result.Cell) float64 {
	return searchConfig(p.Search, cell.CeilingPPS).MaxLoadPPS
}

// sweepCell measures loss against load (RFC 2544 section 26.3).
func (r *run) sweepCell(ctx context.Context, cell *result.Cell, bed trial.Measurer) error {
	p := r.options.Plan.FrameLossRate
	sweep, err := search.NewLossSweep(search.SweepConfig{
		MaxLoadPPS: maxLoadPPS(r.options.Plan, cell), StepRatio: float64(p.Step), TrialDurationS: p.TrialDuration.Seconds(),
	})
	if err != nil {
		return err
	}
	m := r.measurementOf(cell, bed, result.ForLossRate)
	for load, more := sweep.Next(); more; load, more = sweep.Next() {
		t, _, err := m.single(ctx, trial.Request{LoadPPS: load.PPS, Duration: time.Duration(p.TrialDuration)}, load.Reason)
		if err != nil {
			return err
		}
		loss := 0.0
		if t.Sent > 0 {
			loss = float64(t.Lost) / float64(t.Sent)
		}
		sweep.Add(search.Trial{LoadPPS: load.PPS, DurationS: load.DurationS, LossRatio: loss})
		last := sweep.Points()[len(cell.FrameLossRate)]
		cell.FrameLossRate = append(cell.FrameLossRate, result.LossPoint{
			LoadPPS: last.LoadPPS, LoadRatio: last.LoadRatio, LossRatio: last.LossRatio, UnsentRatio: t.UnsentRatio(),
		})
	}
	return nil
}

// burstSlowest bounds the time of a burst: no generator is slower.
const burstSlowestPPS = 50_000

// burstCell looks for the longest burst without loss (RFC 9004).
func (r *run) burstCell(ctx context.Context, cell *result.Cell, bed trial.Measurer) error {
	p := r.options.Plan.BackToBack
	find, err := search.NewBackToBack(search.BurstConfig{
		MaxFrames: uint64(p.MaxFrames), StepFrames: uint64(p.StepFrames), Repeats: p.Repeats, Verifications: p.Verifications,
	})
	if err != nil {
		return err
	}
	m := r.measurementOf(cell, bed, result.ForBursts)
	for burst, more := find.Next(); more; burst, more = find.Next() {
		request := trial.Request{Frames: burst.Frames, Duration: time.Second + time.Duration(float64(burst.Frames)/burstSlowestPPS*float64(time.Second))}
		t, _, err := m.single(ctx, request, fmt.Sprintf("%s: %d frames", burst.Reason, burst.Frames))
		if err != nil {
			return err
		}
		find.Add(search.BurstTrial{Frames: burst.Frames, Lost: t.Lost})
		if err := wait(ctx, time.Duration(p.Idle)); err != nil {
			return err
		}
	}
	lengths := find.Lengths()
	s := search.SpreadOf(lengths)
	b := &result.BackToBack{
		Repeats: len(lengths), LengthsFrames: lengths, MeanFrames: s.Mean, MinFrames: s.Min, MaxFrames: s.Max, SigmaFrames: s.Sigma,
		StepFrames: uint64(p.StepFrames), Bounded: find.Bounded(), BurstPPS: burstPPS(m.trials, s.Mean), Bursts: len(m.trials),
	}
	if goal := strictest(cell); goal != nil {
		b.ThroughputPPS = goal.LowerPPS
	}
	implied, corrected := search.BufferTimes(b.MeanFrames, b.BurstPPS, b.ThroughputPPS)
	b.ImpliedBufferNS, b.CorrectedBufferNS = implied*1e9, corrected*1e9
	cell.BackToBack = b
	return nil
}

// burstPPS is the rate per direction at which bursts of at least half the mean length left.
func burstPPS(trials []result.Trial, mean float64) float64 {
	var frames, seconds float64
	for _, t := range trials {
		if n := float64(t.Sent) / float64(t.Directions); t.Discarded == "" && n > 1 && n >= mean/2 && t.ActualDurationS > 0 {
			frames += n - 1 // from the first departure to the last
			seconds += t.ActualDurationS
		}
	}
	if seconds == 0 {
		return 0
	}
	return frames / seconds
}

// strictest is the goal with the least loss allowed that has a throughput; nil if none has.
func strictest(cell *result.Cell) *result.Goal {
	var best *result.Goal
	for i := range cell.Goals {
		if g := &cell.Goals[i]; g.LowerPPS > 0 && (best == nil || g.LossRatio < best.LossRatio) {
			best = g
		}
	}
	return best
}

// recoverCell measures the recovery from an overload (RFC 2544 section 26.5).
func (r *run) recoverCell(ctx context.Context, cell *result.Cell, bed trial.Measurer) error {
	goal := strictest(cell)
	if goal == nil {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "no-throughput", Text: "system recovery was not measured: no load passed, so there is no throughput to overload"})
		return nil
	}
	p := r.options.Plan.SystemRecovery
	over, under := search.RecoveryLoads(goal.LowerPPS, maxLoadPPS(r.options.Plan, cell))
	out := &result.SystemRecovery{
		Goal: goal.Name, ThroughputPPS: goal.LowerPPS, OverloadPPS: over, OverloadDurationS: p.OverloadDuration.Seconds(), RecoveryPPS: under,
		ResolutionNS: recoveryResolutionNS(under),
	}
	m := r.measurementOf(cell, bed, result.ForRecovery)
	request := trial.Request{
		LoadPPS: over, Duration: time.Duration(p.OverloadDuration + p.RecoveryDuration),
		Step: generator.Step{PPS: under, After: time.Duration(p.OverloadDuration)},
	}
	for i := range p.Repeats {
		t, _, err := m.single(ctx, request, fmt.Sprintf("recovery %d of %d: %.0f pps, then %.0f", i+1, p.Repeats, over, under))
		if err != nil {
			return err
		}
		out.TimesNS = append(out.TimesNS, t.Step.LastLossNS)
		if t.Step.LossToTheEnd {
			out.Unrecovered++
		}
	}
	s := search.SpreadOf(out.TimesNS)
	out.MeanNS, out.MinNS, out.MaxNS = s.Mean, s.Min, s.Max
	cell.SystemRecovery = out
	return nil
}

// recoveryResolutionNS is how far a departure may lag behind its schedule: the
// generators make good 64 intervals, or 1 ms if that is longer.
func recoveryResolutionNS(loadPPS float64) float64 { return max(64e9/loadPPS, 1e6) }

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
