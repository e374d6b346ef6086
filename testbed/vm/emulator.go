package vm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// ErrLeft is an emulator that does not end although it was killed, such as one that the
// kernel holds in a call of KVM. The error around it has the process number.
var ErrLeft = errors.New("does not end although it was killed")

// killGrace is how long a killed emulator may take to go.
const killGrace = 3 * time.Second

// emulator is an emulator that runs.
type emulator struct {
	program string
	pid     int
	done    chan error
	grace   time.Duration
}

// wait waits for the end, as long as the context of startEmulator lasts and the grace behind
// it: the emulator is killed then, and one that stays is given up.
func (e *emulator) wait(ctx context.Context) error {
	select {
	case err := <-e.done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-e.done:
		return err
	case <-time.After(e.grace):
		return fmt.Errorf("process %d of %s %w; see what holds it in /proc/%d/stack, and end it", e.pid, e.program, ErrLeft, e.pid)
	}
}

// startEmulator starts argv with files from descriptor 3 on. It is killed when ctx ends.
// The thread that starts it lives as long, because the kernel kills the emulator when
// that thread ends, as it does when linerate is killed.
func startEmulator(ctx context.Context, argv []string, console io.Writer, files ...*os.File) (*emulator, error) {
	e := &emulator{program: argv[0], done: make(chan error, 1), grace: killGrace}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Stdout, cmd.Stderr = console, console
		cmd.ExtraFiles = files
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
		cmd.WaitDelay = time.Second
		err := cmd.Start()
		if err == nil {
			e.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			e.done <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s: %w", argv[0], err)
	}
	return e, nil
}
