package search

import "testing"

// goal is the default goal with another loss ratio.
func goal(lossRatio float64) Goal {
	g := DefaultGoals()[0]
	g.Name, g.LossRatio = "goal", lossRatio
	return g
}

func TestClassify(t *testing.T) {
	half := goal(0) // d=1, S=5, e=0.5
	strict := Goal{Name: "rfc2544", Width: 0.005, TrialDurationS: 60, DurationSumS: 60}
	tenth := half
	tenth.ExceedRatio, tenth.DurationSumS = 0.1, 10
	for _, c := range []struct {
		name string
		goal Goal
		sums sums
		want class
	}{
		{"nothing", half, sums{}, undecided},
		{"two low of five", half, sums{fullLow: 2}, undecided},
		{"three low of five", half, sums{fullLow: 3}, lowerBound},
		{"two high of five", half, sums{fullHigh: 2}, undecided},
		{"three high of five", half, sums{fullHigh: 3}, upperBound},
		{"two each", half, sums{fullLow: 2, fullHigh: 2}, undecided},
		{"three low, two high", half, sums{fullLow: 3, fullHigh: 2}, lowerBound},
		{"two low, three high", half, sums{fullLow: 2, fullHigh: 3}, upperBound},
		{"beyond the sum: W = 8, W-FL = 4 <= 4", half, sums{fullLow: 4, fullHigh: 4}, lowerBound},
		{"beyond the sum: W = 9, H = 5 > 4.5", half, sums{fullLow: 4, fullHigh: 5}, upperBound},
		{"short low trials prove nothing", half, sums{shortLow: 100}, undecided},
		{"short high trials do: H = 2.75 > 2.5", half, sums{shortHigh: 2.75}, upperBound},
		{"exactly e*W is not above it", half, sums{shortHigh: 2.5}, undecided},
		{"short low balances short high: H = 2.75-0.5", half, sums{shortHigh: 2.75, shortLow: 0.5}, undecided},
		{"short low does not balance full high", half, sums{fullHigh: 3, shortLow: 10}, upperBound},
		{"short high completes full high", half, sums{fullHigh: 2, shortHigh: 0.75}, upperBound},
		{"e=0: one high is an upper bound", strict, sums{fullHigh: 60}, upperBound},
		{"e=0: so is one short high", strict, sums{shortHigh: 0.25}, upperBound},
		{"e=0: short low balances nothing", strict, sums{shortHigh: 0.25, shortLow: 600}, upperBound},
		{"e=0: one full low is a lower bound", strict, sums{fullLow: 60}, lowerBound},
		{"e=0: low for less than S is not", strict, sums{fullLow: 59}, undecided},
		{"e=0.1: one high of ten is allowed", tenth, sums{fullLow: 9, fullHigh: 1}, lowerBound},
		{"e=0.1: two high of ten are not", tenth, sums{fullLow: 3, fullHigh: 2}, upperBound},
		{"e=0.1: eight low of ten do not decide", tenth, sums{fullLow: 8}, undecided},
		{"e=0.1: short low counts a ninth: H = 1.2-0.1", tenth, sums{shortHigh: 1.2, shortLow: 0.9}, upperBound},
		{"e=0.1: short low counts a ninth: H = 1.2-0.2", tenth, sums{shortHigh: 1.2, shortLow: 1.8}, undecided},
	} {
		if got := c.goal.classify(c.sums); got != c.want {
			t.Errorf("%s: classify(%+v) = %d, want %d", c.name, c.sums, got, c.want)
		}
	}
}

func TestSumsByLengthAndLoss(t *testing.T) {
	g := goal(0.005)
	var s sums
	for _, trial := range []Trial{
		{LoadPPS: 1, DurationS: 1, LossRatio: 0.005}, // at the ratio is not above it
		{LoadPPS: 1, DurationS: 1, LossRatio: 0.0051},
		{LoadPPS: 1, DurationS: 0.25, LossRatio: 0},
		{LoadPPS: 1, DurationS: 0.5, LossRatio: 1},
		{LoadPPS: 1, DurationS: 2, LossRatio: 0}, // longer than d is full
	} {
		s.add(g, trial)
	}
	if want := (sums{fullLow: 3, fullHigh: 1, shortLow: 0.25, shortHigh: 0.5}); s != want {
		t.Errorf("sums = %+v, want %+v", s, want)
	}
}

