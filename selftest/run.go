package selftest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/linerate/linerate/internal/kernel"
)

// Options are what a self-test needs.
type Options struct {
	// Only names the checks to make; empty makes all.
	Only []string
	// JournalDir is where undo actions are kept.
	JournalDir string
	// Out is a folder that keeps the runs of the checks that search; empty keeps none.
	Out string
	// Hog is the command that runs Hog in another process: its first arguments.
	Hog []string
	// Began and Ended are told before and after each check.
	Began func(number, of int, c Check)
	Ended func(Result)

	// amiss plants something else than the checks say, so that each must find itself off.
	amiss bool
}

// amount is what to plant where the checks say truth.
func (o Options) amount(truth, otherwise int) int {
	if o.amiss {
		return otherwise
	}
	return truth
}

// Report is the outcome of a self-test.
type Report struct {
	Started   time.Time `json:"started"`
	DurationS float64   `json:"duration_s"`
	Kernel    string    `json:"kernel"`
	Checks    []Result  `json:"checks"`
}

// Count is the number of checks with a status.
func (r Report) Count(s Status) (n int) {
	for _, c := range r.Checks {
		if c.Status == s {
			n++
		}
	}
	return n
}

// session is a self-test in progress.
type session struct {
	options Options
	rig     *rig // of the checks that make single trials; opened by the first
}

// Run makes the checks one after the other. When ctx ends, the report has those that
// were made, and everything is undone. An error of type *kernel.MissingError means
// that this machine can make none.
func Run(ctx context.Context, o Options) (report Report, err error) {
	report = Report{Started: time.Now().UTC(), Kernel: kernel.Release(), Checks: []Result{}}
	checks, err := Select(o.Only)
	if err != nil {
		return report, err
	}
	if err := kernel.Require(); err != nil {
		return report, err
	}
	s := &session{options: o}
	defer func() {
		err = errors.Join(err, s.closeRig())
		report.DurationS = time.Since(report.Started).Seconds()
	}()
	for i, c := range checks {
		if o.Began != nil {
			o.Began(i+1, len(checks), c)
		}
		r, err := s.make(ctx, c)
		if err != nil {
			return report, err
		}
		report.Checks = append(report.Checks, r)
		if o.Ended != nil {
			o.Ended(r)
		}
	}
	return report, nil
}

// make makes one check. What keeps it from being made is a reason to skip it, unless
// the self-test was ended.
func (s *session) make(ctx context.Context, c Check) (Result, error) {
	began := time.Now()
	r, err := c.run(ctx, s)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	r.Name, r.DurationS = c.Name, time.Since(began).Seconds()
	if r.Planted == "" {
		r.Planted = c.Plants
	}
	r.Quantities, r.Evidence = slices.Concat([]Quantity{}, r.Quantities), slices.Concat([]string{}, r.Evidence)
	if reason, ok := asSkip(err); ok {
		r.Status, r.Reason = Skipped, reason
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("check %s: %w", c.Name, err)
	}
	r.judge()
	return r, nil
}

// Select are the checks of the given names, in their own order; all if there is no name.
func Select(names []string) ([]Check, error) {
	all := Checks()
	if len(names) == 0 {
		return all, nil
	}
	var known, unknown []string
	for _, c := range all {
		known = append(known, c.Name)
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			unknown = append(unknown, n)
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("there is no check %s; there are %s", strings.Join(unknown, " or "), strings.Join(known, ", "))
	}
	return slices.DeleteFunc(all, func(c Check) bool { return !slices.Contains(names, c.Name) }), nil
}
