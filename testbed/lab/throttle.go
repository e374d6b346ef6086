package lab

import (
	"errors"
	"io/fs"

	"github.com/linerate/linerate/dut/journal"
)

// The share of each second that real-time threads may run, in microseconds; -1 is
// all of it (kernel/sched/rt.c).
const (
	realTimeRuntime   = "kernel.sched_rt_runtime_us"
	unlimitedRealTime = "-1"
)

// unthrottle lets real-time threads use a whole CPU: by default the kernel stops a
// generator or a saturated DUT for 50 ms of each second, also when nobody else
// wants the CPU. It is left as it is where everything shares one CPU, because then
// nothing else could run, and where it is off already.
func (l *Lab) unthrottle() error {
	if l.CPUs.Shared() || l.noRealTime != nil {
		return nil
	}
	before, err := journal.ReadSysctl("", realTimeRuntime)
	if errors.Is(err, fs.ErrNotExist) || before == unlimitedRealTime {
		return nil
	}
	if err != nil {
		return err
	}
	set := journal.Action{Kind: journal.SetSysctl, Key: realTimeRuntime, Value: unlimitedRealTime}
	undo := set
	undo.Value = before
	if err := l.journal.Record(undo); err != nil {
		return err
	}
	return set.Run()
}
