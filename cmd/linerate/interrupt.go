package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// onInterrupt ends the context at the first of SIGINT, SIGTERM and SIGHUP, and says
// so. A second one kills this process as if it had never been caught. stop ends
// the watching.
//
// SIGPIPE is caught and dropped as well: a reader of the progress that goes away
// (`| head`) must not kill a run that has a lab to undo and trials to keep.
func onInterrupt(parent context.Context, d display) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	caught := make(chan os.Signal, 2)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	done := make(chan struct{})
	go func() {
		select {
		case <-caught:
		case <-done:
			return
		}
		d.Notice("interrupted: ending the trial, saving what was measured, undoing the lab; once more kills at once")
		cancel()
		select {
		case again := <-caught:
			d.Notice("killed: what this run leaves behind is undone by `sudo linerate restore`")
			d.Close()
			die(again)
		case <-done:
		}
	}()
	return ctx, func() {
		close(done)
		signal.Stop(caught)
		signal.Stop(pipes)
		cancel()
	}
}

// die ends the process by the signal itself, so that whoever waits for it sees a
// killed run and not one that undid everything.
func die(s os.Signal) {
	number, ok := s.(syscall.Signal)
	if !ok {
		number = syscall.SIGKILL
	}
	signal.Reset(number)
	_ = syscall.Kill(os.Getpid(), number)
	select {} // until the signal is delivered
}
