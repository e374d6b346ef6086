package stats

import (
	"math"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within || math.IsNaN(got) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func options() Options { return Options{Alpha: 0.05, Confidence: 0.95, LeastChange: 0.01, Seed: 1} }

func TestMedian(t *testing.T) {
	values := []float64{3, 1, 2}
	near(t, "median of three", Median(values), 2, 0)
	near(t, "median of four", Median([]float64{4, 1, 3, 2}), 2.5, 0)
	if !slices.Equal(values, []float64{3, 1, 2}) {
		t.Error("Median has sorted its argument")
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("there is a median of nothing")
	}
}

// TestSignFlipByHand counts by hand: of the 8 ways to sign 1, 2 and 3 the sums at least
// as far from 0 as 6 are 6 and -6; as 0: all of them.
func TestSignFlipByHand(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{1, 2, 3}, 2.0 / 8},
		{[]float64{1, 2, -3}, 1},
		{[]float64{1, 3, -2}, 6.0 / 8}, // sums 2: ±6, ±4, ±2 reach it, 0 twice does not
		{[]float64{1, 1, 1, 1, 1, 1}, 2.0 / 64},
		{[]float64{0.1, 0.2, 0.3, -0.1, 0.1}, 8.0 / 32}, // none or one of the three 0.1 against the rest, both ways round
	} {
		near(t, "p", SignFlip(tt.values, 1), tt.want, 1e-12)
	}
}

// TestLeastSignFlip: values that all lie on one side give the smallest p, and no fewer pairs do.
func TestLeastSignFlip(t *testing.T) {
	for _, n := range []int{1, 2, 6, 10, exactFlips} {
		near(t, "smallest p", LeastSignFlip(n), SignFlip(slices.Repeat([]float64{1}, n), 1), 1e-12)
	}
	// Signs drawn by lot may all be alike too.
	least := 1.0
	for seed := range int64(5) {
		least = min(least, SignFlip(slices.Repeat([]float64{1}, exactFlips+1), seed))
	}
	near(t, "smallest p of drawn signs", LeastSignFlip(exactFlips+1), least, 1e-12)
	for _, tt := range []struct {
		tests int
		want  int
	}{{1, 6}, {12, 9}, {120, 13}, {30_000, 0}} {
		if got := FewestPairs(tt.tests, 0.05); got != tt.want {
			t.Errorf("%d tests need %d pairs, want %d", tt.tests, got, tt.want)
		}
	}
}

func TestSignFlipIsTheSameDrawnAndCounted(t *testing.T) {
	r := random(5)
	values := make([]float64, 16)
	for i := range values {
		values[i] = r.NormFloat64() + 0.4
	}
	var sum float64
	for _, v := range values {
		sum += v
	}
	exact := flipAll(values, math.Abs(sum))
	near(t, "p of drawn signs", flipSome(values, math.Abs(sum), random(1)), exact, 0.005)
	if SignFlip(values, 1) != SignFlip(values, 2) {
		t.Error("an exact p depends on the seed")
	}
}

// TestHolmByHand is the textbook's example: 0.01, 0.04, 0.03, 0.005.
func TestHolmByHand(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		near(t, "adjusted p", got[i], want, 1e-12)
	}
	if got := Holm([]float64{0.7, 0.6}); got[0] != 1 || got[1] != 1 {
		t.Errorf("adjusted p %v is above 1 or below another", got)
	}
	if len(Holm(nil)) != 0 {
		t.Error("Holm of nothing")
	}
}

// TestIntervalHoldsTheMedian draws samples of ten of a known median: the 95 % interval
// has to hold it in about as many of them.
func TestIntervalHoldsTheMedian(t *testing.T) {
	r := random(3)
	held := 0
	const samples = 600
	for s := range samples {
		values := make([]float64, 10)
		for i := range values {
			values[i] = 7 + r.NormFloat64()
		}
		if low, high := MedianInterval(values, 0.95, int64(s)); low <= 7 && 7 <= high {
			held++
		}
	}
	share := float64(held) / samples
	t.Logf("the 95 %% interval of ten values held the median in %.1f %% of %d samples", 100*share, samples)
	if share < 0.92 || share > 0.995 {
		t.Errorf("it should in 95 %% of them")
	}
}

