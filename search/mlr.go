package search

import (
	"math"
	"sort"
)

// MLR is a multiple loss ratio search (RFC 9971) for several goals that share
// their trials. The goal with the most allowed loss is searched first: the
// others lie below it, and it is the one that noise disturbs least.
type MLR struct {
	config Config
	// order holds indexes of goals by falling loss ratio.
	order  []int
	trials []Trial
}

// NewMLR returns a search, or everything that is wrong with the configuration.
func NewMLR(c Config) (*MLR, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	c.Goals = append([]Goal(nil), c.Goals...)
	m := &MLR{config: c}
	for i := range c.Goals {
		m.order = append(m.order, i)
	}
	sort.SliceStable(m.order, func(i, j int) bool {
		return c.Goals[m.order[i]].LossRatio > c.Goals[m.order[j]].LossRatio
	})
	return m, nil
}

// Add takes in a trial.
func (m *MLR) Add(t Trial) { m.trials = append(m.trials, t.cleaned()) }

// Next returns the trial to make next; false when every goal is done or the budget is
// used up. Each goal may use its share of the budget in turn, and then what the
// others have left.
func (m *MLR) Next() (Load, bool) {
	used := seconds(m.trials)
	for rank, i := range m.order {
		left := m.config.MaxTrialSeconds*share(rank, len(m.order)) - used
		if m.config.MaxTrialSeconds > 0 && left <= 0 && !m.view(m.config.Goals[i]).urgent(used) {
			continue
		}
		if load, ok := m.nextOf(i, left); ok {
			return load, true
		}
	}
	for _, i := range m.order {
		if load, ok := m.nextOf(i, m.config.MaxTrialSeconds-used); ok {
			return load, true
		}
	}
	return Load{}, false
}

// nextOf returns what one goal asks for with so much trial time left to it; false
// if it asks for nothing, or for more than the budget has.
func (m *MLR) nextOf(goal int, remainingS float64) (Load, bool) {
	v := m.view(m.config.Goals[goal])
	if m.config.MaxTrialSeconds > 0 {
		v.remainingS = remainingS
	}
	load, ok := v.next()
	return load, ok && fits(m.config, m.trials, load)
}

// Bounds returns what the trials so far say.
func (m *MLR) Bounds() []Bounds {
	_, more := m.Next()
	all := make([]Bounds, len(m.config.Goals))
	for i, g := range m.config.Goals {
		v := m.view(g)
		_, pending := v.next()
		switch {
		case pending && more:
			v.bounds.Done = false
		case !v.bounds.Done:
			v.bounds.Done, v.bounds.Reason = true, endReason(m.config, pending)
		}
		all[i] = v.bounds
	}
	return all
}

// Background returns the loss that does not depend on the load, as the goal with
// the least allowed loss sees it.
func (m *MLR) Background() Background {
	g := m.config.Goals[m.order[len(m.order)-1]]
	return m.view(g).background
}

// view gathers what is known for one goal.
func (m *MLR) view(g Goal) *view {
	v := &view{config: m.config, goal: g, trials: m.trials, points: pointsOf(g, m.trials), remainingS: math.Inf(1)}
	v.bounds = boundsOf(g, m.config, m.trials, v.points)
	v.findBracket()
	v.findBackground()
	return v
}
