package journal

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/sched"
	"golang.org/x/sys/unix"
)

const (
	// StartProcess starts Argv as Process says, in the namespace Netns, and waits until it is ready.
	StartProcess Kind = "start-process"
	// StopProcess ends what was started with the same Process.Dir, and removes that folder. It
	// names no Netns: the process can outlive the name of its namespace.
	StopProcess Kind = "stop-process"
)

// Process says how a long-running process is started, and by what it is found again.
// All of that is decided before it starts, so that a journal that was written before can
// end it whenever its run was killed.
type Process struct {
	// Dir is a folder of the process's own, absolute. It is made for the process and
	// removed after it, with whatever is in it: the files log (what it printed), pid and
	// stdin, and what Argv and Env put there. An environment variable with its name marks
	// the process and its children.
	Dir string `json:"dir"`
	// Env are further environment variables, KEY=VALUE.
	Env []string `json:"env,omitempty"`
	// Program is what Argv becomes, if that is a shell which prepares something first; empty
	// for Argv's own program.
	Program string `json:"program,omitempty"`
	// CPUs are where it may run; empty for wherever the starting process may.
	CPUs []int `json:"cpus,omitempty"`
	// OpenInput keeps its standard input open: the file stdin of Dir is a FIFO to which
	// anybody may write commands. Else the input is empty.
	OpenInput bool `json:"open_input,omitempty"`
	// Ready says when it has started; if all of it is empty, that is at once.
	Ready Ready `json:"ready,omitzero"`
	// GraceMS is how long it may take to end after SIGTERM before it is killed, in
	// milliseconds; 0 for defaultGraceMS.
	GraceMS int `json:"grace_ms,omitempty"`
}

// Ready tells when a process has started: all that is given must hold.
type Ready struct {
	// Log is a text that it prints.
	Log string `json:"log,omitempty"`
	// File is what it makes: a socket or a file. A path that is not absolute is below Dir.
	File string `json:"file,omitempty"`
	// WithinMS is the time limit in milliseconds; 0 for defaultReadyMS.
	WithinMS int `json:"within_ms,omitempty"`
}

const (
	defaultReadyMS = 10_000
	defaultGraceMS = 3_000
	// pollEvery is how often a condition of a process is looked at.
	pollEvery = 10 * time.Millisecond
	// processMark is the environment variable whose value is Process.Dir.
	processMark = "LINERATE_PROCESS"
)

// Files of Process.Dir.
const (
	logFile   = "log"
	pidFile   = "pid"
	inputFile = "stdin"
	endFile   = "end"
)

// launch makes the process tell who it is before it becomes what it is to be: a journal
// that finds no such file knows that its program did not start yet, and that the mark is
// still in its environment, which a program may overwrite (setproctitle).
const launch = `set -e
cat /proc/$$/stat > "$LINERATE_PROCESS/pid.new"
mv "$LINERATE_PROCESS/pid.new" "$LINERATE_PROCESS/pid"
exec "$@"`

// Stop is the action that undoes a StartProcess.
func (a Action) Stop() Action {
	return Action{Kind: StopProcess, Argv: a.Argv[:1], Process: &Process{Dir: a.Process.Dir, GraceMS: a.Process.GraceMS}}
}

// start starts the process in a session of its own and waits until it is ready. A process
// that is not ready in time is left to its undo.
func (a Action) start() error {
	p := a.Process
	if _, err := exec.LookPath(a.Argv[0]); err != nil {
		return fmt.Errorf("start %s: it is not installed; %s", a.Argv[0], InstallHint(a.Argv[0]))
	}
	if err := p.makeDir(); err != nil {
		return fmt.Errorf("start %s: %w", a.Argv[0], err)
	}
	err := inside(a.Netns, func() error {
		if len(p.CPUs) > 0 {
			if err := sched.Pin(0, p.CPUs...); err != nil {
				return err
			}
		}
		return p.spawn(a.Argv)
	})
	if err != nil {
		return fmt.Errorf("start `%s`: %w", a.started(), err)
	}
	if err := p.awaitReady(); err != nil {
		return fmt.Errorf("start `%s`: %w", a.started(), err)
	}
	return nil
}

// program is what the process becomes.
func (a Action) program() string { return cmp.Or(a.Process.Program, a.Argv[0]) }

// started is the command line, or only the program's name where a shell prepares something first.
func (a Action) started() string {
	return cmp.Or(a.Process.Program, strings.Join(a.Argv, " "))
}

// inside runs f on a thread of its own in the namespace, with a /sys that shows its devices.
func inside(ns string, f func() error) error {
	if ns == "" {
		return sched.OnOwnThread(f)
	}
	return netns.DoWithSysfs(ns, f)
}

func (p *Process) path(file string) string { return filepath.Join(p.Dir, file) }

func (p *Process) makeDir() error {
	if err := os.MkdirAll(filepath.Dir(p.Dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(p.Dir, 0o700); err != nil {
		return err
	}
	if !p.OpenInput {
		return nil
	}
	if err := unix.Mkfifo(p.path(inputFile), 0o600); err != nil {
		return fmt.Errorf("make %s: %w", p.path(inputFile), err)
	}
	return nil
}

// spawn starts the process on the calling thread, whose namespace and CPUs it inherits.
func (p *Process) spawn(argv []string) error {
	log, err := os.OpenFile(p.path(logFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	c := exec.Command("/bin/sh", append([]string{"-c", launch, "sh"}, argv...)...)
	c.Env = append(slices.Concat(os.Environ(), p.Env), processMark+"="+p.Dir)
	c.Stdout, c.Stderr = log, log
	if p.OpenInput {
		// Open for reading and writing it never comes to an end.
		input, err := os.OpenFile(p.path(inputFile), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer input.Close()
		c.Stdin = input
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	// Opened now, so that a late end is not written into the folder of a next process.
	end, err := os.OpenFile(p.path(endFile), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return errors.Join(err, end.Close())
	}
	go func() {
		_ = c.Wait() // its state is what is wanted
		_, _ = end.WriteString(c.ProcessState.String())
		_ = end.Close()
	}()
	return nil
}

// awaitReady waits until the process is ready. An error has what it printed last.
func (p *Process) awaitReady() error {
	within := time.Duration(cmp.Or(p.Ready.WithinMS, defaultReadyMS)) * time.Millisecond
	for end := time.Now().Add(within); ; time.Sleep(pollEvery) {
		if ended := p.ended(); ended != "" {
			return fmt.Errorf("it ended before it was ready: %s%s", ended, p.lastLines())
		}
		waiting, err := p.waitingFor()
		if err != nil {
			return err
		}
		if waiting == "" {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("it was not ready within %v: %s%s", within, waiting, p.lastLines())
		}
	}
}

// waitingFor is what is still missing; empty when the process is ready.
func (p *Process) waitingFor() (string, error) {
	if _, err := os.Stat(p.path(pidFile)); err != nil {
		return "it has not begun", nil
	}
	if file := p.Ready.File; file != "" {
		if !filepath.IsAbs(file) {
			file = p.path(file)
		}
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			return "there is no " + file, nil
		} else if err != nil {
			return "", err
		}
	}
	if p.Ready.Log != "" {
		printed, err := os.ReadFile(p.path(logFile))
		if err != nil {
			return "", err
		}
		if !strings.Contains(string(printed), p.Ready.Log) {
			return fmt.Sprintf("it has not printed %q", p.Ready.Log), nil
		}
	}
	return "", nil
}
