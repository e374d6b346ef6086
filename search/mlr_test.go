package search

import (
	"math"
	"strings"
	"testing"

	"github.com/linerate/linerate/testbed/sim"
)

func newSearch(t *testing.T, algorithm string, c Config) Search {
	t.Helper()
	var s Search
	var err error
	if algorithm == "binary" {
		s, err = NewBinary(c)
	} else {
		s, err = NewMLR(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func config(maxLoad float64) Config {
	return Config{Goals: DefaultGoals(), MinLoadPPS: simMinLoadPPS, MaxLoadPPS: maxLoad, MaxTrialSeconds: 120}
}

// hardDUT forwards its capacity and no more.
func hardDUT(capacity float64) simDUT { return dutOf("hard", sim.Model{CapacityPPS: capacity}) }

func TestMaximumLoadPasses(t *testing.T) {
	for _, algorithm := range []string{"mlr", "binary"} {
		s := newSearch(t, algorithm, config(1e6))
		hardDUT(2e6).run(s, 1)
		for _, b := range s.Bounds() {
			if b.Regular || !b.Done || b.HasUpper || b.LowerPPS != 1e6 || b.ConditionalPPS != 1e6 || b.Reason != reasonMaxIsLower {
				t.Errorf("%s: %+v, want an irregular result with the maximum load as lower bound", algorithm, b)
			}
		}
	}
}

func TestOnlyPDRPassesAtMaximumLoad(t *testing.T) {
	s := newSearch(t, "mlr", config(1e6))
	hardDUT(0.997e6).run(s, 1)
	b := s.Bounds()
	if ndr := b[0]; !ndr.Regular || !ndr.Done || ndr.LowerPPS > 0.997e6 || ndr.UpperPPS <= 0.997e6 {
		t.Errorf("NDR %+v, want a regular result about 997000 pps", ndr)
	}
	if pdr := b[1]; pdr.Regular || pdr.LowerPPS != 1e6 || math.Abs(pdr.ConditionalPPS-0.997e6) > 1 {
		t.Errorf("PDR %+v, want an irregular result with conditional throughput 997000 pps", pdr)
	}
}

func TestMinimumLoadFails(t *testing.T) {
	for _, algorithm := range []string{"mlr", "binary"} {
		s := newSearch(t, algorithm, config(1e6))
		log := hardDUT(500).run(s, 1)
		for _, b := range s.Bounds() {
			if b.Regular || !b.Done || b.HasLower || b.UpperPPS != simMinLoadPPS || b.Reason != reasonMinIsUpper {
				t.Errorf("%s: %+v, want an irregular result with the minimum load as upper bound", algorithm, b)
			}
		}
		if len(log) > 40 {
			t.Errorf("%s: %d trials to find that the minimum load fails, want at most 40", algorithm, len(log))
		}
	}
}

func TestNothingArrives(t *testing.T) {
	s := newSearch(t, "mlr", config(simMaxLoadPPS))
	for n := 0; ; n++ {
		load, ok := s.Next()
		if !ok {
			break
		}
		if n > 60 {
			t.Fatal("no end after 60 trials without a frame received")
		}
		s.Add(Trial{LoadPPS: load.PPS, DurationS: load.DurationS, LossRatio: 1})
	}
	for _, b := range s.Bounds() {
		if !b.Done || b.Regular || b.HasLower {
			t.Errorf("%+v, want an irregular result without lower bound", b)
		}
	}
}

func TestBudget(t *testing.T) {
	for _, algorithm := range []string{"mlr", "binary"} {
		for _, budget := range []float64{0.1, 1, 5, 8} {
			c := config(simMaxLoadPPS)
			c.MaxTrialSeconds = budget
			s := newSearch(t, algorithm, c)
			hardDUT(simCapacityPPS).run(s, 1)
			ended := 0
			for _, b := range s.Bounds() {
				if b.TrialSeconds > budget {
					t.Errorf("%s: %g s of trials, budget %g s", algorithm, b.TrialSeconds, budget)
				}
				if !b.Done {
					t.Errorf("%s: %s is not done after the budget of %g s", algorithm, b.Goal.Name, budget)
				}
				if strings.HasPrefix(b.Reason, "trial time budget of ") {
					ended++
				}
			}
			if ended == 0 {
				t.Errorf("%s: no goal names the budget of %g s", algorithm, budget)
			}
		}
	}
}

func TestRFC2544Goal(t *testing.T) {
	c := config(simMaxLoadPPS)
	c.MaxTrialSeconds = 0
	c.Goals = []Goal{{Name: "rfc2544", Width: 0.005, TrialDurationS: 60, DurationSumS: 60}}
	s := newSearch(t, "mlr", c)
	hardDUT(simCapacityPPS).run(s, 1)
	b := s.Bounds()[0]
	if !b.Regular || !b.Done || b.LowerPPS > simCapacityPPS || b.UpperPPS <= simCapacityPPS || !narrow(b.LowerPPS, b.UpperPPS, 0.005) {
		t.Errorf("%+v, want bounds about %g pps", b, simCapacityPPS)
	}
	if b.TrialSeconds > 250 {
		t.Errorf("%g s of trials, want at most 250", b.TrialSeconds)
	}
}

func TestSmallLoadsAreFractions(t *testing.T) {
	c := config(100)
	c.MinLoadPPS, c.MaxTrialSeconds = 1, 0
	c.Goals = []Goal{{Name: "PDR", LossRatio: 0.005, Width: 0.005, ExceedRatio: 0.5, TrialDurationS: 1, DurationSumS: 5}}
	s := newSearch(t, "mlr", c)
	for range 200 {
		load, ok := s.Next()
		if !ok {
			break
		}
		s.Add(Trial{LoadPPS: load.PPS, DurationS: load.DurationS, LossRatio: max(0, 1-12.3456/load.PPS)})
	}
	truth := 12.3456 / 0.995
	if b := s.Bounds()[0]; !b.Regular || b.LowerPPS > truth || b.UpperPPS < truth || !narrow(b.LowerPPS, b.UpperPPS, 0.005) {
		t.Errorf("%+v, want bounds about %g pps", b, truth)
	}
}

func TestTrialsThatNobodyAskedFor(t *testing.T) {
	s := newSearch(t, "mlr", config(simMaxLoadPPS))
	for _, ratio := range []float64{math.NaN(), -0.001, 2} {
		s.Add(Trial{LoadPPS: 1e6, DurationS: 1, LossRatio: ratio})
	}
	hardDUT(simCapacityPPS).run(s, 1)
	for _, b := range s.Bounds() {
		if !b.Regular || !narrow(b.LowerPPS, b.UpperPPS, b.Goal.Width) || math.Abs(b.LowerPPS/simCapacityPPS-1) > 0.01 {
			t.Errorf("%+v, want bounds about %g pps", b, simCapacityPPS)
		}
	}
}

func TestConfigProblemsAllAtOnce(t *testing.T) {
	bad := Config{MinLoadPPS: 0, MaxLoadPPS: math.Inf(1), MaxTrialSeconds: -1, Goals: []Goal{
		{Name: "a", LossRatio: 1, ExceedRatio: 1, Width: 0, TrialDurationS: 2, DurationSumS: 1},
		{Name: "a", LossRatio: math.NaN(), Width: 0.1, TrialDurationS: 0, DurationSumS: 1},
		{Width: 0.1, TrialDurationS: 1, DurationSumS: 1},
	}}
	_, err := NewMLR(bad)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`"a": loss ratio is 1`, `"a": exceed ratio is 1`, `"a": width is 0`, `"a": duration sum in s is 1`,
		`"a": loss ratio is NaN`, `"a": trial duration in s is 0`, `the name is used twice`, `goal without a name`,
		`minimum load is 0 pps`, `maximum load is +Inf pps`, `trial time budget is -1 s`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
	if _, err := NewBinary(Config{MinLoadPPS: 1, MaxLoadPPS: 2}); err == nil || !strings.Contains(err.Error(), "without a goal") {
		t.Errorf("no goal: error %v", err)
	}
}

func TestBinary(t *testing.T) {
	s := newSearch(t, "binary", config(simMaxLoadPPS))
	log := hardDUT(simCapacityPPS).run(s, 1)
	d := hardDUT(simCapacityPPS)
	for _, b := range s.Bounds() {
		truth := d.truth(b.Goal.LossRatio, 1)
		if !b.Regular || !b.Done || b.LowerPPS > truth || b.UpperPPS <= truth || !narrow(b.LowerPPS, b.UpperPPS, 0.005) {
			t.Errorf("%+v, want bounds about %g pps", b, truth)
		}
		if math.Abs(b.ConditionalPPS/simCapacityPPS-1) > 0.005 {
			t.Errorf("%s: conditional throughput %g pps, want %g within 0.5 %%", b.Goal.Name, b.ConditionalPPS, simCapacityPPS)
		}
	}
	if log[0].LoadPPS != simMaxLoadPPS || len(log) > 30 {
		t.Errorf("%d trials from %g pps, want at most 30 from the maximum load", len(log), log[0].LoadPPS)
	}
}
