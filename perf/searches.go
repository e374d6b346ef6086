package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The simulations belong to the tests of package search; these lines run those tests
// and read what they write.
const (
	searchPackage = "github.com/linerate/linerate/search"
	searchTests   = "TestReferenceTable|TestAgainstMLRsearch|TestPerfectObserver"
	drawnTest     = "TestDrawnCapacities"
)

// Names of the searches that the targets are about, as the tests write them.
const (
	ourSearch   = "linerate, S=5 s"
	reference5  = "MLRsearch, S=5 s"
	reference21 = "MLRsearch, S=21 s"
)

// searchOrder is that of the rows of a device.
var searchOrder = []string{ourSearch, reference5, reference21, "published, S=5 s", "published, S=21 s"}

// searchTolerance is the wanted width of the search, in percent.
const searchTolerance = 0.5

// searched is what the searches of one device came to: medians and worst figures,
// null where there is none.
type searched struct {
	DUT      string   `json:"dut"`
	Capacity string   `json:"capacity"`
	Search   string   `json:"search"`
	Searches int      `json:"searches"`
	Seconds  *float64 `json:"median_trial_seconds"`
	WorstS   *float64 `json:"worst_trial_seconds"`
	NDR      *float64 `json:"ndr_error_percent"`
	WorstNDR *float64 `json:"worst_ndr_error_percent"`
	PDR      *float64 `json:"pdr_error_percent"`
	WorstPDR *float64 `json:"worst_pdr_error_percent"`
	// Background tells that the device loses frames at any load: NDR is not defined.
	Background bool `json:"background"`
	// Observer is set where the line is about no search.
	Observer *observed `json:"observer"`
}

// observed is what a perfect observer makes of the preset jitter.
type observed struct {
	Seconds int     `json:"trial_seconds"`
	Median  float64 `json:"median_error_percent"`
	Worst   float64 `json:"worst_error_percent"`
	Low     float64 `json:"worst_error_p05_percent"`
	High    float64 `json:"worst_error_p95_percent"`
}

// searches prints what the search needs and errs by over the presets, beside MLRsearch on
// the same devices.
func searches(ctx context.Context, s *session, t *table) error {
	t.Compared = "searches for NDR and PDR together (d=1 s, e=0.5, w=0.5 %) over simulated DUTs, median and worst of 50 seeds where there is chance: linerate; " +
		"MLRsearch 1.2.1 (PyPI) on the same DUTs and seeds, from its default of 9001 pps (1000 pps for the slow DUT) to the tester's 14.88 Mpps; " +
		"and what is published of MLRsearch on DUTs of this description (worst errors without sign). Errors are those of the relevant lower bound, in %"
	t.Wanted = "on each of the nine DUTs no more trial seconds than MLRsearch with S=5 s, and errors not above those with S=21 s"
	t.columns = []column{
		{"simulated DUT", "dut", "%s"}, {"search", "search", "%s"}, {"s", "median_trial_seconds", "%.1f"}, {"worst", "worst_trial_seconds", "%.1f"},
		{"NDR %", "ndr_error_percent", "%.2f"}, {"worst", "worst_ndr_error_percent", "%.2f"},
		{"PDR %", "pdr_error_percent", "%.2f"}, {"worst", "worst_pdr_error_percent", "%.2f"},
	}
	list, err := s.runSearches(ctx, t, searchTests)
	if err != nil {
		return err
	}
	for _, r := range list {
		if r.Observer != nil {
			o := r.Observer
			t.note("someone who sees the capacity of each of %d seconds of jitter 1 %%/s and takes the mean errs by %.2f %% in the median, and by %.2f %% in the worst of 50 (%.2f to %.2f in 90 of 100 batches)",
				o.Seconds, o.Median, o.Worst, o.Low, o.High)
			continue
		}
		t.add(r.DUT, r.Search, value(r.Seconds), value(r.WorstS), value(r.NDR), value(r.WorstNDR), value(r.PDR), value(r.WorstPDR))
	}
	t.wantSearches(list)
	return nil
}

