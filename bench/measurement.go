package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
	"github.com/linerate/linerate/trial"
)

// measurement makes and stores the trials of one cell.
type measurement struct {
	run     *run
	bed     trial.Measurer
	cell    string
	purpose result.Purpose
	// strict says that some goal allows no loss, so that a single unsent frame decides a trial.
	strict bool
	// directions that carry traffic: 1 or 2.
	directions int
	trials     []result.Trial
	finder     search.Search
	// repeated is the traffic time of disturbed trials so far, repeatLimit how much there
	// may be: none by default, and unlimited in tests that make few trials.
	repeated, repeatLimit time.Duration
	// afterwards, if not nil, is done after each trial, also after one that failed.
	afterwards func() error
}

// search makes the trials that s asks for until it has its answer.
func (m *measurement) search(ctx context.Context, s search.Search) error {
	m.finder = s
	for {
		load, more := s.Next()
		if !more {
			return nil
		}
		request := trial.Request{LoadPPS: load.PPS, Duration: time.Duration(load.DurationS * float64(time.Second))}
		t, _, err := m.sound(ctx, request, load.Reason)
		if err != nil {
			return err
		}
		s.Add(search.Trial{LoadPPS: load.PPS, DurationS: load.DurationS, LossRatio: t.LossRatio()})
		m.run.events.TrialEnded(t, s.Bounds())
	}
}

// Bounds on the repeating of disturbed trials.
const (
	repeatsPerTrial = 2
	// repeatShare of the trial time of a cell may be spent on repeating.
	repeatShare = 0.25
	unlimited   = time.Duration(math.MaxInt64)
)

// sound makes a trial, and makes it again if it was disturbed. The last one counts in
// any case, because a generator that is short every time is a result; why is then what
// disturbed it. Whether it is disturbed is decided without regard to what came through.
func (m *measurement) sound(ctx context.Context, r trial.Request, reason string) (t result.Trial, why string, err error) {
	for attempt := 0; ; attempt++ {
		if t, err = m.make(ctx, r, reason); err != nil {
			return t, "", err
		}
		why = trial.Disturbed(t)
		if why == "" && m.strict && t.Lost == 0 && t.Unsent > 0 {
			why = "the generator was held up"
		}
		if why == "" || attempt == repeatsPerTrial || r.Duration > m.repeatLimit-m.repeated {
			return t, why, m.keep(t)
		}
		m.repeated += r.Duration
		t.Discarded = why
		m.run.events.TrialEnded(t, m.bounds())
		if err := m.keep(t); err != nil {
			return t, why, err
		}
		reason = "repeated: " + why
	}
}

// single is sound for a trial that no search waits for.
func (m *measurement) single(ctx context.Context, r trial.Request, reason string) (t result.Trial, why string, err error) {
	if t, why, err = m.sound(ctx, r, reason); err == nil {
		m.run.events.TrialEnded(t, nil)
	}
	return t, why, err
}

// bounds are those of the search that the trials are made for; nil if there is none.
func (m *measurement) bounds() []search.Bounds {
	if m.finder == nil {
		return nil
	}
	return m.finder.Bounds()
}

// measure makes one trial and stores it.
func (m *measurement) measure(ctx context.Context, r trial.Request, reason string) (result.Trial, error) {
	t, err := m.make(ctx, r, reason)
	if err != nil {
		return t, err
	}
	return t, m.keep(t)
}

func (m *measurement) keep(t result.Trial) error {
	m.trials = append(m.trials, t)
	return m.run.store.AppendTrial(t)
}

func (m *measurement) make(ctx context.Context, r trial.Request, reason string) (result.Trial, error) {
	m.run.trials++
	m.run.events.TrialStarted(TrialStart{Number: m.run.trials, Purpose: m.purpose, LoadPPS: r.LoadPPS, Duration: r.Duration, Directions: m.directions, Reason: reason})
	t, err := m.bed.Measure(ctx, r)
	if m.afterwards != nil {
		err = errors.Join(err, m.afterwards())
	}
	if err != nil {
		return t, err
	}
	t.Cell, t.Number, t.Purpose = m.cell, m.run.trials, m.purpose
	return t, nil
}

// at are the trials of the search at a load that lasted at least so long.
func (m *measurement) at(loadPPS, durationS float64) []result.Trial {
	var list []result.Trial
	for _, t := range m.trials {
		if t.IntendedLoadPPS == loadPPS && t.IntendedDurationS >= durationS && t.Purpose != result.ForWarmUp && t.Discarded == "" {
			list = append(list, t)
		}
	}
	return list
}

// median is the trial with the median P99 latency of those at a load; nil if none received a frame.
func (m *measurement) median(loadPPS, durationS float64) *result.Trial {
	list := slices.DeleteFunc(m.at(loadPPS, durationS), func(t result.Trial) bool { return t.Latency == nil })
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b result.Trial) int { return int(int64(a.Latency.P99NS) - int64(b.Latency.P99NS)) })
	return &list[len(list)/2]
}
