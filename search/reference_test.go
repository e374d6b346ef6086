package search

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"
)

// spread is the median and the worst of a figure over seeds.
type spread []float64

func (s spread) median() float64 {
	c := append([]float64(nil), s...)
	sort.Float64s(c)
	return c[len(c)/2]
}

func (s spread) worst() float64 {
	worst := 0.0
	for _, x := range s {
		if math.Abs(x) > math.Abs(worst) || math.IsNaN(x) {
			worst = x
		}
	}
	return worst
}

// outcome gathers the searches of one device over seeds.
type outcome struct {
	seconds, trials, ndr, pdr spread
	found                     int
}

func searchSeeds(t *testing.T, d simDUT, seeds int, make func() Search) outcome {
	t.Helper()
	var o outcome
	for seed := range seeds {
		s := make()
		d.run(s, uint64(seed))
		b := s.Bounds()
		for _, x := range b {
			if !x.Done {
				t.Fatalf("%s, seed %d: %s is not done: %+v", d.name, seed, x.Goal.Name, x)
			}
		}
		o.seconds = append(o.seconds, b[0].TrialSeconds)
		o.trials = append(o.trials, float64(b[0].Trials))
		o.ndr = append(o.ndr, 100*(b[0].LowerPPS/d.truth(b[0].Goal.LossRatio, 1)-1))
		o.pdr = append(o.pdr, 100*(b[1].LowerPPS/d.truth(b[1].Goal.LossRatio, 1)-1))
		if m, ok := s.(*MLR); ok && m.Background().Found {
			o.found++
		}
	}
	return o
}

func newDefault(t *testing.T) Search {
	t.Helper()
	s, err := NewMLR(Config{Goals: DefaultGoals(), MinLoadPPS: simMinLoadPPS, MaxLoadPPS: simMaxLoadPPS, MaxTrialSeconds: 120})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// limits are what a search must keep to, per device: the worst and the median
// trial time, and the largest error of the lower bounds in the median and at worst.
type limits struct {
	medianSeconds, worstSeconds float64
	medianError, worstError     float64
}

// searchLimits leaves room for chance; the devices without noise are held to the width.
func searchLimits(d simDUT) limits {
	switch {
	case d.name == "background loss":
		return limits{medianSeconds: 20, worstSeconds: 40, medianError: 0.5, worstError: 0.6}
	case d.Jitter > 0.005:
		return limits{medianSeconds: 19.75, worstSeconds: 45, medianError: 0.2, worstError: 1.6}
	case d.Drawn:
		return limits{medianSeconds: 28, worstSeconds: 55, medianError: 0.5, worstError: 2.5}
	case d.Random():
		return limits{medianSeconds: 16.9, worstSeconds: 40, medianError: 0.2, worstError: 0.68}
	}
	return limits{medianSeconds: min(d.published.seconds5, 20), worstSeconds: 20, medianError: 0.2, worstError: 0.2}
}

// TestReferenceTable searches every simulated device and, with -v, prints trial
// seconds, trials and errors of the lower bounds in % as median (worst over 50
// seeds), beside what is published of MLRsearch.
func TestReferenceTable(t *testing.T) {
	seeds := 50
	if testing.Short() {
		seeds = 10
	}
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-18s %14s %9s %17s %17s %7s | %s\n", "device", "trial s", "trials", "NDR error %", "PDR error %", "backg.",
		"published: s at S=5, NDR and PDR error % at S=21")
	for _, d := range append(simDUTs(), moreDUTs()...) {
		n := 1
		if d.Random() {
			n = seeds
		}
		o := searchSeeds(t, d, n, func() Search { return newDefault(t) })
		fmt.Fprintf(&table, "%-18s %6.2f (%5.1f) %3.0f (%2.0f)  %+6.2f (%+7.2f)  %+6.2f (%+7.2f) %6d%% |", d.name,
			o.seconds.median(), o.seconds.worst(), o.trials.median(), o.trials.worst(), o.ndr.median(), o.ndr.worst(),
			o.pdr.median(), o.pdr.worst(), 100*o.found/n)
		if p := d.published; p.seconds5 > 0 {
			fmt.Fprintf(&table, " %2.0f s %5.2f %5.2f", p.seconds5, p.ndr, p.pdr)
		}
		table.WriteByte('\n')
		checkOutcome(t, d, o, n)
		for _, r := range append([]row{o.row(d, ourSearch)}, d.published.rows(d)...) {
			writeRow(t, r)
		}
	}
	t.Log(table.String())
}

func checkOutcome(t *testing.T, d simDUT, o outcome, seeds int) {
	t.Helper()
	max := searchLimits(d)
	expect := func(what string, got, limit float64) {
		t.Helper()
		if !(math.Abs(got) <= limit) {
			t.Errorf("%s: %s is %.2f, want at most %.2f", d.name, what, got, limit)
		}
	}
	expect("median trial time in s", o.seconds.median(), max.medianSeconds)
	expect("worst trial time in s", o.seconds.worst(), max.worstSeconds)
	expect("median PDR error in %", o.pdr.median(), max.medianError)
	expect("worst PDR error in %", o.pdr.worst(), max.worstError)
	if d.BackgroundLoss > 0 {
		if o.found*100 < seeds*95 {
			t.Errorf("%s: background loss found in %d of %d searches, want 95 %%", d.name, o.found, seeds)
		}
		return
	}
	if o.found > 0 {
		t.Errorf("%s: background loss found in %d of %d searches, there is none", d.name, o.found, seeds)
	}
	expect("median NDR error in %", o.ndr.median(), max.medianError)
	expect("worst NDR error in %", o.ndr.worst(), max.worstError)
}
