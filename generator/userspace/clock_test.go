package userspace

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestClockIsMonotonicClock brackets a reading with two of CLOCK_MONOTONIC itself.
func TestClockIsMonotonicClock(t *testing.T) {
	const tolerance = 10_000 // of the comparison that newClock makes
	c := newClock()
	for range 1000 {
		before := clockMonotonic(t)
		now := int64(c.now())
		after := clockMonotonic(t)
		if now < before-tolerance || now > after+tolerance {
			t.Fatalf("clock says %d between %d and %d of CLOCK_MONOTONIC", now, before, after)
		}
	}
}

func clockMonotonic(t *testing.T) int64 {
	t.Helper()
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		t.Fatal(err)
	}
	return ts.Nano()
}
