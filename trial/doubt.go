package trial

import (
	"fmt"

	"github.com/linerate/linerate/result"
)

// Limits above which a trial is doubted.
const (
	// unsentLimit: a generator that falls further short says nothing about the DUT's lower bound.
	unsentLimit = 0.001
	stealLimit  = 0.02
)

// Disturbed says why a trial tells nothing about the DUT and is worth repeating;
// empty if it is sound. The load at which a generator is always short is found by
// repeating a few times only.
func Disturbed(t result.Trial) string {
	if t.UnsentRatio() > unsentLimit {
		return "the generator was held up"
	}
	if t.CPU == nil {
		return ""
	}
	for _, c := range t.CPU.PerCore {
		if c.Steal > stealLimit {
			return "the hypervisor took CPU time away"
		}
	}
	return ""
}

// doubts are what a reader of the trial has to know before he believes it.
func doubts(t result.Trial) []result.Warning {
	var list []result.Warning
	add := func(code, format string, args ...any) {
		list = append(list, result.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if r := t.UnsentRatio(); r > unsentLimit {
		add("generator-short", "the generator could not offer %.2f %% of the load", 100*r)
	}
	if t.TesterDrops > 0 {
		add("tester-drops", "the tester's own receive ring refused %d frames: they are not the DUT's loss", t.TesterDrops)
	}
	if t.WrongSize > 0 {
		add("wrong-size", "%d frames arrived with another length than they were sent with", t.WrongSize)
	}
	if t.WrongRewrite > 0 {
		add("wrong-rewrite", "%d frames arrived with other addresses or ports than the DUT should have given them", t.WrongRewrite)
	}
	if t.Late > 0 {
		add("late-frames", "%d frames of an earlier trial arrived in this one", t.Late)
	}
	if t.CPU != nil {
		for _, c := range t.CPU.PerCore {
			if c.Steal > stealLimit {
				add("steal", "the hypervisor took %.0f %% of CPU %d (%s) away", 100*c.Steal, c.CPU, c.Role)
			}
		}
	}
	if c := t.Conntrack; c != nil && c.InsertFailed+c.Drop+c.EarlyDrop > 0 {
		add("conntrack-drops", "connection tracking dropped frames: insert_failed %d, drop %d, early_drop %d", c.InsertFailed, c.Drop, c.EarlyDrop)
	}
	return list
}
