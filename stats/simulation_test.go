package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// machine is the noise of a shared machine as log rates of one measurement after the
// other: it drifts, remembers, and now and then has a bad moment.
type machine struct {
	r *rand.Rand
	// sd of each measurement's own noise.
	sd float64
	// drift per measurement, and the period and size of a slow swing.
	drift, swing, period float64
	// memory is the share of the last disturbance that is left (AR(1)), of size remembered.
	memory, remembered float64
	// glitches is how often a measurement loses 5 %.
	glitches float64
	time     int
	state    float64
}

func (m *machine) next() float64 {
	m.time++
	m.state = m.memory*m.state + m.remembered*math.Sqrt(1-m.memory*m.memory)*m.r.NormFloat64()
	v := m.sd*m.r.NormFloat64() + m.state + m.drift*float64(m.time)
	if m.period > 0 {
		v += m.swing * math.Sin(2*math.Pi*float64(m.time)/m.period)
	}
	if m.r.Float64() < m.glitches {
		v -= 0.05
	}
	return v
}

// pairs makes the protocol's measurements: n adjacent pairs, and aa pairs of A with
// itself after every other of them.
func (m *machine) pairs(n, aa int, effect float64) (ab, same []float64) {
	for len(ab) < n || len(same) < aa {
		if len(ab) < n {
			a, b := 0.0, 0.0
			if m.r.Uint64()&1 == 0 {
				a, b = m.next(), m.next()
			} else {
				b, a = m.next(), m.next()
			}
			ab = append(ab, math.Log1p(effect)+b-a)
		}
		if len(same) < aa {
			first := m.next()
			same = append(same, m.next()-first)
		}
	}
	return ab, same
}

var machines = map[string]machine{
	"quiet":       {sd: 0.005},
	"drift":       {sd: 0.005, drift: 0.004},
	"steep drift": {sd: 0.002, drift: 0.03},
	"swing":       {sd: 0.003, swing: 0.05, period: 13},
	"memory":      {sd: 0.002, memory: 0.9, remembered: 0.03},
	"glitches":    {sd: 0.004, glitches: 0.1},
	"all of them": {sd: 0.005, drift: 0.002, swing: 0.02, period: 29, memory: 0.8, remembered: 0.02, glitches: 0.05},
}

// TestFalseAlarms compares a thing with itself on machines that drift and remember. At
// most 7 % may be called different at an alpha of 5 %, by the test alone as by the verdict.
func TestFalseAlarms(t *testing.T) {
	const tests, verdicts = 4000, 150
	for name, noise := range machines {
		m := noise
		m.r = random(11)
		alarms := 0
		for range tests {
			if ab, _ := m.pairs(10, 0, 0); SignFlip(ab, 1) < 0.05 {
				alarms++
			}
			m.time = 0
		}
		changed := 0
		for i := range verdicts {
			ab, same := m.pairs(10, 6, 0)
			o := options()
			o.Seed = int64(i)
			if Pairs(ab, same, o).Verdict == Changed {
				changed++
			}
			m.time = 0
		}
		rate, called := float64(alarms)/tests, float64(changed)/verdicts
		t.Logf("%-12s p < 0.05 in %.1f %%, verdict changed in %.1f %%", name, 100*rate, 100*called)
		if rate > 0.07 || called > 0.07 {
			t.Errorf("%s: false alarms", name)
		}
	}
}

// TestFixedOrderWouldRaiseFalseAlarms shows what the coin is for: with A always first, a
// drift is called a change in nearly every comparison.
func TestFixedOrderWouldRaiseFalseAlarms(t *testing.T) {
	m := machines["drift"]
	m.r = random(12)
	alarms := 0
	const tests = 500
	for range tests {
		var ab []float64
		for range 10 {
			a := m.next()
			ab = append(ab, m.next()-a)
		}
		if SignFlip(ab, 1) < 0.05 {
			alarms++
		}
	}
	if share := float64(alarms) / tests; share < 0.3 {
		t.Errorf("only %.0f %% false alarms: the simulated drift is too weak to test anything", 100*share)
	}
}

// TestPower is how often a real effect is found with ten pairs. The noise is that of a
// pair: the standard deviation of log(B/A).
func TestPower(t *testing.T) {
	for _, tt := range []struct {
		effect, pairSD float64
		atLeast        float64
		changed        float64
	}{
		{effect: 0.01, pairSD: 0.005, atLeast: 0.99},
		{effect: 0.01, pairSD: 0.010, atLeast: 0.75},
		{effect: 0.01, pairSD: 0.020, atLeast: 0.20},
		{effect: 0.03, pairSD: 0.010, atLeast: 0.99, changed: 0.80},
		{effect: 0.05, pairSD: 0.020, atLeast: 0.99, changed: 0.50},
	} {
		m := machine{r: random(13), sd: tt.pairSD / math.Sqrt2, drift: 0.0005}
		found, changed := 0, 0
		const tests = 200
		for i := range tests {
			ab, same := m.pairs(10, 6, tt.effect)
			o := options()
			o.Seed = int64(i)
			if SignFlip(ab, 1) < 0.05 {
				found++
			}
			if Pairs(ab, same, o).Verdict == Changed {
				changed++
			}
			m.time = 0
		}
		power, called := float64(found)/tests, float64(changed)/tests
		t.Logf("an effect of %.0f %% with %.1f %% of noise in a pair, ten pairs: p < 0.05 in %3.0f %%, verdict changed in %3.0f %%",
			100*tt.effect, 100*tt.pairSD, 100*power, 100*called)
		if power < tt.atLeast || called < tt.changed {
			t.Errorf("expected at least %.0f %% and %.0f %%", 100*tt.atLeast, 100*tt.changed)
		}
	}
}

// TestEquivalenceIsFound: two equal things on a quiet machine are called equivalent, and
// a change of 3 % never is.
func TestEquivalenceIsFound(t *testing.T) {
	m := machine{r: random(14), sd: 0.004}
	const tests = 150
	count := map[float64]int{}
	for _, effect := range []float64{0, 0.03} {
		for i := range tests {
			ab, same := m.pairs(10, 6, effect)
			o := options()
			o.Seed = int64(i)
			if Pairs(ab, same, o).Verdict == Equivalent {
				count[effect]++
			}
		}
	}
	t.Logf("of %d comparisons, %d of equal things and %d of a change of 3 %% were called equivalent", tests, count[0], count[0.03])
	if count[0] < tests*7/10 || count[0.03] > 0 {
		t.Error("equivalence is not told from change")
	}
}
