package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// AB compares two variants of the plan in adjacent pairs. It is on when A or B has an
// assignment; a side without one is the plan as it stands.
type AB struct {
	// A and B are what the sides change, as --set takes it: "scenarios=conntrack-nft".
	A []string `yaml:"a,omitempty" json:"a,omitempty"`
	B []string `yaml:"b,omitempty" json:"b,omitempty"`
	// Pairs of A and B for each cell, fixed before the start.
	Pairs int `yaml:"pairs" json:"pairs"`
	// AAPairs have A in both halves: what they differ by is the noise floor.
	AAPairs int `yaml:"aa_pairs" json:"aa_pairs"`
	// Alpha is the chance of calling a change what is none, over all cells together.
	Alpha Ratio `yaml:"alpha" json:"alpha"`
	// LeastChange is the smallest change of the ratio that matters.
	LeastChange Ratio `yaml:"least_change" json:"least_change"`
	// FailIf is the outcome that ends the command with exit code 1: "never", "changed",
	// "slower" (changed, and B is below A) or "not-equivalent".
	FailIf string `yaml:"fail_if" json:"fail_if"`
}

// Repeated says how one figure is taken where many are compared: by A/B and by sweeps.
type Repeated struct {
	// Figure is "forwarding-rate" at a fixed load, "throughput" by a short search, or
	// "auto": the forwarding rate for A/B, the throughput for a sweep.
	Figure string `yaml:"figure" json:"figure"`
	// LoadPPS is the fixed load of the forwarding rate per direction; 0: twice the highest
	// throughput that the first search of each variant finds.
	LoadPPS float64 `yaml:"load_pps" json:"load_pps"`
	// TrialDuration of each of Trials trials of the forwarding rate, whose mean is the figure.
	TrialDuration Duration `yaml:"trial_duration" json:"trial_duration"`
	Trials        int      `yaml:"trials" json:"trials"`
	// Seed fixes the order in which things are measured, and the resampling.
	Seed int64 `yaml:"seed" json:"seed"`
}

// The values of Repeated.Figure.
const (
	FigureAuto           = "auto"
	FigureForwardingRate = "forwarding-rate"
	FigureThroughput     = "throughput"
)

func defaultAB() AB {
	return AB{Pairs: 10, AAPairs: 6, Alpha: 0.05, LeastChange: 0.01, FailIf: "never"}
}

func defaultRepeated() Repeated {
	return Repeated{Figure: FigureAuto, TrialDuration: Duration(500 * time.Millisecond), Trials: 2, Seed: 1}
}

// On tells whether there is anything to compare.
func (a AB) On() bool { return len(a.A)+len(a.B) > 0 }

// Variant is one side of a comparison, or one value of a sweep.
type Variant struct {
	// Name is "A" or "B", or the assignment of a sweep.
	Name string
	Plan Plan
	// Cells are the plan's, each with the name of the variant.
	Cells []Cell
}

// Variants are what the plan compares: A and B, or the values of the sweep in their
// order; none if it compares nothing. The plan is valid.
func (p Plan) Variants() []Variant {
	var variants []Variant
	add := func(name string, assignments []string) {
		v, err := p.with(assignments)
		if err != nil {
			return // Validate has refused it
		}
		cells := v.Cells()
		for i := range cells {
			if of := cells[i].Variant; of != "" {
				cells[i].Variant = name + ", " + of
			} else {
				cells[i].Variant = name
			}
		}
		variants = append(variants, Variant{name, v, cells})
	}
	switch {
	case p.AB.On():
		add("A", p.AB.A)
		add("B", p.AB.B)
	case p.Sweep.On():
		for _, a := range p.Sweep.assignments() {
			add(a, []string{a})
		}
	}
	return variants
}

// with is the plan as it is measured with the assignments: it compares nothing itself.
func (p Plan) with(assignments []string) (Plan, error) {
	v := p.clone()
	v.AB, v.Sweep = defaultAB(), defaultSweep()
	err := v.Set(assignments)
	return v, err
}

// Figure is what is compared: FigureForwardingRate or FigureThroughput.
func (p Plan) Figure() string {
	switch {
	case p.Repeated.Figure != FigureAuto:
		return p.Repeated.Figure
	case p.AB.On():
		return FigureForwardingRate
	}
	return FigureThroughput
}

