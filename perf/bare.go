package main

import (
	"context"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/internal/liveframes"
	"github.com/linerate/linerate/internal/sched"
)

const (
	// bareBatch is what the generator xdp takes when it is not paced.
	bareBatch = 64
	// probeFrames are sent first, to see how long a call takes.
	probeFrames = 1_000_000
)

// bare redirects the frame that the kernel hands it, and does nothing else.
func (w *wire) bare(window time.Duration) source {
	template := frame.Build(w.flows[0], w.from.MAC, w.from.NextHopMAC, 64, frame.Payload{})
	return source{"bare live frames", "one frame, untouched", func(ctx context.Context) error {
		return sched.OnOwnThread(func() error { return w.runBare(ctx, template, window) })
	}}
}

// runBare makes calls of a known number of frames, because the library takes a
// call that a signal has ended up again: no signal reaches this thread. The second
// call is as long as the window and what comes before it take.
func (w *wire) runBare(ctx context.Context, template []byte, window time.Duration) error {
	if err := sched.MaskSignals(); err != nil {
		return err
	}
	if err := sched.Pin(0, w.cpu); err != nil {
		return err
	}
	frames := uint32(probeFrames)
	for first := true; ctx.Err() == nil; first = false {
		start := time.Now()
		if _, err := w.objects.Bare.Run(&ebpf.RunOptions{Data: template, Repeat: frames, Flags: liveframes.Flag, BatchSize: bareBatch}); err != nil {
			return fmt.Errorf("run the bare program on live frames: %w", err)
		}
		if first {
			// The probe is short, so its set-up makes it look slower than it is.
			needed := (warmUp + window) * 3 / 2
			frames = uint32(min(float64(frames)*needed.Seconds()/time.Since(start).Seconds(), 1<<31-1))
		}
	}
	return nil
}
