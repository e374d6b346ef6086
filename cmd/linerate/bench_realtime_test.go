package main

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/linerate/linerate/internal/sched"
	"github.com/linerate/linerate/result"
	"golang.org/x/sys/unix"
)

// without starts a process of which its kernel takes something away beforehand:
// capabilities and system call filters are those of the thread that makes a child.
func without(t *testing.T, take func() error, startIt func()) {
	t.Helper()
	err := sched.OnOwnThread(func() error {
		if err := take(); err != nil {
			return err
		}
		startIt()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// realTime makes sched_setattr fail as the seccomp profile of a container does.
func realTime() error {
	const (
		load, ifEqual, give = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
		allow, refuse       = 0x7fff0000, 0x00050000 | uint32(unix.EPERM) // SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO
	)
	filter := []unix.SockFilter{
		{Code: load}, // the number of the call is the first word of struct seccomp_data
		{Code: ifEqual, Jf: 1, K: unix.SYS_SCHED_SETATTR},
		{Code: give, K: refuse},
		{Code: give, K: allow},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}

// niceCapability drops CAP_SYS_NICE from what children can have.
func niceCapability() error {
	return unix.Prctl(unix.PR_CAPBSET_DROP, unix.CAP_SYS_NICE, 0, 0, 0)
}

// TestBenchWithoutRealTimePriority measures where SCHED_FIFO is forbidden: frames
// arrive and are counted, and the record says what is missing.
func TestBenchWithoutRealTimePriority(t *testing.T) {
	needLab(t)
	builtBinary(t)
	var p *process
	without(t, realTime, func() { p = startBench(t, append([]string{"--quiet"}, tinyPlan...)...) })
	if code := p.wait(); code != exitMeasured {
		t.Fatalf("exit %d:\n%s", code, p.stderr())
	}
	run, trials, err := result.Open(p.out)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(run.Warnings, func(w result.Warning) bool { return w.Code == "no-realtime" })
	if i < 0 || !strings.Contains(run.Warnings[i].Text, "CAP_SYS_NICE") {
		t.Errorf("the record does not say that there is no real-time priority: %v", run.Warnings)
	}
	received := uint64(0)
	for _, trial := range trials {
		if trial.Purpose == result.ForSearch {
			received += trial.Received
		}
	}
	if received == 0 || len(run.Cells) != 1 || run.Cells[0].Skipped != "" {
		t.Errorf("%d frames arrived in %d trials of %d cells", received, len(trials), len(run.Cells))
	}
	p.leavesNothing()
}

// TestDoctorCallsMissingRealTimeALimit expects of doctor what bench does.
func TestDoctorCallsMissingRealTimeALimit(t *testing.T) {
	needLab(t)
	builtBinary(t)
	var p *process
	without(t, realTime, func() { p = start(t, "doctor") })
	if code := p.wait(); code != exitMeasured {
		t.Errorf("exit %d:\n%s%s", code, p.stdout(), p.stderr())
	}
	if said := p.stdout(); !strings.Contains(said, "ready with limits") || !strings.Contains(said, "real-time priority") {
		t.Errorf("doctor does not call it a limit:\n%s", said)
	}
}

// TestNoLabWithoutTheRightToPlaceThreads expects bench and doctor to refuse alike.
func TestNoLabWithoutTheRightToPlaceThreads(t *testing.T) {
	needLab(t)
	builtBinary(t)
	for _, begin := range []func() *process{
		func() *process { return startBench(t, tinyPlan...) },
		func() *process { return start(t, "doctor") },
	} {
		var p *process
		without(t, niceCapability, func() { p = begin() })
		if code := p.wait(); code != exitCannot || !strings.Contains(p.stdout()+p.stderr(), "this process lacks CAP_SYS_NICE") {
			t.Errorf("exit %d:\n%s%s", code, p.stdout(), p.stderr())
		}
	}
}
