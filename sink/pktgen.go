package sink

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Pktgen tells what a sink does with frames that carry the mark of the kernel's own
// generator instead of linerate's.
type Pktgen uint32

// The values of Pktgen. Frames that are counted have no flow number and no epoch: those
// that left before the sink was armed are late.
const (
	// PktgenForeign counts them as foreign.
	PktgenForeign Pktgen = iota
	// PktgenFrames counts them as received, whatever their sequence.
	PktgenFrames
	// PktgenOrder tells duplicated and reordered frames apart too. It needs one sending
	// thread that builds each frame anew: clones carry the sequence of their original.
	PktgenOrder
	// PktgenUnmarked counts frames that carry no mark at all: those with the addresses and
	// ports that ExpectFlows said of flow 0. Neither latency nor order can be told of them,
	// and no frame is late.
	PktgenUnmarked
)

// armPktgen sets what the time stamps of pktgen are compared with.
func (s *Sink) armPktgen() error {
	if s.config.Pktgen == PktgenForeign || s.config.Pktgen == PktgenUnmarked {
		return nil
	}
	var monotonic, real unix.Timespec
	if err := errors.Join(unix.ClockGettime(unix.CLOCK_MONOTONIC, &monotonic), unix.ClockGettime(unix.CLOCK_REALTIME, &real)); err != nil {
		return fmt.Errorf("read the clocks: %w", err)
	}
	return errors.Join(s.objects.ArmedNs.Set(uint64(monotonic.Nano())), s.objects.RealtimeNs.Set(real.Nano()-monotonic.Nano()))
}
