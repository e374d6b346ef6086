package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// The simulation and the table belong to the tests of package search; this line
// runs that test and reads what it prints.
const (
	searchPackage = "github.com/linerate/linerate/search"
	searchTest    = "TestReferenceTable"
)

// searchTolerance is the wanted width of the search, in percent.
const searchTolerance = 0.5

// searchRow is a row of the table that the test prints; the reference is missing
// for devices that only this project simulates.
var searchRow = regexp.MustCompile(`^(\S.*?)\s+([0-9.]+) \( *([0-9.]+)\)\s+\d+ \( *\d+\)\s+([-+0-9.]+) \( *([-+0-9.]+)\)\s+([-+0-9.]+) \( *([-+0-9.]+)\)\s+(\d+)% \|(?:\s+(\d+) s\s+(\S+)\s+(\S+))?`)

// searches prints the reference table of package search.
func searches(ctx context.Context, s *session, t *table) error {
	t.Compared = "trial seconds and errors of linerate's search for NDR and PDR together (S=5 s, e=0.5, w=0.5 %) over simulated DUTs, median and worst of 50 seeds, " +
		"beside MLRsearch 1.2.1 (seconds with the same goals; errors with S=21 s)"
	t.Wanted = "on each of the nine DUTs no more trial seconds than the reference, and a median error within the width of 0.5 %"
	t.columns = []column{
		{"simulated DUT", "dut", "%s"}, {"s", "median_trial_seconds", "%.1f"}, {"worst", "worst_trial_seconds", "%.1f"}, {"ref. s", "reference_trial_seconds", "%.0f"},
		{"NDR %", "ndr_error_percent", "%+.2f"}, {"worst", "worst_ndr_error_percent", "%+.2f"}, {"ref.", "reference_ndr_error_percent", "%.2f"},
		{"PDR %", "pdr_error_percent", "%+.2f"}, {"worst", "worst_pdr_error_percent", "%+.2f"}, {"ref.", "reference_pdr_error_percent", "%.2f"},
	}
	args := []string{"test", "-count=1", "-run", "^" + searchTest + "$", "-v", searchPackage}
	if s.short {
		args = append(args, "-short")
	}
	s.say("search: go %s", strings.Join(args, " "))
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if err := errors.Join(ctx.Err(), ignoreExit(err)); err != nil {
		return fmt.Errorf("run %s: %w; `go` has to be on the PATH", searchTest, err)
	}
	if err != nil {
		t.note("the test's own, stricter limits were not kept: %s", failures(string(out)))
	}
	return tabulateSearches(t, string(out))
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
		if line = strings.TrimSpace(line); strings.Contains(line, "_test.go:") && !strings.HasSuffix(line, ":") {
			list = append(list, line)
		}
	}
	return strings.Join(list, "; ")
}

// tabulateSearches reads the rows of the test's table.
func tabulateSearches(t *table, output string) error {
	slowest, furthest := 0.0, 0.0
	slow, far := "", ""
	compared := 0
	for line := range strings.Lines(output) {
		m := searchRow.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		row := []any{m[1], number(m[2]), number(m[3]), number(m[9]), number(m[4]), number(m[5]), number(m[10]), number(m[6]), number(m[7]), number(m[11])}
		background := m[8] != "0" // its NDR is not defined, and not searched for
		if background {
			row[4], row[5] = nil, nil
		}
		t.add(row...)
		if row[3] == nil {
			continue
		}
		compared++
		if r := row[1].(float64) / row[3].(float64); r > slowest {
			slowest, slow = r, m[1]
		}
		for _, i := range []int{4, 7} {
			if row[i] != nil && abs(row[i].(float64)) > furthest {
				furthest, far = abs(row[i].(float64)), m[1]
			}
		}
	}
	if compared == 0 {
		return fmt.Errorf("read the table of %s: it has no row with a reference: %s", searchTest, lastLines(output, 3))
	}
	t.want(atMost(fmt.Sprintf("trial seconds / reference, worst of %d DUTs (%s)", compared, slow), slowest, 1, ""))
	t.want(atMost(fmt.Sprintf("|median error|, worst of them (%s)", far), furthest, searchTolerance, " %"))
	return nil
}

// number is a cell of the table; nil where there is none.
func number(text string) any {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != f {
		return nil
	}
	return f
}
