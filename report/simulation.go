package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/linerate/linerate/result"
)

// simulated tells whether a run is a simulation and no measurement.
func simulated(run *result.Run) bool { return run.Sim != nil || run.Testbed.Kind == "sim" }

// title is the name that a report stands under. That of a simulation says so.
func title(run *result.Run) string {
	name := run.Plan.Name
	if name == "" {
		name = run.ID
	}
	if simulated(run) {
		name += " (simulation)"
	}
	return name
}

// simulationHeadline takes the place of the answer: a model does not route.
func simulationHeadline(d digest) []string {
	sentences := []string{"SIMULATION: no frame was sent and no device was measured. Every figure here is that of a model, and says nothing about this machine."}
	s := d.Run.Sim
	if s == nil {
		return sentences
	}
	sentences = append(sentences, sentence("The model is the preset "+s.Preset+parameters(s)))
	truth := func(name string, pps *float64, undefined string) string {
		if pps == nil {
			return name + " " + undefined
		}
		return fmt.Sprintf("%s %s Mpps", name, Mpps(*pps))
	}
	undefined := "is not defined for this plan"
	if s.BackgroundLoss > 0 {
		undefined = "not defined, for frames are lost at any load"
	}
	sentences = append(sentences, fmt.Sprintf("Its true throughput, by computation: %s; %s. What a search found differs from it by %s.",
		truth("NDR", s.Truth.NDRPPS, undefined), truth("PDR", s.Truth.PDRPPS, undefined), searchErrors(d)))
	return sentences
}

// parameters lists what the model has that is not 0.
func parameters(s *result.Sim) string {
	list := []string{fmt.Sprintf("capacity %s Mpps", Mpps(s.CapacityPPS))}
	add := func(value float64, format string, args ...any) {
		if value > 0 {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(float64(s.QueueFrames), "queue of %s frames", Thousands(s.QueueFrames))
	add(s.Knee, "soft knee of %s", Percent(s.Knee))
	add(s.Jitter, "jitter of %s per second", Percent(s.Jitter))
	add(s.BackgroundLoss, "background loss of %s", Percent(s.BackgroundLoss))
	add(s.GlitchProbability, "a glitch in %s of the trials", Percent(s.GlitchProbability))
	add(s.Collapse, "collapse by %s frames for each frame too many", fmt.Sprintf("%.3g", s.Collapse))
	return ", with " + enumerate(list) + fmt.Sprintf("; seed %d", s.Seed)
}

// searchErrors is the range of the errors of the lower bounds, by goal.
func searchErrors(d digest) string {
	truths := map[string]*float64{"NDR": d.Run.Sim.Truth.NDRPPS, "PDR": d.Run.Sim.Truth.PDRPPS}
	var list []string
	for _, name := range d.Goals {
		truth := truths[name]
		if truth == nil {
			continue
		}
		least, most := math.Inf(1), math.Inf(-1)
		for _, c := range d.Cells {
			if c.Scenario == noDevice || !c.measured() {
				continue
			}
			for _, f := range c.Figures {
				if f.Goal.Name == name && f.Goal.LowerPPS > 0 {
					e := 100 * (f.Goal.LowerPPS / *truth - 1)
					least, most = math.Min(least, e), math.Max(most, e)
				}
			}
		}
		if least <= most {
			list = append(list, fmt.Sprintf("%+.2f to %+.2f %% (%s)", least, most, name))
		}
	}
	if len(list) == 0 {
		return "nothing that can be told"
	}
	return strings.Join(list, ", ")
}
