package xdp

import (
	"errors"
	"fmt"
	"os"

	"github.com/linerate/linerate/internal/liveframes"
	"github.com/linerate/linerate/internal/sched"
	"golang.org/x/sys/unix"
)

// stopSignal ends a call of a sending thread.
const stopSignal = unix.SIGURG

// thread runs a program on live frames until it is stopped.
type thread struct {
	tid  chan int
	done <-chan error
}

// startThread runs prog over and over on one CPU with frames that begin as template.
func startThread(progFD int, template []byte, batch, cpu, priority int) *thread {
	t := &thread{tid: make(chan int, 1)}
	t.done = sched.Go(func() error {
		err := sched.MaskSignals(stopSignal)
		if err == nil {
			err = sched.Place(cpu, priority)
		}
		t.tid <- unix.Gettid()
		if err != nil {
			return err
		}
		return runLive(progFD, template, batch)
	})
	return t
}

func runLive(progFD int, template []byte, batch int) error {
	err := liveframes.Run(progFD, template, liveframes.MostRepeats, batch)
	if err == nil || errors.Is(err, unix.EINTR) {
		return nil
	}
	err = fmt.Errorf("run XDP program on live frames of %d bytes: %w", len(template), err)
	if errors.Is(err, unix.EINVAL) {
		err = fmt.Errorf("%w; the kernel takes frames of up to about 3,300 bytes here, and must be Linux 5.18 or later", err)
	}
	return err
}

// interrupt ends a call of the thread; it has to be repeated until the thread is done.
func interrupt(tid int) { _ = unix.Tgkill(os.Getpid(), tid, stopSignal) }
