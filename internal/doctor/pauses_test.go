package doctor

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestWaitQuantile(t *testing.T) {
	const second = time.Second
	tests := []struct {
		name    string
		pauses  []time.Duration
		watched time.Duration
		want    time.Duration
	}{
		{"none", nil, second, 0},
		{"pauses shorter than 0.1 % of the time", []time.Duration{400 * time.Microsecond, 500 * time.Microsecond}, second, 0},
		// Moments of 2 ms - 1 ms = 1 ms wait longer than 1 ms.
		{"one pause of 2 ms", []time.Duration{2 * time.Millisecond}, second, time.Millisecond},
		// 4 x (1 ms - 0.75 ms) = 1 ms.
		{"four pauses of 1 ms", []time.Duration{1e6, 1e6, 1e6, 1e6}, second, 750 * time.Microsecond},
		// Only the long one counts: 3 ms - 2 ms = 1 ms.
		{"a long and a short pause", []time.Duration{100 * time.Microsecond, 3 * time.Millisecond}, second, 2 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := waitQuantile(tt.pauses, tt.watched, 0.999)
			if diff := got - tt.want; diff < -time.Nanosecond || diff > time.Nanosecond {
				t.Errorf("%v, not %v", got, tt.want)
			}
		})
	}
}

// The quantile by its definition, counted over every moment.
func TestWaitQuantileAgainstCounting(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	for range 200 {
		const watched = 100_000
		var pauses []time.Duration
		waits := map[time.Duration]int{}
		for left := watched; ; {
			p := 1 + r.IntN(3000)
			if left -= p; left < 0 || len(pauses) > 30 {
				break
			}
			pauses = append(pauses, time.Duration(p))
			for w := 1; w <= p; w++ {
				waits[time.Duration(w)]++
			}
		}
		longer := 0
		var counted time.Duration
		for w := time.Duration(3000); w > 0; w-- {
			if longer += waits[w]; float64(longer) > 0.001*watched {
				counted = w
				break
			}
		}
		got := waitQuantile(pauses, watched, 0.999)
		if diff := got - counted; diff < -2 || diff > 2 {
			t.Fatalf("pauses %v: %d, but counting gives %d", pauses, got, counted)
		}
	}
}

func TestSummarise(t *testing.T) {
	d := summarise(3, true, time.Second, []time.Duration{20 * time.Microsecond, 320 * time.Microsecond, 60 * time.Microsecond})
	if d.CPU != 3 || !d.RealTime || d.Pauses != 3 || d.MaxNS != 320_000 || d.WatchedNS != 1e9 {
		t.Errorf("%+v", d)
	}
	if d.PausedRatio != 0.0004 {
		t.Errorf("paused for %v of the time", d.PausedRatio)
	}
	if got := d.RingOverflowPPS(); got != 800_000 {
		t.Errorf("256 frames and 320 us overflow over %v pps", got)
	}
	if calm := summarise(0, true, time.Second, nil); calm.MaxNS != 0 || calm.RingOverflowPPS() != 0 {
		t.Errorf("%+v", calm)
	}
}
