package trial

import (
	"fmt"

	"github.com/linerate/linerate/result"
)

// doubts are what a reader of the trial has to know before he believes it.
func doubts(t result.Trial) []result.Warning {
	var list []result.Warning
	add := func(code, format string, args ...any) {
		list = append(list, result.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	for _, d := range t.Disturbances {
		add(d.Code, "%s", d.Text)
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
		if text := unevenCPUs(t.CPU.PerCore, t.QueueShares); text != "" {
			add("uneven-cpus", "%s", text)
		}
	}
	if c := t.Conntrack; c != nil && c.InsertFailed+c.Drop+c.EarlyDrop > 0 {
		add("conntrack-drops", "connection tracking dropped frames: insert_failed %d, drop %d, early_drop %d", c.InsertFailed, c.Drop, c.EarlyDrop)
	}
	return list
}
