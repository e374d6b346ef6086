package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"golang.org/x/sys/unix"
)

// EndProcesses ends every process inside the namespace Netns, which is one of
// linerate's own: what a user's commands left running.
const EndProcesses Kind = "end-processes"

// Processes are asked to end, and after so long killed.
const (
	endGrace = time.Second
	endStep  = 10 * time.Millisecond
)

// endProcesses ends the processes in a namespace. None is no error.
func endProcesses(ns string) error {
	if ns == "" {
		return errors.New("end-processes: the journal names no namespace: it is from another version of linerate")
	}
	signal := unix.SIGTERM
	for start := time.Now(); ; time.Sleep(endStep) {
		pids, err := processes(ns)
		if err != nil || len(pids) == 0 {
			return err
		}
		if since := time.Since(start); since > 2*endGrace {
			return fmt.Errorf("end the processes in namespace %s: %v do not end; they may wait for a device", ns, pids)
		} else if since > endGrace {
			signal = unix.SIGKILL
		}
		for _, pid := range pids {
			if err := unix.Kill(pid, signal); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("end process %d in namespace %s: %w", pid, ns, err)
			}
		}
	}
}

// processes are the processes in a named namespace, but for this one.
func processes(ns string) (pids []int, err error) {
	var wanted, has unix.Stat_t
	if err := unix.Stat(netns.Path(ns), &wanted); err != nil {
		return nil, fmt.Errorf("list the processes in namespace %s: %w", ns, err)
	}
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(filepath.Base(entry))
		if err != nil || pid == os.Getpid() {
			continue
		}
		if unix.Stat(entry+"/ns/net", &has) == nil && has.Ino == wanted.Ino && has.Dev == wanted.Dev {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
