package userspace

import (
	"math"
	"testing"
	"time"

	"github.com/linerate/linerate/generator"
)

// depart polls a schedule every 100 ns of virtual time, but not while it is held
// up, and returns the times of the departures.
func depart(s *schedule, until, heldFrom, heldTo time.Duration) (at []time.Duration) {
	for now := time.Duration(0); now < until; now += 100 {
		if now >= heldFrom && now < heldTo {
			continue
		}
		for s.due(uint64(now)) {
			at = append(at, now)
		}
	}
	return at
}

func paced(pps float64, duration time.Duration) *schedule {
	s := newSchedule(generator.Load{PPS: pps, Duration: duration}.Pace(generator.Share{Of: 1}, 1))
	return &s
}

func TestScheduleKeepsRate(t *testing.T) {
	for _, pps := range []float64{1, 999.5, 10_000, 333_333, 3_000_000} {
		const duration = 100 * time.Millisecond
		at := depart(paced(pps, duration), duration, 0, 0)
		want := math.Ceil(pps * duration.Seconds())
		if n := float64(len(at)); math.Abs(n-want) > 1 {
			t.Errorf("%v pps: %v frames in %v, want %v", pps, n, duration, want)
		}
		for i, a := range at {
			if ideal := time.Duration(float64(i) / pps * 1e9); a < ideal-1 || a > ideal+200 {
				t.Fatalf("%v pps: frame %d leaves at %v, want %v", pps, i, a, ideal)
			}
		}
	}
}

// TestScheduleAfterHoldUp expects that a short lag is made good, in a small burst
// and then at 5/4 of the rate, and that what lags more than 1 ms is given up.
func TestScheduleAfterHoldUp(t *testing.T) {
	const pps, duration, from = 200_000, 100 * time.Millisecond, 20 * time.Millisecond
	for _, tt := range []struct {
		held    time.Duration
		givenUp int
	}{
		{100 * time.Microsecond, 0},
		{900 * time.Microsecond, 0},
		{2 * time.Millisecond, 200},
		{10 * time.Millisecond, 1800},
	} {
		at := depart(paced(pps, duration), duration, from, from+tt.held)
		if got := pps/10 - len(at); got < tt.givenUp-1 || got > tt.givenUp+1 {
			t.Errorf("held up for %v: gave up %d frames, want %d", tt.held, got, tt.givenUp)
		}
		burst, next := 0, 0
		for _, a := range at {
			switch {
			case a == from+tt.held:
				burst++
			case a > from+tt.held && a <= from+tt.held+time.Millisecond:
				next++
			}
		}
		if burst > generator.CatchUpBurst+1+generator.CatchUpBurst/4 {
			t.Errorf("held up for %v: %d frames leave at once, want no more than about %d", tt.held, burst, generator.CatchUpBurst)
		}
		if most := pps / 1000 * 5 / 4; next > most+1 {
			t.Errorf("held up for %v: %d frames leave in the next ms, want at most %d", tt.held, next, most)
		}
	}
}

func TestScheduleEndsAtLimit(t *testing.T) {
	s := newSchedule(generator.Load{Frames: 5, Duration: time.Second}.Pace(generator.Share{Of: 1}, 1))
	if n := len(depart(&s, time.Millisecond, 0, 0)); n != 5 {
		t.Errorf("%d frames left, want 5", n)
	}
	if s.waitNS(0) != math.MaxUint64 {
		t.Error("a schedule that has ended asks to be waited for")
	}
}

func TestScheduleWait(t *testing.T) {
	s := paced(1000, time.Second)
	if s.waitNS(0) != 0 || !s.due(0) {
		t.Fatal("the first frame is not due at once")
	}
	if w := s.waitNS(400_000); w != 600_000 {
		t.Errorf("0.4 ms after a departure at 1000 pps the wait is %d ns, want 600000", w)
	}
}
