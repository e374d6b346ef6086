package doctor

import (
	"fmt"
	"time"

	"github.com/linerate/linerate/internal/kernel"
)

// disturbanceRows say what steal and pauses mean for figures without loss.
func disturbanceRows(all []CPUDisturbance, err error) []Row {
	steal := Row{Name: "steal", Status: OK, Need: kernel.ForQuality}
	pauses := Row{Name: "pauses", Status: OK, Need: kernel.ForQuality}
	if err != nil || len(all) == 0 {
		for _, row := range []*Row{&steal, &pauses} {
			row.Status, row.Detail = Limited, "not measured"
			if err != nil {
				row.Detail += ": " + err.Error()
			}
			row.Cost, row.Fix = "how much this machine disturbs a measurement is not known", "see the reason given"
		}
		return []Row{steal, pauses}
	}
	stolen, longest := all[0], all[0]
	realTime := true
	for _, d := range all {
		if d.StealRatio > stolen.StealRatio {
			stolen = d
		}
		if d.MaxNS > longest.MaxNS {
			longest = d
		}
		realTime = realTime && d.RealTime
	}
	watched := time.Duration(longest.WatchedNS).Round(10 * time.Millisecond)

	steal.Detail = fmt.Sprintf("none in %v with every CPU busy", watched)
	if stolen.StealRatio > 0 {
		steal.Detail = fmt.Sprintf("%.1f %% of %v on CPU %d, with every CPU busy", 100*stolen.StealRatio, watched, stolen.CPU)
	}
	if stolen.StealRatio > stealLimit {
		steal.Status = Limited
		steal.Cost = "other virtual machines take CPU time from this one: throughput varies with theirs"
		steal.Fix = "measure at a quieter time or on a host of your own; compare by PDR and by randomised pairs, not by single runs"
	}

	pauses.Detail = fmt.Sprintf("none of 10 us or more in %v", watched)
	if longest.MaxNS > 0 {
		pauses.Detail = fmt.Sprintf("longest %v on CPU %d in %v; work that comes at a random moment waits at most %v in 99.9 %% of moments",
			short(longest.MaxNS), longest.CPU, watched, short(longest.P999NS))
	}
	if !realTime {
		pauses.Detail += "; watched without real-time priority, so other programs of this machine count as pauses"
	}
	if longest.MaxNS > uint64(pauseLimit) {
		pauses.Status = Limited
		pauses.Cost = fmt.Sprintf("the receive ring of a veth holds %d frames and overflows in such a pause at any load above %s, whatever the DUT does: "+
			"a zero-loss throughput (NDR) above that measures this machine, not the DUT; PDR and the loss curve still hold", ringFrames, kpps(longest.RingOverflowPPS()))
		pauses.Fix = "stop other work on this machine and look again; on a virtual machine pin its CPUs on the host; on hardware keep CPUs free of other work (isolcpus, nohz_full, irq affinity)"
	}
	return []Row{steal, pauses}
}

// short is a time with three digits.
func short(ns uint64) string {
	switch {
	case ns == 0:
		return "0"
	case ns < 1e4:
		return fmt.Sprintf("%.1f us", float64(ns)/1e3)
	case ns < 1e6:
		return fmt.Sprintf("%.0f us", float64(ns)/1e3)
	case ns < 1e7:
		return fmt.Sprintf("%.2f ms", float64(ns)/1e6)
	}
	return fmt.Sprintf("%.0f ms", float64(ns)/1e6)
}

func kpps(pps float64) string {
	if pps < 1e4 {
		return fmt.Sprintf("%.1f kpps", pps/1e3)
	}
	return fmt.Sprintf("%.0f kpps", pps/1e3)
}