func TestVerdicts(t *testing.T) {
	pairs := func(center, scatter float64) []float64 {
		var list []float64
		for _, v := range []float64{-1.4, -0.9, -0.6, -0.3, -0.1, 0.1, 0.3, 0.6, 0.9, 1.4} {
			list = append(list, math.Log1p(center)+scatter*v)
		}
		return list
	}
	quiet := []float64{0.001, -0.002, 0.0015, -0.001, 0.002, 0.0005}
	loud := []float64{0.03, -0.05, 0.04, -0.02, 0.06, 0.01}
	for _, tt := range []struct {
		name   string
		pairs  []float64
		aa     []float64
		want   Verdict
		needed bool
	}{
		{"ten percent", pairs(0.10, 0.004), quiet, Changed, false},
		{"ten percent down", pairs(-0.10, 0.004), quiet, Changed, false},
		{"nothing", pairs(0.001, 0.004), quiet, Equivalent, false},
		{"half a percent, sure of it", pairs(0.005, 0.001), quiet, Equivalent, false},
		{"two percent of noise", pairs(0.02, 0.02), quiet, Inconclusive, true},
		{"three percent below a floor of more", pairs(0.04, 0.01), loud, Inconclusive, true},
	} {
		c := Pairs(tt.pairs, tt.aa, options())
		t.Logf("%s: %+v", tt.name, c)
		if c.Verdict != tt.want || (c.Needed > 0) != tt.needed {
			t.Errorf("%s: %s with %d pairs needed, want %s", tt.name, c.Verdict, c.Needed, tt.want)
		}
		if c.LowRatio > c.EstimateRatio || c.EstimateRatio > c.HighRatio {
			t.Errorf("%s: the estimate is outside of its interval", tt.name)
		}
		if c != Pairs(tt.pairs, tt.aa, options()) {
			t.Errorf("%s: the same values are judged in two ways", tt.name)
		}
	}
	// Few pairs cannot tell by the test, however plain the change.
	if c := Pairs(pairs(0.1, 0.001)[:5], quiet, options()); c.Verdict != Inconclusive || c.P != 2.0/32 {
		t.Errorf("five pairs: %+v", c)
	}
	// After Holm a change may be none.
	if c := Pairs(pairs(0.1, 0.004), quiet, options()).At(0.06); c.Verdict != Inconclusive {
		t.Errorf("p of 0.06: %+v", c)
	}
}

func TestGroupsByHand(t *testing.T) {
	// All of B is above all of A: of C(8,4) = 70 ways to deal them out, two are as extreme.
	c := Groups([]float64{100, 101, 102, 103}, []float64{120, 121, 122, 123}, options())
	near(t, "p", c.P, 2.0/70, 1e-12)
	near(t, "estimate", c.EstimateRatio, 121.5/101.5, 1e-3)
	if c.Verdict != Changed {
		t.Errorf("verdict %s", c.Verdict)
	}
	// Three runs of each side can never show a change.
	c = Groups([]float64{100, 101, 102}, []float64{150, 151, 152}, options())
	near(t, "p of three", c.P, 2.0/20, 1e-12)
	if c.Verdict != Inconclusive {
		t.Errorf("verdict %s of three runs each", c.Verdict)
	}
	if c = Groups([]float64{100, 100.1, 100.2, 99.9}, []float64{100, 100.2, 99.9, 100.05}, options()); c.Verdict != Equivalent {
		t.Errorf("the same runs: %+v", c)
	}
	var a, b []float64
	for i := range 15 {
		a, b = append(a, 100+float64(i%5)), append(b, 108+float64(i%5))
	}
	if c = Groups(a, b, options()); c.Verdict != Changed || c.P > 1e-3 {
		t.Errorf("fifteen runs of each side: %+v", c)
	}
}

func TestCurveNamesTheValueBeyondWhichNothingIsGained(t *testing.T) {
	drift := []float64{1, 0.96, 1.03} // from repeat to repeat, for all values alike
	noise := [][]float64{{0.001, -0.002, 0.001}, {-0.001, 0.002, 0}, {0.002, 0, -0.001}, {-0.002, 0, 0.001}}
	curve := func(rates ...float64) [][]float64 {
		var list [][]float64
		for i, rate := range rates {
			var repeats []float64
			for j, d := range drift {
				repeats = append(repeats, rate*d*(1+noise[i][j]))
			}
			list = append(list, repeats)
		}
		return list
	}
	c := CurveOf(curve(500, 700, 800, 806), options())
	t.Logf("%+v", c)
	if c.Best != 3 || c.Enough != 2 || c.Flat {
		t.Errorf("best %d, enough %d", c.Best, c.Enough)
	}
	near(t, "gain over the first", c.Points[0].GainShare, 806.0/500-1, 0.01)
	if c.NoiseFloor <= 0 || c.NoiseFloor > 0.01 {
		t.Errorf("the noise floor is %v: the drift is in it, or the noise is not", c.NoiseFloor)
	}
	if c := CurveOf(curve(800, 801, 799, 800), options()); !c.Flat || c.Enough != 0 {
		t.Errorf("a flat curve: %+v", c)
	}
	if c := CurveOf([][]float64{{1}, {2}}, options()); c.Best != 1 || len(c.Points) != 2 {
		t.Errorf("one repeat: %+v", c)
	}
}
