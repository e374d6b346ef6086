package bench

import (
	"fmt"
	"math"
	"strings"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
)

// Limits of the verdict.
const (
	// saturated is the share of its CPUs above which the DUT has no time left.
	saturated = 0.95
	// sinkCrowds is the share of a generator's CPU above which a sink keeps it from sending.
	// As fast as both go they take half of it each.
	sinkCrowds = 0.6
	// wide is how many times its wanted width an interval may have before the figure counts as unstable.
	wide = 10
)

// shortfall is where the frames of some trials went that did not arrive.
type shortfall struct {
	intended, unsent, lost, testerDrops, dutInputDrops float64
	// dutCores and leastIdle are means over the trials: the CPU time of the DUT, and
	// the idle share of the busiest CPU that the DUT has.
	dutCores, leastIdle float64
	// dutSink and generatorSink are means of what sinks took of the CPUs of the DUT, in
	// cores, and of the generator's busiest CPU, as a share.
	dutSink, generatorSink float64
	trials                 float64
}

func shortfallOf(trials []result.Trial) (s shortfall) {
	for _, t := range trials {
		s.intended += float64(t.Intended)
		s.unsent += float64(t.Unsent)
		s.lost += float64(t.Lost)
		s.testerDrops += float64(t.TesterDrops)
		s.dutInputDrops += float64(t.DUTInputDrops)
		if t.CPU != nil {
			s.addCPU(*t.CPU)
		}
		s.trials++
	}
	if s.trials > 0 {
		s.dutCores /= s.trials
		s.leastIdle /= s.trials
		s.dutSink /= s.trials
		s.generatorSink /= s.trials
	}
	return s
}

func (s *shortfall) addCPU(c result.CPU) {
	s.dutCores += c.DUTCoresBusy
	idle, generator := 1.0, 0.0
	for _, core := range c.PerCore {
		if strings.Contains(core.Role, "dut") {
			idle = min(idle, core.Idle)
			s.dutSink += core.Sink
		}
		if strings.Contains(core.Role, "generator") {
			generator = max(generator, core.Sink)
		}
	}
	s.leastIdle += idle
	s.generatorSink += generator
}

// judge says what bounded the figure of one goal, and why it says so. A figure from
// trials that stayed disturbed is not settled, whatever else they say.
//
// maxLoadPPS is the highest load that the search could ask for.
func judge(cell result.Cell, b search.Bounds, trials []result.Trial, maxLoadPPS float64) (result.Verdict, []string) {
	verdict, evidence := judgeSound(cell, b, trials, maxLoadPPS)
	if why := stayedDisturbed(b, trials); why != "" {
		return result.Unstable, append([]string{why}, evidence...)
	}
	return verdict, evidence
}

