package bench

import (
	"fmt"
	"math"
	"strings"

	"github.com/linerate/linerate/result"
)

// steady is the share of its fastest that a CPU must keep to through a cell, for
// its trials to be comparable: a DUT's rate falls about as much as the speed does.
const steady = 0.95

// speedDoubt tells if a CPU of the DUT was not equally fast in the trials of a cell.
func speedDoubt(trials []result.Trial) (result.Warning, bool) {
	type span struct {
		cpu           int
		slow, fast    float64
		slowest, most int
	}
	var spans []span
	at := map[int]int{}
	for _, t := range trials {
		if t.CPU == nil || t.Purpose != result.ForSearch || t.Discarded != "" {
			continue
		}
		for _, c := range t.CPU.PerCore {
			if c.TurnsPerS == 0 || !strings.Contains(c.Role, "dut") {
				continue
			}
			i, known := at[c.CPU]
			if !known {
				i = len(spans)
				at[c.CPU] = i
				spans = append(spans, span{cpu: c.CPU, slow: math.Inf(1)})
			}
			if c.TurnsPerS < spans[i].slow {
				spans[i].slow, spans[i].slowest = c.TurnsPerS, t.Number
			}
			if c.TurnsPerS > spans[i].fast {
				spans[i].fast, spans[i].most = c.TurnsPerS, t.Number
			}
		}
	}
	for _, s := range spans {
		if s.slow < steady*s.fast {
			return result.Warning{Code: "cpu-speed", Text: fmt.Sprintf(
				"the machine did not keep its speed: CPU %d of the DUT did the same work %.0f %% slower in trial %d than in trial %d, and what it forwards falls with that; its clock, a neighbour on the same core or the hypervisor changed",
				s.cpu, 100*(1-s.slow/s.fast), s.slowest, s.most)}, true
		}
	}
	return result.Warning{}, false
}