func TestConditionalThroughput(t *testing.T) {
	g := goal(0.005)
	trials := func(ratios ...float64) []Trial {
		var all []Trial
		for _, r := range ratios {
			all = append(all, Trial{LoadPPS: 1000, DurationS: 1, LossRatio: r})
		}
		return append(all, Trial{LoadPPS: 2000, DurationS: 1, LossRatio: 0.9},
			Trial{LoadPPS: 1000, DurationS: 0.5, LossRatio: 0.8}) // another load and a short trial: not counted
	}
	for _, c := range []struct {
		name   string
		trials []Trial
		want   float64
	}{
		// S*(1-e) = 2.5 s: the third best of five.
		{"third best", trials(0.3, 0.001, 0.004, 0.002, 0.2), 996},
		{"three trials", trials(0.003, 0.001, 0.002), 997},
		{"no loss", trials(0, 0, 0), 1000},
		{"trials run out", trials(0, 0), 0},
		{"no trial", nil, 0},
		// Seven trials: 3.5 s, the fourth best.
		{"beyond the sum", trials(0.5, 0.5, 0.5, 0.004, 0.001, 0.002, 0.003), 996},
		// Eight trials: 4 s is used up by the fourth.
		{"exactly used up", trials(0.5, 0.5, 0.5, 0.5, 0.001, 0.002, 0.003, 0.004), 996},
	} {
		if got := g.conditionalPPS(1000, c.trials); got != c.want {
			t.Errorf("%s: conditional throughput %g, want %g", c.name, got, c.want)
		}
	}
}

func TestRelevantBounds(t *testing.T) {
	of := func(classes ...class) []point {
		var points []point
		for i, c := range classes {
			points = append(points, point{loadPPS: float64(i), class: c})
		}
		return points
	}
	for _, c := range []struct {
		name         string
		points       []point
		lower, upper int
	}{
		{"none", nil, -1, -1},
		{"undecided only", of(undecided, undecided), -1, -1},
		{"regular", of(lowerBound, lowerBound, undecided, upperBound), 1, 3},
		{"a lower bound above the smallest upper is not relevant", of(lowerBound, upperBound, lowerBound, upperBound), 0, 1},
		{"no lower", of(undecided, upperBound, lowerBound), -1, 1},
		{"no upper", of(lowerBound, undecided, lowerBound), 2, -1},
	} {
		if lower, upper := relevant(c.points); lower != c.lower || upper != c.upper {
			t.Errorf("%s: relevant bounds %d, %d, want %d, %d", c.name, lower, upper, c.lower, c.upper)
		}
	}
}

func TestRounding(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{roundDown(1230000.9, 0.005), 1230000},
		{roundUp(1230000.1, 0.005), 1230001},
		{roundDown(999.96, 0.005), 999.9},
		{roundDown(12.3456, 0.005), 12.34},
		{roundDown(1.0009, 0.005), 1},
		{above(1226677, 0.005), 1232841},
		{below(1232841, 0.005), 1226677},
	} {
		if c.got != c.want {
			t.Errorf("rounded to %v, want %v", c.got, c.want)
		}
	}
	for load := 1.0; load < 2e7; load *= 1.37 {
		if upper := above(load, 0.005); !narrow(load, upper, 0.005) || upper <= load {
			t.Errorf("above(%g) = %g is not within the width", load, upper)
		}
		if lower := below(load, 0.005); !narrow(lower, load, 0.005) || lower >= load {
			t.Errorf("below(%g) = %g is not within the width", load, lower)
		}
	}
}
