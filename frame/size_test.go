package frame

import (
	"math"
	"testing"
)

func TestSimpleIMIX(t *testing.T) {
	s := SimpleIMIX(4)
	if mean := s.MeanBytes(); math.Abs(mean-353.8333) > 0.001 {
		t.Errorf("mean of the simple IMIX is %.4f bytes, want 353.8333", mean)
	}
	count := map[int]int{}
	for _, n := range s {
		count[n]++
	}
	if count[64] != 7 || count[570] != 4 || count[1518] != 1 || s.MaxBytes() != 1518 {
		t.Errorf("simple IMIX is %v, want 7:4:1 of 64, 570 and 1518", s)
	}
	if err := SimpleIMIX(6).Check(6, 1500); err != nil {
		t.Errorf("IMIX over IPv6: %v", err)
	}
}

// TestLineRate has the figures of 10 Gbit/s Ethernet that docs/methods.md prints.
func TestLineRate(t *testing.T) {
	for size, want := range map[float64]float64{64: 14880952, 128: 8445945, 256: 4528985, 512: 2349624, 1024: 1197318, 1280: 961538, 1518: 812743} {
		pps := LineRatePPS(10e9, size)
		if math.Floor(pps) != want {
			t.Errorf("line rate at %v bytes is %.1f pps, want %.0f", size, pps, want)
		}
		if l1 := L1BPS(pps, size); math.Abs(l1-10e9) > 1 {
			t.Errorf("line rate at %v bytes is %.0f bit/s on the wire, want 10^10", size, l1)
		}
	}
	if got := L2BPS(1000, 64); got != 512_000 {
		t.Errorf("1000 frames of 64 bytes per second are %v bit/s, want 512000", got)
	}
}

func TestSizesCheck(t *testing.T) {
	for _, tt := range []struct {
		sizes        Sizes
		version, mtu int
		ok           bool
	}{
		{Sizes{64}, 4, 1500, true},
		{Sizes{63}, 4, 1500, false},
		{Sizes{84}, 6, 1500, true},
		{Sizes{83}, 6, 1500, false},
		{Sizes{1518}, 4, 1500, true},
		{Sizes{1519}, 4, 1500, false},
		{Sizes{9018}, 4, 9000, true},
		{Sizes{9019}, 4, 65535, false},
		{Sizes{64, 1519}, 4, 1500, false},
		{Sizes{}, 4, 1500, false},
		{make(Sizes, MaxSizes+1), 4, 1500, false},
	} {
		if err := tt.sizes.Check(tt.version, tt.mtu); (err == nil) != tt.ok {
			t.Errorf("sizes %v, IPv%d, MTU %d: %v", tt.sizes, tt.version, tt.mtu, err)
		}
	}
}
