package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/xdp"
)

// source sends into a wire as fast as it can, on the wire's CPU.
type source struct {
	name, what string
	// run sends until ctx ends.
	run func(context.Context) error
}

const (
	warmUp       = 300 * time.Millisecond // after the first frame, before the measured time
	startPatient = 15 * time.Second       // for the first frame
)

// rate is the frames per second that arrive over a window, some time after the first.
func (w *wire) rate(ctx context.Context, s source, window time.Duration) (pps float64, err error) {
	before, err := w.settled()
	if err != nil {
		return 0, err
	}
	_, beforeElsewhere, _ := w.counted()
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- s.run(running) }()
	pps, err, ended := w.window(running, done, before, window)
	stop()
	if !ended {
		err = errors.Join(err, <-done)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return 0, fmt.Errorf("send with %s: %w", s.name, err)
	}
	if _, elsewhere, _ := w.counted(); elsewhere > beforeElsewhere {
		return 0, fmt.Errorf("send with %s: %d frames were counted on another CPU than %d", s.name, elsewhere-beforeElsewhere, w.cpu)
	}
	return pps, nil
}

// window waits for the first frame, lets the source warm up and counts. ended tells
// that the source ended before the window did.
func (w *wire) window(ctx context.Context, done <-chan error, before uint64, window time.Duration) (pps float64, err error, ended bool) {
	wait := func(d time.Duration) bool {
		select {
		case err = <-done:
			err = errors.Join(errors.New("it ended too early"), err)
			return false
		case <-ctx.Done():
			err = ctx.Err()
			return false
		case <-time.After(d):
			return true
		}
	}
	patience := time.Now().Add(startPatient)
	for {
		n, _, readErr := w.counted()
		if readErr != nil {
			return 0, readErr, false
		}
		if n > before {
			break
		}
		if time.Now().After(patience) {
			return 0, fmt.Errorf("no frame arrived within %v", startPatient), false
		}
		if !wait(5 * time.Millisecond) {
			return 0, err, ctx.Err() == nil
		}
	}
	if !wait(warmUp) {
		return 0, err, ctx.Err() == nil
	}
	first, _, _ := w.counted()
	start := time.Now()
	if !wait(window) {
		return 0, err, ctx.Err() == nil
	}
	last, _, err := w.counted()
	return float64(last-first) / time.Since(start).Seconds(), err, false
}

// full is linerate's generator as it is used in trials, but unpaced.
func (w *wire) full(g *xdp.Generator) source {
	return source{"linerate xdp", fmt.Sprintf("signature, sequence, time stamp, checksums, %d flows", len(w.flows)), func(ctx context.Context) error {
		_, err := g.Send(ctx, generator.Load{Duration: time.Hour, Epoch: 1})
		return err
	}}
}
