package workload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/sched"
)

// Ended is a process that has ended.
type Ended struct {
	Stdout, Stderr []byte
	// CoresBusy is the CPU time of the process over the time that it lived.
	CoresBusy float64
	Lived     time.Duration
	PID       int
}

// Process is a program that runs inside a network namespace and on some CPUs. It dies
// with linerate, whatever ends linerate, and with the context that it was started with.
type Process struct {
	argv    []string
	done    chan struct{}
	started chan error
	ended   Ended
	err     error
}

// stopPatience is how long a process whose context has ended may take to die.
const stopPatience = 2 * time.Second

// Start starts a program. The kernel ties its life to the thread that starts it
// (PR_SET_PDEATHSIG), which therefore waits for it.
func Start(ctx context.Context, ns string, cpus []int, priority int, argv ...string) (*Process, error) {
	p := &Process{argv: argv, done: make(chan struct{}), started: make(chan error, 1)}
	ended := sched.Go(func() error {
		defer close(p.done)
		if err := p.run(ctx, ns, cpus, priority); err != nil {
			p.started <- err
			p.err = err
		}
		return nil
	})
	_ = ended // done tells it
	if err := <-p.started; err != nil {
		return nil, err
	}
	return p, nil
}

// run is on a thread of its own, which ends with it.
func (p *Process) run(ctx context.Context, ns string, cpus []int, priority int) error {
	if ns != "" {
		if err := netns.Enter(ns); err != nil {
			return err
		}
	}
	if len(cpus) > 0 {
		if err := sched.Pin(0, cpus...); err != nil {
			return err
		}
	}
	if err := sched.Prioritise(0, priority); err != nil {
		return err
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	c.Stdout, c.Stderr, c.WaitDelay = &stdout, &stderr, stopPatience
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	begin := time.Now()
	if err := c.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.argv[0], err)
	}
	p.started <- nil
	p.err = c.Wait()
	p.ended = Ended{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Lived: time.Since(begin), PID: c.Process.Pid}
	if s := c.ProcessState; s != nil && p.ended.Lived > 0 {
		p.ended.CoresBusy = (s.UserTime() + s.SystemTime()).Seconds() / p.ended.Lived.Seconds()
	}
	return nil
}

// Wait waits for the end of the process. The error says how it ended, if not with exit
// code 0, with what it printed last.
func (p *Process) Wait() (Ended, error) {
	<-p.done
	if p.err == nil {
		return p.ended, nil
	}
	var exit *exec.ExitError
	how := p.err.Error()
	if errors.As(p.err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			how = fmt.Sprintf("was ended by signal %d (%v)", status.Signal(), status.Signal())
		}
	}
	said := lastLine(p.ended.Stderr)
	if said != "" {
		said = ": " + said
	}
	return p.ended, fmt.Errorf("`%s` %s after %.1f s%s", strings.Join(p.argv, " "), how, p.ended.Lived.Seconds(), said)
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

func lastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
