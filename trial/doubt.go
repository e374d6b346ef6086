package trial

import (
	"fmt"

	"github.com/linerate/linerate/result"
)

// Limits above which a trial is doubted.
const (
	// unsentLimit: a generator that falls further short says nothing about the DUT's lower bound.
	unsentLimit = 0.001
	// takenLimit is the share of a CPU that others may take away.
	takenLimit = 0.02
	// takenTicksS is the least time taken that counts: /proc/stat knows ticks of 10 ms only.
	takenTicksS = 0.025
)

// taken tells whether a share of a CPU's time is long enough to have disturbed the trial.
func taken(t result.Trial, share float64) bool {
	return share > takenLimit && share*t.ActualDurationS > takenTicksS
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
		switch {
		case taken(t, c.Steal):
			return "the hypervisor took CPU time away"
		case taken(t, c.User): // the testbed's own work is all done in the kernel
			return "other programs ran on the testbed's CPUs"
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
			if taken(t, c.Steal) {
				add("steal", "the hypervisor took %.0f %% of CPU %d (%s) away", 100*c.Steal, c.CPU, c.Role)
			}
			if taken(t, c.User) {
				add("foreign-load", "other programs took %.0f %% of CPU %d (%s)", 100*c.User, c.CPU, c.Role)
			}
		}
	}
	if c := t.Conntrack; c != nil && c.InsertFailed+c.Drop+c.EarlyDrop > 0 {
		add("conntrack-drops", "connection tracking dropped frames: insert_failed %d, drop %d, early_drop %d", c.InsertFailed, c.Drop, c.EarlyDrop)
	}
	return list
}