// judgeSound looks at the trials at the goal's upper bound: what kept them from
// passing is what bounds the figure.
func judgeSound(cell result.Cell, b search.Bounds, trials []result.Trial, maxLoadPPS float64) (result.Verdict, []string) {
	if !b.HasLower {
		return judgeNothing(cell, b, trials)
	}
	if !b.HasUpper {
		if b.LowerPPS >= maxLoadPPS && maxLoadPPS < cell.CeilingPPS {
			return result.GeneratorBound, []string{fmt.Sprintf("%s passes at %.0f pps, the highest load that the plan allows (search.max_load_pps): the DUT may carry more", b.Goal.Name, b.LowerPPS)}
		}
		if b.LowerPPS < maxLoadPPS {
			return result.Unstable, []string{fmt.Sprintf("no load above %.0f pps was found to be too much, and the highest load was not reached either: %s", b.LowerPPS, reasonOr(b.Reason, "the search was broken off"))}
		}
		if cell.CeilingBound == result.ReceiverBound {
			return result.ReceiverBound, []string{fmt.Sprintf("%s passes at %.0f pps, the ceiling of generator and sink without a DUT, which the sink sets: the DUT may carry more", b.Goal.Name, b.LowerPPS)}
		}
		return result.GeneratorBound, []string{fmt.Sprintf("%s passes at %.0f pps, the ceiling of generator and sink without a DUT (%.0f pps): the DUT may carry more", b.Goal.Name, b.LowerPPS, cell.CeilingPPS)}
	}
	s := shortfallOf(atLoad(trials, b.UpperPPS))
	verdict, evidence := result.DUTBound, []string{}
	missing := s.unsent + s.lost
	add := func(format string, args ...any) { evidence = append(evidence, fmt.Sprintf(format, args...)) }
	switch {
	case s.testerDrops > s.lost/2 && s.testerDrops > s.unsent:
		verdict = result.ReceiverBound
		add("at the upper bound of %.0f pps the sink's own ring refused %.0f of the %.0f missing frames", b.UpperPPS, s.testerDrops, missing)
	case s.unsent > s.lost && s.generatorSink > sinkCrowds:
		verdict = result.ReceiverBound
		add("at the upper bound of %.0f pps the generator could not offer %.0f frames, because the sink took %.0f %% of a CPU that they share", b.UpperPPS, s.unsent, 100*s.generatorSink)
	case s.lost >= s.unsent && s.dutSink > s.dutCores && s.dutCores > 0 && s.leastIdle <= 1-saturated:
		verdict = result.ReceiverBound
		add("at the upper bound of %.0f pps the sink took %.2f cores of the DUT's own CPUs, more than the DUT itself, and no time was left there: %.0f frames were lost", b.UpperPPS, s.dutSink, s.lost)
	case s.unsent > s.lost:
		verdict = result.GeneratorBound
		add("at the upper bound of %.0f pps the generator could not offer %.0f frames (%.2f %%), more than the %.0f that were lost", b.UpperPPS, s.unsent, percent(s.unsent, s.intended), s.lost)
	case cell.Direct():
		verdict = result.ReceiverBound
		add("there is no DUT: at the upper bound of %.0f pps %.0f frames (%.2f %%) did not arrive at the sink", b.UpperPPS, s.lost, percent(s.lost, s.intended))
	default:
		add("at the upper bound of %.0f pps the DUT lost %.0f frames (%.2f %%), %.0f of them at its full input ring; the generator left %.0f unsent, the sink refused %.0f", b.UpperPPS, s.lost, percent(s.lost, s.intended), s.dutInputDrops, s.unsent, s.testerDrops)
	}
	if s.dutCores > 0 {
		state := fmt.Sprintf("its busiest CPU was %.0f %% idle", 100*s.leastIdle)
		if s.leastIdle <= 1-saturated {
			state = "its busiest CPU was saturated"
		}
		add("the DUT itself took %.2f cores there, and %s", s.dutCores, state)
	}
	if cell.CeilingPPS > 0 {
		add("generator and sink alone carry %.0f pps, %.1f times as much", cell.CeilingPPS, cell.CeilingPPS/b.UpperPPS)
	}
	if width := (b.UpperPPS - b.LowerPPS) / b.UpperPPS; width > wide*b.Goal.Width {
		verdict = result.Unstable
		add("the bounds %.0f and %.0f pps are still %.1f %% apart: %s", b.LowerPPS, b.UpperPPS, 100*width, reasonOr(b.Reason, "trials contradict each other"))
	}
	return verdict, evidence
}

// judgeNothing is the verdict on a goal that no load passed.
func judgeNothing(cell result.Cell, b search.Bounds, trials []result.Trial) (result.Verdict, []string) {
	if cell.BackgroundLossRatio != nil {
		return result.Undefined, []string{fmt.Sprintf("a share of %.1e of the frames is lost at every load: no throughput is defined", *cell.BackgroundLossRatio)}
	}
	least := math.Inf(1)
	for _, t := range trials {
		if t.Purpose == result.ForSearch {
			least = min(least, t.IntendedLoadPPS)
		}
	}
	if math.IsInf(least, 1) {
		return result.Undefined, []string{"no trial was made"}
	}
	verdict := result.Unstable
	if b.HasUpper && b.UpperPPS <= least && b.Done && !strings.Contains(b.Reason, "budget") {
		verdict = result.Undefined // even the minimum load does not pass
	}
	return verdict, []string{fmt.Sprintf("no load down to %.0f pps was found to pass %s: %s", least, b.Goal.Name, reasonOr(b.Reason, "the search was broken off"))}
}

func atLoad(trials []result.Trial, loadPPS float64) []result.Trial {
	var list []result.Trial
	for _, t := range trials {
		if t.Purpose != result.ForWarmUp && t.IntendedLoadPPS == loadPPS && t.Discarded == "" {
			list = append(list, t)
		}
	}
	return list
}

func percent(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * part / whole
}

func reasonOr(reason, other string) string {
	if reason == "" {
		return other
	}
	return reason
}
