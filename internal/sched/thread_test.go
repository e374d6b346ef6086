package sched

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
	"golang.org/x/sys/unix"
)

func init() { runtime.LockOSThread() } // as Go asks of the main package

func TestOwnThreadTakesWhatWasDoneToItAlong(t *testing.T) {
	testenv.NeedRoot(t)
	before, err := AllowedCPUs()
	if err != nil {
		t.Fatal(err)
	}
	err = OnOwnThread(func() error {
		return errors.Join(Place(before[len(before)-1], 5), MaskSignals(unix.SIGURG))
	})
	if err != nil {
		t.Fatal(err)
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
			want, err := unix.SchedGetAttr(0, 0)
			if err != nil {
				return err
			}
			switch {
			case priority > 0:
				want.Policy, want.Priority = unix.SCHED_FIFO, uint32(priority)
			case priority < 0:
				want.Nice = int32(priority)
			}
			if err := Place(-1, priority); err != nil {
				return err
			}
			got, err := unix.SchedGetAttr(0, 0)
			if err != nil {
				return err
			}
			if got.Policy != want.Policy || got.Priority != want.Priority || priority <= 0 && got.Nice != want.Nice {
				t.Errorf("priority %d gives %+v, want %+v", priority, got, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
