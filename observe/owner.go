package observe

import (
	"fmt"

	"github.com/linerate/linerate/result"
)

// dutNS is the time of the DUT's threads on all CPUs.
func (s CPUSample) dutNS() (sum uint64) {
	for _, c := range s.owners {
		sum += c[dutOwner]
	}
	return sum
}

// setOwners sets the shares of a CPU's time by owner. They are shares of the time
// between the samples, a little longer than the traffic: who runs then runs before
// and after it too.
func setOwners(core *result.Core, before, after CPUSample) {
	if core.CPU >= len(before.owners) || core.CPU >= len(after.owners) || after.atNS <= before.atNS {
		return
	}
	whole := float64(after.atNS - before.atNS)
	share := func(whose owner) float64 {
		// A thread that left the CPU while the first sample was taken may be counted for longer in it.
		then, now := before.owners[core.CPU][whose], after.owners[core.CPU][whose]
		return float64(now-min(now, then)) / whole
	}
	core.Sink, core.Foreign = share(sinkOwner), share(foreignOwner)
	core.ForeignName = busiest(core.CPU, before.strangers, after.strangers)
}

// busiest names the foreign process that had a CPU for the longest time between two lists.
func busiest(cpu int, before, after []Stranger) string {
	type process struct{ cpu, pid int }
	had := map[process]uint64{}
	for _, s := range before {
		had[process{s.CPU, s.PID}] = s.NS
	}
	var most Stranger
	for _, s := range after {
		if s.NS -= min(s.NS, had[process{s.CPU, s.PID}]); s.CPU == cpu && s.NS > most.NS {
			most = s
		}
	}
	if most.NS == 0 {
		return ""
	}
	return fmt.Sprintf("%s (process %d)", most.Name, most.PID)
}
