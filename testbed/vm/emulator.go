package vm

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// emulator is an emulator that runs.
type emulator struct {
	pid  int
	done chan error
}

// startEmulator starts argv with files from descriptor 3 on. It is killed when ctx ends.
// The thread that starts it lives as long, because the kernel kills the emulator when
// that thread ends, as it does when linerate is killed.
func startEmulator(ctx context.Context, argv []string, console io.Writer, files ...*os.File) (*emulator, error) {
	e := &emulator{done: make(chan error, 1)}
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
