package selftest

import (
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/linerate/linerate/internal/sched"
)

// HogOptions say how Hog disturbs a CPU.
type HogOptions struct {
	CPU int
	// Priority is that of SCHED_FIFO; 0 leaves the process to the fair scheduler.
	Priority int
	// Busy and Idle alternate; an Idle of 0 never rests.
	Busy, Idle time.Duration
}

// args are the arguments after Options.Hog, which the command line parses.
func (o HogOptions) args() []string {
	return []string{"--cpu", strconv.Itoa(o.CPU), "--priority", strconv.Itoa(o.Priority), "--busy", o.Busy.String(), "--idle", o.Idle.String()}
}

// Hog keeps a CPU busy, half in user mode and half in the kernel, until the process
// is killed. It returns only if it cannot.
func Hog(o HogOptions) error {
	runtime.LockOSThread()
	if err := sched.Pin(0, o.CPU); err != nil {
		return err
	}
	if o.Priority > 0 {
		if err := sched.FIFO(0, o.Priority); err != nil {
			return err
		}
	}
	for {
		for end := time.Now().Add(o.Busy); time.Now().Before(end); {
			x := uint32(1)
			for range 2000 {
				x = x*1664525 + 1013904223
			}
			for range 10 {
				_ = syscall.Getppid() + int(x&1) // a system call that no cache answers
			}
		}
		if o.Idle > 0 {
			time.Sleep(o.Idle)
		}
	}
}

// startHog runs Hog in another process, which the kernel kills if this one dies.
func startHog(command []string, o HogOptions) (stop func() error, err error) {
	if len(command) == 0 {
		return nil, skip("no command is known that keeps a CPU busy")
	}
	started := make(chan error)
	ended := make(chan struct{})
	c := exec.Command(command[0], append(command[1:], o.args()...)...)
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	go func() {
		// The signal comes when the thread that started the process ends (prctl(2), PR_SET_PDEATHSIG).
		runtime.LockOSThread()
		defer close(ended)
		err := c.Start()
		started <- err
		if err == nil {
			_ = c.Wait() // it is killed
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start a process that keeps CPU %d busy: %w", o.CPU, err)
	}
	return func() error {
		err := c.Process.Kill()
		<-ended
		return err
	}, nil
}
