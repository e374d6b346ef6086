package report

import (
	"math"
	"slices"
	"testing"
)

func TestNumbers(t *testing.T) {
	tests := []struct{ got, want string }{
		{Mpps(14880952), "14.88"}, {Mpps(705200), "0.705"}, {Mpps(99900), "0.0999"}, {Mpps(2000), "0.002"}, {Mpps(0), "0"}, {Mpps(148809523), "148.8"},
		{gbit(4.73e8), "0.473"},
		{Percent(0.005), "0.5 %"}, {Percent(0), "0 %"}, {Percent(1), "100 %"}, {Percent(1.2e-5), "0.0012 %"}, {Percent(0.3333), "33.3 %"}, {Percent(1e-6), "0.0001 %"},
		{timeNS(999), "999 ns"}, {timeNS(4100), "4.10 µs"}, {timeNS(1280000), "1.28 ms"}, {timeNS(2e9), "2.00 s"},
		{Thousands(0), "0"}, {Thousands(999), "999"}, {Thousands(1000), "1,000"}, {Thousands(1234567), "1,234,567"},
		{seconds(1), "1 s"}, {seconds(0.2), "0.2 s"}, {seconds(60), "60 s"},
		{csvNumber(705200.4), "705200"}, {csvNumber(1e-9), "0.000000001"}, {csvNumber(3.1e6), "3100000"},
		{shellQuote("a=1,2"), "a=1,2"}, {shellQuote(""), "''"}, {shellQuote("it's; rm"), `'it'\''s; rm'`}, {shellQuote("$HOME"), "'$HOME'"},
		{notAFormula("=1+1"), "'=1+1"}, {notAFormula("route"), "route"},
		{keepUnits("10 Gbit/s, 0.5 %, 3 sinks"), "10\u00a0Gbit/s, 0.5\u00a0%, 3 sinks"},
		{enumerate([]string{"a", "b", "c"}), "a, b and c"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestTicks(t *testing.T) {
	if got := niceTicks(3.1, 6); !slices.Equal(got, []float64{0, 1, 2, 3}) {
		t.Errorf("ticks up to 3.1: %v", got)
	}
	if got := ticksBetween(0.69, 0.775, 6); len(got) != 4 || math.Abs(got[0]-0.7) > 1e-9 {
		t.Errorf("ticks from 0.69 to 0.775: %v", got)
	}
	for _, bad := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if got := niceTicks(bad, 6); len(got) != 1 {
			t.Errorf("ticks up to %v: %v", bad, got)
		}
	}
}

func TestLossScaleShowsZeroApart(t *testing.T) {
	s := newLossScale(260, 238, 46, []float64{0, 3e-6, 0.5})
	heights := []float64{s.y(0), s.y(1e-6), s.y(1e-5), s.y(1e-3), s.y(0.5), s.y(1)}
	for i := 1; i < len(heights); i++ {
		if heights[i] >= heights[i-1] {
			t.Errorf("more loss is not higher: %v", heights)
		}
	}
	if s.y(0) != 260 || math.Abs(s.y(1e-6)-238) > 1e-9 || s.y(1) != 46 || s.y(7) != 46 || s.decades != -6 {
		t.Errorf("ends: %v, decades %d", heights, s.decades)
	}
}

func TestLogScale(t *testing.T) {
	s := logScale{from: 10, to: 1000}
	if got := s.percent(100); math.Abs(got-50) > 1e-9 {
		t.Errorf("the middle is at %v", got)
	}
	if s.percent(1) != 0 || s.percent(1e6) != 100 || s.percent(0) != 0 || (logScale{}).percent(5) != 0 {
		t.Error("values outside are not at the ends")
	}
}
