package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/trial"
)

// What is made of a cell whose engine cannot be paced.
const (
	unpacedTrials   = 3
	unpacedDuration = time.Second
)

// unpacedCell measures what arrives when the engine sends as fast as it goes.
func (r *run) unpacedCell(ctx context.Context, cell *result.Cell, bed trial.Measurer) error {
	m := r.measurementOf(cell, bed, result.ForWarmUp)
	if _, err := m.measure(ctx, trial.Request{Duration: warmUp}, "warm-up, not counted"); err != nil {
		return err
	}
	m.purpose = result.ForSearch
	var trials []result.Trial
	var broken error
	for len(trials) < unpacedTrials && broken == nil {
		t, _, err := m.single(ctx, trial.Request{Duration: unpacedDuration}, "as fast as it goes: the engine cannot be paced")
		if err == nil {
			trials = append(trials, t)
		}
		broken = err
	}
	if broken != nil && (len(trials) == 0 || ctx.Err() == nil) {
		return broken
	}
	if broken != nil {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "interrupted", Text: "the trials were broken off: the figure is of those made until then"})
	}
	slices.SortFunc(trials, func(a, b result.Trial) int { return cmp.Compare(a.ReceivedPPS(), b.ReceivedPPS()) })
	t := trials[len(trials)/2]
	if t.Received == 0 || t.ActualDurationS <= 0 {
		return &blockedError{fmt.Sprintf("of %d frames that engine %s sent as fast as it goes none arrived", t.Sent, cell.Engine)}
	}
	n := float64(cell.Directions.Count())
	u := &result.Unpaced{
		Trials: len(trials), TrialDurationS: unpacedDuration.Seconds(), LossRatio: t.LossRatio(),
		SentPPS: float64(t.Sent) / t.ActualDurationS / n, ReceivedPPS: t.ReceivedPPS() / n,
	}
	cell.Unpaced, cell.CPU = u, t.CPU
	if cell.Direct() {
		cell.Verdict = unpacedBound(t)
	}
	cell.Evidence = append(cell.Evidence, fmt.Sprintf("engine %s sent %.3f Mpps as fast as it goes, and %.3f Mpps arrived: the median of %d trials of %.0f s; no load was searched, for it cannot be paced",
		cell.Engine, u.SentPPS/1e6, u.ReceivedPPS/1e6, u.Trials, u.TrialDurationS))
	cell.Warnings = append(cell.Warnings, result.Warning{Code: "unpaced", Text: fmt.Sprintf("engine %s cannot be paced: the figure is what arrived of all that it sent, with whatever loss, and not a throughput", cell.Engine)})
	if cell.Flows > 1 {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "one-flow", Text: fmt.Sprintf("engine %s sends one flow, whatever the plan says of flows: what depends on their number does not show", cell.Engine)})
	}
	return broken
}

// markGenerator makes the CPU time of processes that the generator has send the tester's.
func (s *station) markGenerator() error {
	g, others := s.bed.Generator.(generator.OtherProcesses)
	if !others || s.bed.DUTThreads == nil {
		return nil
	}
	tids, err := g.Threads()
	if err != nil {
		return err
	}
	return s.bed.DUTThreads.MarkOwn(tids)
}
