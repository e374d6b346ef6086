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
	// stealTicksS is the least time stolen that counts: /proc/stat knows ticks of 10 ms only.
	stealTicksS = 0.025
)

// stolen tells whether the hypervisor took a CPU away for long.
func stolen(t result.Trial, c result.Core) bool {
	return c.Steal > stealLimit && c.Steal*t.ActualDurationS > stealTicksS
}

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
		if stolen(t, c) {
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
	if t.WrongFlow > 0 {
		add("wrong-flow", "%d frames arrived with a flow number that no stream has: another sender uses the same epoch, or payloads are damaged", t.WrongFlow)
	}
	if t.Interruptions > 0 {
		add("interrupted-sending", "the system ended the sending call %d times, each for some 30 ms", t.Interruptions)
	}
	if t.Late > 0 {
		add("late-frames", "%d frames of an earlier trial arrived in this one", t.Late)
	}
	if t.CPU != nil {
		for _, c := range t.CPU.PerCore {
			if stolen(t, c) {
				add("steal", "the hypervisor took %.0f %% of CPU %d (%s) away", 100*c.Steal, c.CPU, c.Role)
			}
		}
	}
	if c := t.Conntrack; c != nil && c.InsertFailed+c.Drop+c.EarlyDrop > 0 {
		add("conntrack-drops", "connection tracking dropped frames: insert_failed %d, drop %d, early_drop %d", c.InsertFailed, c.Drop, c.EarlyDrop)
	}
	return list
}
