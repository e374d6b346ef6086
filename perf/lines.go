package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/result"
)

// line is one benchmark.
type line struct {
	name, brief string
	// byDefault tells that the line is measured when none is named.
	byDefault bool
	measure   func(context.Context, *session, *table) error
}

func lines() []line {
	return []line{
		{"sources", "packet rate on one core, against other sources", true, sources},
		{"pacing", "asked and achieved rate, gaps between frames", true, pacing},
		{"limit", "PDR of a DUT whose capacity is known", true, limit},
		{"overload", "what a router delivers above its throughput", true, overload},
		{"search", "trial seconds and errors over simulated DUTs", true, searches},
		{"drawn", "the same over simulated DUTs of other capacities", false, drawn},
		{"repeat", "the plan baseline five times", false, repeat},
		{"ledger", "what accounting for every frame costs", false, ledgerCost},
		{"cost", "what observing the DUT's threads costs", false, cost},
		{"variation", "what measuring the delay variation costs the sink", false, variation},
	}
}

// choose returns the lines of the given names in the order of the list.
func choose(names []string) ([]line, error) {
	all := lines()
	known := make([]string, len(all))
	for i, l := range all {
		known[i] = l.name
	}
	for _, n := range names {
		if n != "all" && !slices.Contains(known, n) {
			return nil, fmt.Errorf("there is no line %q; the lines are %s, or all", n, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(l line) bool {
		if len(names) == 0 {
			return !l.byDefault
		}
		return !slices.Contains(names, l.name) && !slices.Contains(names, "all")
	}), nil
}

// session is what the lines share.
type session struct {
	short    bool
	seed     uint64
	progress io.Writer
	// folder is a temporary folder of the current line.
	folder string
}

// say tells a person who waits what is going on.
func (s *session) say(format string, args ...any) {
	fmt.Fprintf(s.progress, "perf: "+format+"\n", args...)
}

// pick is the first value, or with --short the second.
func pick[T any](s *session, whole, short T) T {
	if s.short {
		return short
	}
	return whole
}

// measure makes the table of one line. The table is never nil, and what broke the
// line off is in it as well as in the error.
func (s *session) measure(ctx context.Context, l line) (t *table, err error) {
	t = &table{Name: l.name}
	defer func() {
		if err != nil {
			t.Error = err.Error()
			err = fmt.Errorf("measure %s: %w", l.name, err)
		}
	}()
	if s.folder, err = os.MkdirTemp("", "linerate-perf-"); err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.folder)) }()
	before, err := observe.SampleCPU(nil)
	if err != nil {
		return t, err
	}
	start := time.Now()
	err = l.measure(ctx, s, t)
	took := time.Since(start)
	after, sampleErr := observe.SampleCPU(nil)
	if sampleErr == nil {
		t.noteSteal(observe.CPUBetween(before, after, took, everyCPU(), 0))
	}
	return t, errors.Join(err, sampleErr)
}

// noteSteal says what the hypervisor took away, which no other figure shows.
func (t *table) noteSteal(c *result.CPU) {
	var text []string
	for _, core := range c.PerCore {
		if core.Steal > 0.001 {
			text = append(text, fmt.Sprintf("%.1f %% of CPU %d", 100*core.Steal, core.CPU))
		}
	}
	if text != nil {
		t.note("meanwhile the hypervisor took away %s", strings.Join(text, ", "))
	}
}
