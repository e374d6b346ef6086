package observe

import (
	"fmt"
	"strings"
)

// SetForeign makes what processes other than own took of a CPU, between two samples, the
// share and the name of its foreign load: programs that are part of a measurement are
// strangers to the watch, and no foreign load. Nor is ksoftirqd, which carries their frames.
func SetForeign(share *float64, name *string, cpu int, before, after CPUSample, own ...int) {
	*share, *name = 0, ""
	if after.atNS <= before.atNS {
		return
	}
	type process struct{ cpu, pid int }
	had := map[process]uint64{}
	for _, pid := range own {
		had[process{cpu, pid}] = ^uint64(0)
	}
	for _, s := range before.strangers {
		p := process{s.CPU, s.PID}
		had[p] = max(had[p], s.NS)
	}
	var most Stranger
	var sum uint64
	for _, s := range after.strangers {
		s.NS -= min(s.NS, had[process{s.CPU, s.PID}])
		if s.CPU != cpu || s.NS == 0 || strings.HasPrefix(s.Name, "ksoftirqd/") {
			continue
		}
		sum += s.NS
		if s.NS > most.NS {
			most = s
		}
	}
	*share = float64(sum) / float64(after.atNS-before.atNS)
	if most.NS > 0 {
		*name = fmt.Sprintf("%s (process %d)", most.Name, most.PID)
	}
}
