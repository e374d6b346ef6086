package lab

import (
	"testing"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/plan"
)

func TestRealTimeIsUnlimitedWhileTheLabStands(t *testing.T) {
	read := func() string {
		t.Helper()
		v, err := journal.ReadSysctl("", realTimeRuntime)
		if err != nil {
			t.Skip("this kernel has no limit for real-time threads: ", err)
		}
		return v
	}
	before := read()
	l, j := open(t, NewID(), plan.Lab{MTUBytes: 1500})
	want := unlimitedRealTime
	if l.CPUs.Shared() {
		want = before
	}
	if got := read(); got != want {
		t.Errorf("%s is %s, want %s", realTimeRuntime, got, want)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if got := read(); got != before {
		t.Errorf("%s is %s afterwards and was %s", realTimeRuntime, got, before)
	}
}
