package sched

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
	"golang.org/x/sys/unix"
)

func cpusOf(t *testing.T, tid int) unix.CPUSet {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(tid, &set); err != nil {
		t.Fatal(err)
	}
	return set
}

func TestConfine(t *testing.T) {
	testenv.NeedRoot(t)
	before := cpusOf(t, 0)
	only := 0
	for !before.IsSet(only) {
		only++
	}
	undo, err := Confine([]int{only})
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan unix.CPUSet)
	go func() {
		runtime.LockOSThread() // a thread of its own, started after the move
		started <- cpusOf(t, 0)
	}()
	if set := <-started; set.Count() != 1 || !set.IsSet(only) {
		t.Errorf("a new thread may run on %d CPUs", set.Count())
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		tid, _ := strconv.Atoi(task.Name())
		if set := cpusOf(t, tid); set.Count() != 1 {
			t.Errorf("thread %d may run on %d CPUs", tid, set.Count())
		}
	}
	if err := undo(); err != nil {
		t.Fatal(err)
	}
	if after := cpusOf(t, 0); after != before {
		t.Error("the CPUs are not those from before")
	}
}

func TestPinAndPriorities(t *testing.T) {
	testenv.NeedRoot(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with its priority
		if err := Pin(0, 0); err != nil {
			t.Error(err)
		}
		if set := cpusOf(t, 0); set.Count() != 1 || !set.IsSet(0) {
			t.Error("the thread is not on CPU 0 alone")
		}
		if err := FIFO(0, 7); err != nil {
			t.Error(err)
		}
		attr, err := unix.SchedGetAttr(0, 0)
		if err != nil || attr.Policy != unix.SCHED_FIFO || attr.Priority != 7 {
			t.Errorf("policy and priority %+v, %v; want SCHED_FIFO 7", attr, err)
		}
	}()
	<-done
	if err := Pin(0, 1000); err == nil {
		t.Error("CPU 1000 was accepted")
	}
}
