package userspace

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// clock reads CLOCK_MONOTONIC, the clock of BPF programs, without a system call:
// Go reads the same clock through the vDSO but shows only differences.
type clock struct {
	origin time.Time
	// originNS is CLOCK_MONOTONIC at origin.
	originNS uint64
}

// newClock compares the two readings where they were taken closest together.
func newClock() clock {
	c := clock{origin: time.Now()}
	closest := time.Duration(math.MaxInt64)
	for range 32 {
		var t unix.Timespec
		before := time.Since(c.origin)
		_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // fails for an unknown clock only
		after := time.Since(c.origin)
		if after-before < closest {
			closest = after - before
			c.originNS = uint64(t.Nano()) - uint64(before+(after-before)/2)
		}
	}
	return c
}

// now is CLOCK_MONOTONIC in nanoseconds.
func (c clock) now() uint64 { return c.originNS + uint64(time.Since(c.origin)) }
