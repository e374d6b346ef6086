package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/perf"
	"golang.org/x/sys/unix"
)

const (
	// perCPUBytes holds the copies of one CPU until they are read.
	perCPUBytes = 4 << 20
	// headBytes is the size of struct copy_head in frame/copyframe.h.
	headBytes = 16
)

// programTap reads the copies that an XDP program makes of its frames.
type programTap struct {
	reader  *perf.Reader
	leaving bool
	where   string
	frames  []Frame
	lost    uint64
	done    chan error
	stopped bool
}

// OnArrival reads the copies that a sink makes of the frames that arrive.
func OnArrival(copies *ebpf.Map) (Tap, error) {
	return openProgram(copies, false, "arriving at the sink's XDP program")
}

// OnDeparture reads the copies that a generator makes of the frames that leave.
func OnDeparture(copies *ebpf.Map) (Tap, error) {
	return openProgram(copies, true, "leaving the generator's XDP program")
}

func openProgram(copies *ebpf.Map, leaving bool, where string) (Tap, error) {
	reader, err := perf.NewReader(copies, perCPUBytes)
	if err != nil {
		return nil, fmt.Errorf("capture frames %s: %w; it needs root (CAP_BPF, CAP_PERFMON)", where, err)
	}
	t := &programTap{reader: reader, leaving: leaving, where: where, done: make(chan error, 1)}
	go func() { t.done <- t.read() }()
	return t, nil
}

// read takes copies until Stop flushes the reader.
func (t *programTap) read() error {
	offset := wallOffset()
	for {
		r, err := t.reader.Read()
		switch {
		case errors.Is(err, perf.ErrFlushed):
			inOrder(t.frames) // of several CPUs
			return nil
		case err != nil:
			return err
		case r.LostSamples > 0:
			t.lost += r.LostSamples
			continue
		case len(r.RawSample) < headBytes:
			return fmt.Errorf("a copy of %d bytes is shorter than its head", len(r.RawSample))
		}
		at, length := binary.NativeEndian.Uint64(r.RawSample), int(binary.NativeEndian.Uint32(r.RawSample[8:]))
		data := r.RawSample[headBytes:]
		if len(data) < length {
			return fmt.Errorf("a copy of %d bytes cannot hold its frame of %d", len(r.RawSample), length)
		}
		t.frames = append(t.frames, Frame{Time: time.Unix(0, int64(at)+offset), Data: bytes.Clone(data[:length]), Leaving: t.leaving})
	}
}

// wallOffset is what CLOCK_REALTIME is ahead of CLOCK_MONOTONIC, in nanoseconds.
func wallOffset() int64 {
	var m unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &m) // fails for an unknown clock only
	return time.Now().UnixNano() - m.Nano()
}

func (t *programTap) Where() string { return t.where }

// Stop ends the tap and returns what it has read; two ports may share a tap and stop it twice.
func (t *programTap) Stop() ([]Frame, error) {
	if t.stopped {
		return t.frames, nil
	}
	t.stopped = true
	err := errors.Join(t.reader.Flush(), <-t.done, t.reader.Close())
	if t.lost > 0 {
		err = errors.Join(err, fmt.Errorf("%d copies did not fit into the buffer", t.lost))
	}
	if err != nil {
		return nil, fmt.Errorf("capture frames %s: %w", t.where, err)
	}
	return t.frames, nil
}
