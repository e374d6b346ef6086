package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
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
	received := t.ReceivedPPS() / n
	u := &result.Unpaced{
		Trials: len(trials), TrialDurationS: unpacedDuration.Seconds(),
		SentPPS: float64(t.Sent) / t.ActualDurationS / n, ReceivedPPS: &received, LossRatio: new(t.LossRatio()),
	}
	cell.Unpaced, cell.CPU = u, t.CPU
	var why []string
	cell.Verdict, why = judgeUnpaced(*cell, t)
	cell.Evidence = append(cell.Evidence, fmt.Sprintf("engine %s sent %.3f Mpps as fast as it goes, and %.3f Mpps arrived: the median of %d trials of %.0f s; no load was searched, for it cannot be paced",
		cell.Engine, u.SentPPS/1e6, received/1e6, u.Trials, u.TrialDurationS))
	cell.Evidence = append(cell.Evidence, why...)
	cell.Warnings = append(cell.Warnings, result.Warning{Code: "unpaced", Text: fmt.Sprintf("engine %s cannot be paced: the figure is what arrived of all that it sent, with whatever loss, and not a throughput", cell.Engine)})
	if cell.Flows > 1 {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "one-flow", Text: fmt.Sprintf("engine %s sends one flow, whatever the plan says of flows: what depends on their number does not show", cell.Engine)})
	}
	return broken
}

// judgeUnpaced says what kept more frames from arriving in a trial as fast as the engine
// goes: the engine itself where next to nothing was lost, else what lost them.
func judgeUnpaced(cell result.Cell, t result.Trial) (result.Verdict, []string) {
	s := shortfallOf([]result.Trial{t})
	switch {
	case cell.Direct():
		return unpacedBound(t), nil
	case 2*framesBesideDUT(t) > t.Sent:
		return result.GeneratorBound, []string{fmt.Sprintf("%d of %d frames went up the network stack on CPUs that are not the DUT's, as they were sent: the figure is that of engine and device together on one CPU, and the device alone may carry more", framesBesideDUT(t), t.Sent)}
	case t.LossRatio() <= result.CarriedLossRatio:
		return unpacedBound(t), []string{fmt.Sprintf("the device carried all but %.0f of %d frames: it may carry more than the engine can send", s.lost, t.Sent)}
	case s.testerDrops > s.lost/2:
		return result.ReceiverBound, []string{fmt.Sprintf("the sink's own ring refused %.0f of the %.0f frames that were lost", s.testerDrops, s.lost)}
	case s.dutSink > s.dutCores && s.dutCores > 0 && s.leastIdle <= 1-saturated:
		return result.ReceiverBound, []string{fmt.Sprintf("the sink took %.2f cores of the DUT's own CPUs, more than the DUT itself, and no time was left there: %.0f frames were lost", s.dutSink, s.lost)}
	}
	why := []string{fmt.Sprintf("the DUT lost %.0f of %d frames (%.2f %%), %.0f of them at its full input ring", s.lost, t.Sent, percent(s.lost, float64(t.Sent)), s.dutInputDrops)}
	if s.dutCores > 0 {
		why = append(why, fmt.Sprintf("the DUT itself took %.2f cores, and its busiest CPU was %.0f %% idle", s.dutCores, 100*s.leastIdle))
	}
	return result.DUTBound, why
}

// framesBesideDUT are the frames that went up the network stack on CPUs that are not the DUT's:
// a driver that sends in the time of the caller has the peer of a veth receive there. They are
// held against the frames sent and not against those of the DUT's CPUs: an XDP program or an
// AF_XDP socket takes frames before they are counted there.
func framesBesideDUT(t result.Trial) (frames uint64) {
	if t.CPU == nil {
		return 0
	}
	for _, c := range t.CPU.PerCore {
		if !strings.Contains(c.Role, "dut") {
			frames += c.ProcessedFrames
		}
	}
	return frames
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
