package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/cilium/ebpf"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/internal/sched"
	"golang.org/x/sys/unix"
)

const (
	flagXDPLiveFrames = 1 << 1 // BPF_F_TEST_XDP_LIVE_FRAMES, Linux 5.18
	// bareBatch is what the generator xdp takes when it is not paced.
	bareBatch = 64
	// probeFrames are sent first, to see how long a call takes.
	probeFrames = 1_000_000
)

// bare redirects the frame that the kernel hands it, and does nothing else.
func (w *wire) bare(window time.Duration) source {
	template := frame.Build(w.flows[0], w.from.MAC, w.from.NextHopMAC, 64, frame.Payload{})
	return source{"bare live frames", "one frame, untouched", func(ctx context.Context) error {
		done := make(chan error, 1)
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with its mask and CPU
			done <- w.runBare(ctx, template, window)
		}()
		return <-done
	}}
}

// runBare makes calls of a known number of frames, because the library takes a
// call that a signal has ended up again: no signal reaches this thread. The second
// call is as long as the window and what comes before it take.
func (w *wire) runBare(ctx context.Context, template []byte, window time.Duration) error {
	var all unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^uint64(0)
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, nil); err != nil {
		return fmt.Errorf("mask the signals of the sending thread: %w", err)
	}
	if err := sched.Pin(0, w.cpu); err != nil {
		return err
	}
	frames := uint32(probeFrames)
	for first := true; ctx.Err() == nil; first = false {
		start := time.Now()
		if _, err := w.objects.Bare.Run(&ebpf.RunOptions{Data: template, Repeat: frames, Flags: flagXDPLiveFrames, BatchSize: bareBatch}); err != nil {
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
