package journal

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// EndedError says that a process that should run has ended.
type EndedError struct {
	// Program is its name, How how it ended and what it printed last.
	Program, How string
}

func (e *EndedError) Error() string { return fmt.Sprintf("%s has ended: %s", e.Program, e.How) }

// Alive is nil while the process of a StartProcess runs, and else an *EndedError. Other
// actions have none.
func (a Action) Alive() error {
	if a.Kind != StartProcess {
		return nil
	}
	if _, alive := a.Process.alive(); alive {
		return nil
	}
	// It is not a zombie for long: whoever waits for it is about to write how it ended.
	for range 20 {
		if end, err := os.Stat(a.Process.path(endFile)); err == nil && end.Size() > 0 {
			break
		}
		time.Sleep(pollEvery)
	}
	return &EndedError{Program: a.program(), How: cmp.Or(a.Process.ended(), "it has never begun") + a.Process.lastLines()}
}

// Threads are the thread ids of a living process of a StartProcess.
func (a Action) Threads() ([]int, error) {
	leader, alive := a.Process.alive()
	if !alive {
		return nil, a.Alive()
	}
	entries, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(leader.pid), "task"))
	if err != nil {
		return nil, fmt.Errorf("list the threads of %s (process %d): %w", a.program(), leader.pid, err)
	}
	var tids []int
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	return tids, nil
}

// killPatience bounds the wait for a process that was killed: the kernel may be busy
// giving its memory back.
const killPatience = 10 * time.Second

// stop asks the process to end, kills what has not ended in time, and removes its folder. A
// process that never started, or has ended, is no error.
func (a Action) stop() error {
	p := a.Process
	grace := time.Duration(cmp.Or(p.GraceMS, defaultGraceMS)) * time.Millisecond
	left, err := p.end(unix.SIGTERM, grace)
	if err == nil && left > 0 {
		left, err = p.end(unix.SIGKILL, killPatience)
	}
	if err == nil && left > 0 {
		err = fmt.Errorf("%d of its processes still live %v after they were killed", left, killPatience)
	}
	if err == nil {
		err = os.RemoveAll(p.Dir)
	}
	if err != nil {
		return fmt.Errorf("stop the process of %s: %w", p.Dir, err)
	}
	_ = os.Remove(filepath.Dir(p.Dir)) // the last process leaves it empty
	return nil
}

// end sends a signal to all members and waits until they have ended. It returns how many have not.
func (p *Process) end(s unix.Signal, within time.Duration) (left int, err error) {
	told := map[running]bool{}
	for end := time.Now().Add(within); ; time.Sleep(pollEvery) {
		members, err := p.members()
		if err != nil || len(members) == 0 {
			return 0, err
		}
		var errs []error
		for _, m := range members {
			m.state = 0 // changes, and is not part of who it is
			if !told[m] {
				told[m] = true
				errs = append(errs, m.signal(s))
			}
		}
		if err := errors.Join(errs...); err != nil || time.Now().After(end) {
			return len(members), err
		}
	}
}