func (c *checker) ab(p Plan) {
	a := p.AB
	c.whole("ab.pairs", "ab.pairs", a.Pairs)
	c.whole("ab.aa_pairs", "ab.aa_pairs", a.AAPairs)
	c.share("ab.alpha", a.Alpha, a.Alpha > 0 && a.Alpha <= 0.5, "above 0 and at most 0.5")
	c.share("ab.least_change", a.LeastChange, a.LeastChange >= 0 && a.LeastChange < 1, "at least 0 and below 1")
	c.choice("ab.fail_if", a.FailIf)
	c.choice("repeated.figure", p.Repeated.Figure)
	c.load("repeated.load_pps", p.Repeated.LoadPPS, "0 (found by a first search) or more", p.Repeated.LoadPPS >= 0)
	c.duration("repeated.trial_duration", p.Repeated.TrialDuration)
	c.whole("repeated.trials", "repeated.trials", p.Repeated.Trials)
	if !a.On() || len(c.problems) > 0 {
		return
	}
	sideA, okA := c.variant(p, "ab.a", a.A)
	sideB, okB := c.variant(p, "ab.b", a.B)
	if okA && okB && len(sideA.Cells()) != len(sideB.Cells()) {
		c.add("ab.b", "ab.a", "give both sides lists of one length", "A has %d and B %d cells, and they are compared one by one", len(sideA.Cells()), len(sideB.Cells()))
	}
}

// variant is the plan with assignments, whose problems are those of the field at path.
func (c *checker) variant(p Plan, path string, assignments []string) (Plan, bool) {
	for i, a := range assignments {
		if reason := fixed(a); reason != "" {
			at := path
			if !strings.HasSuffix(at, "]") {
				at = fmt.Sprintf("%s[%d]", path, i)
			}
			c.add(at, "", "measure two runs, and compare them by `linerate compare`", "%s %s", shown(a), reason)
			return p, false
		}
	}
	v, err := p.with(assignments)
	if problems, ok := err.(*Problems); ok {
		for _, problem := range *problems {
			problem.Source = ""
			text := problem.Text
			if problem.Path != "" {
				text = problem.Path + ": " + text
			}
			c.add(path, "", problem.Hint, "%s", text)
		}
		return p, false
	}
	return v, true
}

// fixed says why a variant cannot change what an assignment changes; empty if it can.
func fixed(assignment string) string {
	for _, group := range []string{"lab", "testbed"} {
		if isWithin(pathOf(assignment), group) {
			return "changes the testbed, which is built once for all variants"
		}
	}
	for _, group := range []string{"ab", "sweep", "repeated", "cost", "capture", "schema", "name", "description"} {
		if isWithin(pathOf(assignment), group) {
			return "changes nothing that is measured"
		}
	}
	return ""
}

// Measurements are the cells as often as the run sets each of them up: one first search
// of each, then what is compared, in whatever order. Without a comparison it is Cells.
func (p Plan) Measurements() []Cell {
	variants := p.Variants()
	if len(variants) == 0 {
		return p.Cells()
	}
	var list []Cell
	for _, v := range variants {
		if p.AB.On() {
			list = append(list, v.Cells...)
		}
	}
	for _, v := range variants {
		times := p.Sweep.Repeats
		if p.AB.On() {
			times = p.AB.Pairs
			if v.Name == "A" {
				times += 2 * p.AB.AAPairs
			}
		}
		list = append(list, slices.Repeat(v.Cells, times)...)
	}
	return list
}

// ShortGoal is the goal of a short search: the one of the plan that allows most loss,
// with half a second of trial, three trials to decide a load, and a width of 1 %.
func (p Plan) ShortGoal() Goal {
	g := slices.MaxFunc(p.Search.Goals, func(a, b Goal) int { return cmp.Compare(a.LossRatio, b.LossRatio) })
	g.TrialDuration, g.DurationSum, g.ExceedRatio = Duration(500*time.Millisecond), Duration(1500*time.Millisecond), 0.5
	g.Width = 0.01
	return g
}

// Short is the plan with a short search: for ShortGoal, and in half the time, but 10 s
// where the plan has them.
func (p Plan) Short() Plan {
	p = p.clone()
	p.Search.Goals = []Goal{p.ShortGoal()}
	p.Latency.Enabled = false
	p.Search.MaxTrialTime = min(p.Search.MaxTrialTime, max(p.Search.MaxTrialTime/2, Duration(10*time.Second)))
	return p
}

// What one measurement of a comparison takes beside its trials: the scenario, the
// learning of flows, the warm-up; and beside each trial's duration and drain.
const (
	setUpSeconds         = 1
	trialOverheadSeconds = 0.15
	// shortSearchTrials is the number of trials of a short search.
	shortSearchTrials = 8
)

// RepeatedSeconds is what one figure of a comparison or a sweep takes, set-up included.
func (p Plan) RepeatedSeconds() float64 {
	trials, duration := float64(p.Repeated.Trials), p.Repeated.TrialDuration.Seconds()
	if p.Figure() == FigureThroughput {
		trials, duration = shortSearchTrials, p.ShortGoal().TrialDuration.Seconds()
	}
	return setUpSeconds + trials*(duration+trialOverheadSeconds+p.Trial.DrainQuiet.Seconds()+p.Trial.Settle.Seconds())
}
