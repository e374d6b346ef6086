package sched

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
	"golang.org/x/sys/unix"
)

func TestOwnThreadTakesWhatWasDoneToItAlong(t *testing.T) {
	testenv.NeedRoot(t)
	before, err := AllowedCPUs()
	if err != nil {
		t.Fatal(err)
	}
	var tid int
	err = OnOwnThread(func() error {
		tid = unix.Gettid()
		return errors.Join(Place(before[len(before)-1], 5), MaskSignals(unix.SIGURG))
	})
	if err != nil {
		t.Fatal(err)
	}
	for unix.Tgkill(unix.Getpid(), tid, 0) == nil { // the thread ends after its goroutine
		runtime.Gosched()
	}
	if after, err := AllowedCPUs(); err != nil || !slices.Equal(before, after) {
		t.Errorf("allowed CPUs were %v and are %v, %v", before, after, err)
	}
	refused := errors.New("refused")
	if err := OnOwnThread(func() error { return refused }); err != refused {
		t.Errorf("the outcome is %v", err)
	}
}

func TestPlace(t *testing.T) {
	testenv.NeedRoot(t)
	for _, priority := range []int{-3, 0, 5} {
		err := OnOwnThread(func() error {
			if err := Place(-1, priority); err != nil {
				return err
			}
			attr, err := unix.SchedGetAttr(0, 0)
			if err != nil {
				return err
			}
			switch {
			case priority > 0 && (attr.Policy != unix.SCHED_FIFO || attr.Priority != uint32(priority)),
				priority <= 0 && (attr.Policy != unix.SCHED_NORMAL || attr.Nice != int32(priority)):
				t.Errorf("priority %d gives policy %d, priority %d, nice %d", priority, attr.Policy, attr.Priority, attr.Nice)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
