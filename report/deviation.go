package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/linerate/linerate/plan"
)

// defaultSizes are the frame sizes of Ethernet that RFC 2544 section 9.1 asks for.
var defaultSizes = []plan.FrameSize{64, 128, 256, 512, 1024, 1280, 1518}

// deviationSection lists where a run of the RFC's tests differs from the RFC.
func deviationSection(d digest) *section {
	if !tested(d.Run) {
		return nil
	}
	s := &section{Anchor: "rfc-deviations", Heading: "Deviations from RFC 2544"}
	s.Notes = append(deviationsOfPlan(d.Run.Plan), deviationsOfLinerate()...)
	return s
}

// deviationsOfPlan depend on what the plan says; the plan rfc2544 has the fewest.
func deviationsOfPlan(p plan.Plan) []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	minute := plan.Duration(time.Minute)
	if p.Has(plan.Throughput) {
		for _, g := range p.Search.Goals {
			if g.TrialDuration < minute {
				add("Section 24: the trials of goal %s last %s, the RFC asks for at least 60 s.", g.Name, g.TrialDuration)
			}
			if g.LossRatio > 0 {
				add("Section 26.1: goal %s allows a loss of %s, the throughput of the RFC allows none.", g.Name, Percent(float64(g.LossRatio)))
			}
			if g.ExceedRatio > 0 {
				add("Section 26.1: goal %s forgives loss in %s of the trial time (RFC 9971), the RFC in none.", g.Name, Percent(float64(g.ExceedRatio)))
			}
		}
		if p.Search.Algorithm == "mlrsearch" {
			add("Section 26.1: the loads are chosen by MLRsearch (RFC 9971); the RFC leaves the choice open.")
		}
	}
	list = append(list, deviationsOfLatency(p)...)
	if p.Has(plan.LossRate) && p.FrameLossRate.TrialDuration < minute {
		add("Section 24: the trials of the frame loss rate last %s, the RFC asks for at least 60 s.", p.FrameLossRate.TrialDuration)
	}
	if p.Has(plan.Bursts) {
		if p.BackToBack.Repeats < 50 {
			add("Section 26.4: the burst is searched for %d times, the RFC asks for 50.", p.BackToBack.Repeats)
		}
		if p.BackToBack.Idle < plan.Duration(2*time.Second) {
			add("RFC 9004 section 6.2: the pause after a burst is %s, the RFC asks for at least 2 s.", p.BackToBack.Idle)
		}
	}
	if p.Has(plan.Recovery) && p.SystemRecovery.OverloadDuration < minute {
		add("Section 26.5: the overload lasts %s, the RFC asks for at least 60 s.", p.SystemRecovery.OverloadDuration)
	}
	if p.Trial.DrainQuiet < plan.Duration(2*time.Second) {
		add("Section 23 step d: a trial ends when nothing has arrived for %s, the RFC waits 2 s.", p.Trial.DrainQuiet)
	}
	if p.Trial.Settle < plan.Duration(5*time.Second) {
		add("Section 23 step e: the pause after a trial is %s, the RFC asks for at least 5 s.", p.Trial.Settle)
	}
	if !slices.Contains(p.Traffic.Flows, 1) || len(p.Traffic.Flows) == 1 {
		add("Section 12: the RFC asks for one pair of addresses first, then for random destinations; the plan has %s only.", flowCounts(p.Traffic.Flows))
	}
	for _, size := range defaultSizes {
		if !slices.Contains(p.Traffic.FrameSizes, size) {
			add("Section 9.1: not every frame size of 64, 128, 256, 512, 1024, 1280 and 1518 bytes was measured.")
			break
		}
	}
	if !slices.Contains(p.Traffic.Directions, plan.Bi) || !slices.Contains(p.Traffic.Directions, plan.Uni) {
		add("Section 14: traffic was sent in one direction only, or in both only; the RFC asks for each.")
	}
	return list
}

// deviationsOfLatency compare latency trials, or the lack of them, with what the RFC asks for.
func deviationsOfLatency(p plan.Plan) []string {
	if !p.Latency.Enabled {
		return []string{"Section 26.2: latency is that of every frame of the trials at the throughput, not of one tagged frame in each of 20 trials of 120 s."}
	}
	list := []string{"Section 26.2: latency is that of every frame, as RFC 8219 sections 7.2 and 7.3 have it, not of one tagged frame."}
	if p.Latency.TrialDuration < plan.Duration(2*time.Minute) {
		list = append(list, fmt.Sprintf("Section 26.2: the latency trials last %s, the RFC asks for at least 120 s.", p.Latency.TrialDuration))
	}
	if n := p.Latency.TrialsPerLoad; n < 20 {
		list = append(list, fmt.Sprintf("Section 26.2: there %s at each load, the RFC asks for at least 20.", wasOrWere(n, "latency trial")))
	}
	if p.Latency.TrialsPerLoad > 1 {
		list = append(list, "RFC 8219 section 7.2: all figures of a load are from the trial with the median P99; the RFC takes the median of each figure by itself.")
	}
	return list
}

// wasOrWere is "was 1 trial" or "were 3 trials".
func wasOrWere(n int, noun string) string {
	if n == 1 {
		return "was " + counted(n, noun)
	}
	return "were " + counted(n, noun)
}

// flowCounts lists the numbers of flows of a plan.
func flowCounts(flows []int) string {
	texts := make([]string, len(flows))
	for i, n := range flows {
		texts[i] = counted(n, "flow")
	}
	return strings.Join(texts, ", ")
}

// deviationsOfLinerate hold for every run in the lab.
func deviationsOfLinerate() []string {
	return []string{
		"Section 6: tester and device share one machine, joined by veths; the maximum rate is the calibrated ceiling, not that of a medium.",
		"Section 9: a veth carries no FCS; frame sizes count its 4 bytes all the same.",
		"Section 11: the tests were not repeated with broadcast, management or routing frames among the test frames.",
		"Section 12: destinations are drawn within one network of each side, not from 256 networks.",
		"Section 23 step b: addresses and flows are learned once for each cell, not before each trial.",
		"Section 23 step d: the wait ends early when every frame that was sent has arrived.",
		"Section 23: a trial in which the tester itself was disturbed is made again, at most twice; the log keeps it.",
		"Appendix C.2.6: UDP ports are drawn as RFC 4814 section 4.5 says, instead of the one port of the appendix.",
		"Section 26.6: reset was not measured: a network namespace has no power switch.",
	}
}
