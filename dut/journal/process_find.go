package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// running is a process as /proc shows it. Number and start time together name it: a number
// alone is given to another process after its end.
type running struct {
	pid, session int
	// start is in clock ticks since boot.
	start uint64
	state byte
}

// ended tells whether the process does nothing any more and only waits for its parent to look.
func (r running) ended() bool { return r.state == 'Z' || r.state == 'X' }

// parseStat reads the text of /proc/PID/stat (proc_pid_stat(5)): the name in brackets may
// have spaces and brackets itself.
func parseStat(text string) (r running, err error) {
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < 0 {
		return r, fmt.Errorf("%q is not a line of /proc/PID/stat", text)
	}
	// From the third field on; the start time is the 22nd.
	fields := strings.Fields(text[end+1:])
	if len(fields) < 20 {
		return r, fmt.Errorf("%q has too few fields for a line of /proc/PID/stat", text)
	}
	r.state = fields[0][0]
	if r.pid, err = strconv.Atoi(strings.TrimSpace(text[:open])); err != nil {
		return r, err
	}
	if r.session, err = strconv.Atoi(fields[3]); err != nil {
		return r, err
	}
	r.start, err = strconv.ParseUint(fields[19], 10, 64)
	return r, err
}

// readStat is the process that has a number now; found is false if none has.
func readStat(pid int) (r running, found bool) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return r, false
	}
	r, err = parseStat(string(text))
	return r, err == nil
}

// leader is the process that was started, as it told itself; known is false if it has not yet.
func (p *Process) leader() (r running, known bool) {
	text, err := os.ReadFile(p.path(pidFile))
	if err != nil {
		return r, false
	}
	r, err = parseStat(string(text))
	return r, err == nil
}

// alive is the leader if it lives.
func (p *Process) alive() (running, bool) {
	told, known := p.leader()
	if !known {
		return running{}, false
	}
	now, found := readStat(told.pid)
	return now, found && now.start == told.start && !now.ended()
}

// members are all living processes that belong to the process: the leader, what is in the
// session that it leads, and whatever carries the mark.
func (p *Process) members() ([]running, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	leader, leading := p.alive()
	var list []running
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		// The mark is read between two looks: it is that of the process found.
		before, found := readStat(pid)
		if !found || before.ended() {
			continue
		}
		ours := leading && (pid == leader.pid || before.session == leader.pid) || p.marks(pid)
		if now, found := readStat(pid); ours && found && now.start == before.start {
			list = append(list, now)
		}
	}
	return list, nil
}

// marks tells whether a process carries the mark in its environment.
func (p *Process) marks(pid int) bool {
	environment, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && slices.ContainsFunc(bytes.Split(environment, []byte{0}), func(v []byte) bool {
		return string(v) == processMark+"="+p.Dir
	})
}

// signal sends a signal to exactly that process: the handle is of whoever has the number
// now, and the start time tells whether that is still the same.
func (r running) signal(s unix.Signal) error {
	fd, err := unix.PidfdOpen(r.pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open process %d: %w", r.pid, err)
	}
	defer unix.Close(fd)
	if now, found := readStat(r.pid); !found || now.start != r.start {
		return nil
	}
	if err := unix.PidfdSendSignal(fd, s, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("send signal %v to process %d: %w", s, r.pid, err)
	}
	return nil
}

// ended is how the process ended; empty while it lives, and before it has begun.
func (p *Process) ended() string {
	if how, err := os.ReadFile(p.path(endFile)); err == nil && len(how) > 0 {
		return string(how)
	}
	if _, known := p.leader(); !known {
		return ""
	}
	if _, alive := p.alive(); !alive {
		return "how is not known"
	}
	return ""
}

// Printed is the first line with a text that the process of a StartProcess has printed;
// empty if there is none.
func (a Action) Printed(text string) string {
	log, err := os.ReadFile(a.Process.path(logFile))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, text) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// Limits on what an error repeats of a log.
const (
	lastLinesCount = 5
	lastLinesBytes = 2000
)

// lastLines are the last lines that the process printed, for the end of an error text.
func (p *Process) lastLines() string {
	f, err := os.Open(p.path(logFile))
	if err != nil {
		return ""
	}
	defer f.Close()
	if end, err := f.Seek(0, io.SeekEnd); err == nil {
		_, _ = f.Seek(max(0, end-lastLinesBytes), io.SeekStart)
	}
	tail, err := io.ReadAll(f)
	if err != nil {
		return ""
	}
	var lines []string
	for line := range strings.Lines(string(tail)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "; it printed nothing"
	}
	return "; its last lines: " + strings.Join(lines[max(0, len(lines)-lastLinesCount):], " / ")
}
