package search

import (
	"errors"
	"fmt"
	"math"
)

// Goal is one search goal, with the goal attributes of RFC 9971.
type Goal struct {
	Name string
	// LossRatio L: a trial with more loss is a high-loss trial.
	LossRatio float64
	// ExceedRatio e: the share of the trial time that may be high-loss at a lower bound.
	ExceedRatio float64
	// Width w: the search ends when (upper-lower)/upper is not above it.
	Width float64
	// TrialDurationS d: a trial of at least this duration is a full trial.
	TrialDurationS float64
	// DurationSumS S: the trial time that decides a load.
	DurationSumS float64
}

// validate returns everything that is wrong with the goal, joined.
func (g Goal) validate() error {
	var errs []error
	bad := func(field string, value float64, want string) {
		errs = append(errs, fmt.Errorf("search goal %q: %s is %g: %s", g.Name, field, value, want))
	}
	if g.Name == "" {
		errs = append(errs, errors.New("search goal without a name: give each goal a name"))
	}
	if !(g.LossRatio >= 0 && g.LossRatio < 1) {
		bad("loss ratio", g.LossRatio, "must be at least 0 and below 1")
	}
	if !(g.ExceedRatio >= 0 && g.ExceedRatio < 1) {
		bad("exceed ratio", g.ExceedRatio, "must be at least 0 and below 1")
	}
	if !(g.Width >= 1e-6 && g.Width < 1) {
		bad("width", g.Width, "must be at least 1e-06 and below 1; 0.005 is usual")
	}
	if !(g.TrialDurationS > 0) || math.IsInf(g.TrialDurationS, 0) {
		bad("trial duration in s", g.TrialDurationS, "must be above 0")
	}
	if !(g.DurationSumS >= g.TrialDurationS) || math.IsInf(g.DurationSumS, 0) {
		bad("duration sum in s", g.DurationSumS, "must be at least the trial duration")
	}
	return errors.Join(errs...)
}

// validate returns everything that is wrong with the configuration, joined.
func (c Config) validate() error {
	var errs []error
	if len(c.Goals) == 0 {
		errs = append(errs, errors.New("search without a goal: give at least one"))
	}
	names := map[string]bool{}
	for _, g := range c.Goals {
		errs = append(errs, g.validate())
		if names[g.Name] {
			errs = append(errs, fmt.Errorf("search goal %q: the name is used twice: rename one", g.Name))
		}
		names[g.Name] = true
	}
	if !(c.MinLoadPPS > 0) {
		errs = append(errs, fmt.Errorf("search: minimum load is %g pps: must be above 0", c.MinLoadPPS))
	}
	if !(c.MaxLoadPPS >= c.MinLoadPPS) || math.IsInf(c.MaxLoadPPS, 0) {
		errs = append(errs, fmt.Errorf("search: maximum load is %g pps: must be at least the minimum load of %g pps",
			c.MaxLoadPPS, c.MinLoadPPS))
	}
	if !(c.MaxTrialSeconds >= 0) {
		errs = append(errs, fmt.Errorf("search: trial time budget is %g s: must not be negative; 0 is no bound", c.MaxTrialSeconds))
	}
	return errors.Join(errs...)
}