// drawn prints the same for DUTs with other capacities.
func drawn(ctx context.Context, s *session, t *table) error {
	t.Compared = "the searches of the line search over DUTs like the presets with other capacities: 50 drawn from 0.4 to 4 times that of the preset (slow: 1 to 10 times), " +
		"one seed each; and three fixed ones, 50 seeds each. A grid of loads, or a constant, that one capacity suits by luck gains nothing here"
	t.Wanted = "over the drawn capacities no more trial seconds than MLRsearch with S=5 s, and errors not above those with S=21 s"
	t.columns = []column{
		{"simulated DUT", "dut", "%s"}, {"capacity", "capacity", "%s"},
		{"s", "median_trial_seconds", "%.1f"}, {"S=5", "reference_s5_median_trial_seconds", "%.0f"}, {"S=21", "reference_s21_median_trial_seconds", "%.0f"},
		{"NDR %", "ndr_error_percent", "%.2f"}, {"worst", "worst_ndr_error_percent", "%.2f"}, {"S=21", "reference_s21_ndr_error_percent", "%.2f"}, {"worst", "reference_s21_worst_ndr_error_percent", "%.2f"},
		{"PDR %", "pdr_error_percent", "%.2f"}, {"worst", "worst_pdr_error_percent", "%.2f"}, {"S=21", "reference_s21_pdr_error_percent", "%.2f"}, {"worst", "reference_s21_worst_pdr_error_percent", "%.2f"},
	}
	list, err := s.runSearches(ctx, t, drawnTest)
	if err != nil {
		return err
	}
	for _, r := range list {
		if r.Search != ourSearch {
			continue
		}
		five, csit := find(list, r, reference5), find(list, r, reference21)
		t.add(r.DUT, r.Capacity, value(r.Seconds), value(five.Seconds), value(csit.Seconds),
			value(r.NDR), value(r.WorstNDR), value(csit.NDR), value(csit.WorstNDR), value(r.PDR), value(r.WorstPDR), value(csit.PDR), value(csit.WorstPDR))
	}
	t.wantSearches(slices.DeleteFunc(list, func(r searched) bool { return r.Capacity != "drawn" }))
	return nil
}

// runSearches runs tests of package search and reads the rows that they write, those of
// a device together in the order of the first.
func (s *session) runSearches(ctx context.Context, t *table, tests string) ([]searched, error) {
	rows := filepath.Join(s.folder, "rows")
	args := []string{"test", "-count=1", "-timeout", "20m", "-run", "^(" + tests + ")$", "-v", searchPackage, "-rows", rows}
	if s.short {
		args = append(args, "-short")
	}
	s.say("search: go %s", strings.Join(args, " "))
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if err := errors.Join(ctx.Err(), ignoreExit(err)); err != nil {
		return nil, fmt.Errorf("run %s: %w; `go` has to be on the PATH", tests, err)
	}
	if err != nil {
		t.note("the tests' own, stricter limits were not kept: %s", failures(string(out)))
	}
	if m := withoutReference.FindStringSubmatch(string(out)); m != nil {
		t.note("MLRsearch was not run: %s", m[1])
	}
	written, err := os.ReadFile(rows)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w: %s", tests, err, lastLines(string(out), 3))
	}
	list, err := readSearches(written)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", tests, err)
	}
	return list, nil
}

// withoutReference is what the tests say when the package is not there.
var withoutReference = regexp.MustCompile(`needs the PyPI package MLRsearch[^:]*: (.*)`)

// readSearches reads lines of JSON.
func readSearches(written []byte) ([]searched, error) {
	var list []searched
	first := map[string]int{}
	for d := json.NewDecoder(bytes.NewReader(written)); d.More(); {
		var r searched
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("read its rows: %w", err)
		}
		if r.Background {
			r.NDR, r.WorstNDR = nil, nil
		}
		if key := r.DUT + r.Capacity; first[key] == 0 {
			first[key] = len(first) + 1
		}
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b searched) int {
		return cmp.Or(first[a.DUT+a.Capacity]-first[b.DUT+b.Capacity], slices.Index(searchOrder, a.Search)-slices.Index(searchOrder, b.Search))
	})
	return list, nil
}

// find returns what another search came to on the same devices; the zero value if nothing.
func find(list []searched, of searched, search string) searched {
	for _, r := range list {
		if r.DUT == of.DUT && r.Capacity == of.Capacity && r.Search == search {
			return r
		}
	}
	return searched{}
}

// value is a cell of the table.
func value(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}

// ignoreExit drops the error of a program that ran and failed.
func ignoreExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

func failures(output string) string {
	var list []string
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); strings.Contains(line, "want at most") {
			list = append(list, line)
		}
	}
	return strings.Join(list, "; ")
}
