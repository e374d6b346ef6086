package search

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/linerate/linerate/testbed/sim"
)

// anyDUT draws a device, sane or not.
func anyDUT(r *rand.Rand) simDUT {
	maybe := func(x float64) float64 {
		if r.IntN(3) == 0 {
			return x * r.Float64()
		}
		return 0
	}
	d := dutOf("any", sim.Model{CapacityPPS: simMinLoadPPS * (0.5 + 20000*r.Float64()*r.Float64()*r.Float64())})
	d.QueueFrames, d.Knee, d.Jitter, d.BackgroundLoss = maybe(8192), maybe(0.1), maybe(0.05), maybe(0.01)*maybe(1)
	d.GlitchProbability, d.GlitchLoss = maybe(1), r.Float64()
	d.Collapse, d.CollapseFloor, d.Gain = maybe(0.3), r.Float64(), maybe(0.5)
	d.Drawn = r.IntN(2) == 0
	return d
}

func anyConfig(r *rand.Rand) Config {
	c := Config{MinLoadPPS: simMinLoadPPS, MaxLoadPPS: simMinLoadPPS * (1 + 15000*r.Float64())}
	c.MaxTrialSeconds = []float64{0, 3, 20, 60, 60, 100}[r.IntN(6)]
	for _, name := range []string{"a", "b", "c"}[:1+r.IntN(3)] {
		d := []float64{0.3, 1, 1, 10}[r.IntN(4)]
		c.Goals = append(c.Goals, Goal{
			Name: name, LossRatio: []float64{0, 0, 1e-6, 0.005, 0.1}[r.IntN(5)], ExceedRatio: []float64{0, 0.005, 0.5, 0.5, 0.8}[r.IntN(5)],
			Width: []float64{0.0005, 0.005, 0.005, 0.05}[r.IntN(4)], TrialDurationS: d, DurationSumS: d * float64(1+r.IntN(21)),
		})
	}
	return c
}

// TestAnyDevice holds every search against devices and configurations drawn at random.
func TestAnyDevice(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 7))
		d, c := anyDUT(r), anyConfig(r)
		for _, algorithm := range []string{"mlr", "binary"} {
			s := newSearch(t, algorithm, c)
			log := checkedRun(t, d, c, s, seed)
			checkBounds(t, c, s, log, algorithm, seed)
			if t.Failed() {
				t.Fatalf("%s, seed %d: device %+v, configuration %+v", algorithm, seed, d, c)
			}
			again := newSearch(t, algorithm, c)
			if err := Replay(again, log); err != nil {
				t.Fatalf("%s, seed %d: %v", algorithm, seed, err)
			}
			if _, ok := again.Next(); ok {
				t.Fatalf("%s, seed %d: the replayed search does not end where the first one did", algorithm, seed)
			}
		}
	}
}

// checkedRun searches to the end and checks each load on the way.
func checkedRun(t *testing.T, d simDUT, c Config, s Search, seed uint64) []Trial {
	t.Helper()
	const most = 1000
	r := rand.New(rand.NewPCG(seed, 11))
	seconds := 0.0
	var log []Trial
	for {
		load, ok := s.Next()
		if !ok {
			return log
		}
		if len(log)%8 == 0 {
			if again, _ := s.Next(); again != load {
				t.Errorf("Next returned %+v, then %+v", load, again)
			}
		}
		if load.PPS < c.MinLoadPPS || load.PPS > c.MaxLoadPPS || !(load.DurationS > 0) || load.Reason == "" {
			t.Errorf("load %+v is outside of %g to %g pps, or without duration or reason", load, c.MinLoadPPS, c.MaxLoadPPS)
		}
		if seconds += load.DurationS; c.MaxTrialSeconds > 0 && seconds > c.MaxTrialSeconds+1e-6 {
			t.Errorf("%g s of trials, budget %g s", seconds, c.MaxTrialSeconds)
		}
		if len(log) == most {
			t.Errorf("no end after %d trials", most)
		}
		if t.Failed() {
			return log
		}
		trial := d.trial(r, load)
		log = append(log, trial)
		s.Add(trial)
	}
}

// checkBounds checks a finished search against the classification of its log.
func checkBounds(t *testing.T, c Config, s Search, log []Trial, algorithm string, seed uint64) {
	t.Helper()
	for i, b := range s.Bounds() {
		g := c.Goals[i]
		if b.Goal != g || !b.Done || b.Trials != len(log) {
			t.Errorf("%s, seed %d: %+v: wrong goal, not done, or not %d trials", algorithm, seed, b, len(log))
		}
		if algorithm == "binary" {
			g = decidedByOne(g)
		}
		byLoad := map[float64]*sums{}
		for _, trial := range log {
			if byLoad[trial.LoadPPS] == nil {
				byLoad[trial.LoadPPS] = &sums{}
			}
			byLoad[trial.LoadPPS].add(g, trial)
		}
		lower, upper := 0.0, 0.0
		for load, sum := range byLoad {
			if g.classify(*sum) == upperBound && (upper == 0 || load < upper) {
				upper = load
			}
		}
		for load, sum := range byLoad {
			if g.classify(*sum) == lowerBound && load > lower && (upper == 0 || load < upper) {
				lower = load
			}
		}
		if b.LowerPPS != lower || b.UpperPPS != upper || b.HasLower != (lower > 0) || b.HasUpper != (upper > 0) {
			t.Errorf("%s, seed %d: bounds %+v, the log says %g and %g", algorithm, seed, b, lower, upper)
		}
		background := strings.HasPrefix(b.Reason, "background loss")
		if b.Regular != (b.HasLower && b.HasUpper && !background) {
			t.Errorf("%s, seed %d: regular is wrong in %+v", algorithm, seed, b)
		}
		if b.Reason == "" && !(b.Regular && narrow(lower, upper, g.Width)) {
			t.Errorf("%s, seed %d: %+v ended without narrow bounds and without a reason", algorithm, seed, b)
		}
		if b.ConditionalPPS < 0 || b.ConditionalPPS > b.LowerPPS {
			t.Errorf("%s, seed %d: conditional throughput %g of %g pps", algorithm, seed, b.ConditionalPPS, b.LowerPPS)
		}
	}
}
