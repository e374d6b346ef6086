package observe

import (
	"testing"
	"time"

	"github.com/linerate/linerate/internal/testenv"
)

func TestSpeedsAreMeasured(t *testing.T) {
	testenv.NeedRoot(t)
	s, err := WatchSpeeds([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	before, err := s.Sample()
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; {
		after, err := s.Sample()
		if err != nil {
			t.Fatal(err)
		}
		n := after[0].Turns - before[0].Turns
		if n >= 20_000 {
			// A turn takes at least a cycle and at most a microsecond.
			if turns := after.TurnsPerS(before, 0); turns < 1e6 || turns > 1e10 {
				t.Errorf("%g turns/s", turns)
			} else {
				t.Logf("%g turns/s from %d turns; %d rounds were broken off", turns, n, after[0].Broken)
			}
			if idle := after.TurnsPerS(before, 1); idle != 0 {
				t.Errorf("CPU 1 is not timed and made %g turns/s", idle)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d turns in 20 s, want 20,000", n)
		}
	}
}
