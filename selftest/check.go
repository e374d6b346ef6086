package selftest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/linerate/linerate/result"
)

// Status is the outcome of a check.
type Status string

// The values of Status.
const (
	// OK means that what was found is what was planted.
	OK Status = "ok"
	// Off means that the instrument found something else.
	Off Status = "off"
	// Skipped means that the check could not be made on this machine.
	Skipped Status = "skipped"
)

// Quantity is a number whose truth is known.
type Quantity struct {
	Name string `json:"name"`
	// Unit is "pps", "frames" or "ns".
	Unit  string  `json:"unit"`
	Truth float64 `json:"truth"`
	Found float64 `json:"found"`
	// ToleranceRatio is how far Found may be from Truth, as a share of it; 0 is exact.
	ToleranceRatio float64 `json:"tolerance_ratio"`
}

func (q Quantity) holds() bool {
	return math.Abs(q.Found-q.Truth) <= q.ToleranceRatio*math.Abs(q.Truth)
}

// String is the quantity as found, with its unit.
func (q Quantity) String() string { return amount(q.Found, q.Unit) + " " + q.Name }

func amount(value float64, unit string) string {
	if unit == "ns" {
		return fmt.Sprintf("%.2f ms", value/1e6)
	}
	return fmt.Sprintf("%.0f %s", value, unit)
}

// Result is what a check planted and what linerate found.
type Result struct {
	Name string `json:"name"`
	// Planted says how DUT or tester were mis-set.
	Planted string `json:"planted"`
	Status  Status `json:"status"`
	// Reason says why the check is off, or why it was skipped; empty if it is ok.
	Reason     string     `json:"reason"`
	Quantities []Quantity `json:"quantities"`
	// ExpectedVerdict and Verdict are empty for checks that make single trials only.
	// Several verdicts that are right are joined by "|".
	ExpectedVerdict string         `json:"expected_verdict,omitempty"`
	Verdict         result.Verdict `json:"verdict,omitempty"`
	// ExpectedDisturbance is the code of a disturbance that has to be recorded, and
	// Disturbance what was; empty where none is planted.
	ExpectedDisturbance string `json:"expected_disturbance,omitempty"`
	Disturbance         string `json:"disturbance,omitempty"`
	// CleanNumber tells whether a throughput was published as if the machine had been quiet.
	CleanNumber bool `json:"clean_number"`
	// Evidence are sentences of the record that the finding rests on.
	Evidence  []string `json:"evidence"`
	DurationS float64  `json:"duration_s"`
}

// judge compares what was found with the truth.
func (r *Result) judge() {
	var wrong []string
	for _, q := range r.Quantities {
		if !q.holds() {
			within := "exactly"
			if q.ToleranceRatio > 0 {
				within = fmt.Sprintf("within %.3g %%", 100*q.ToleranceRatio)
			}
			wrong = append(wrong, fmt.Sprintf("%s: found %s, the truth is %s, %s", q.Name, amount(q.Found, q.Unit), amount(q.Truth, q.Unit), within))
		}
	}
	if r.ExpectedVerdict != "" && !oneOf(r.ExpectedVerdict, string(r.Verdict)) {
		wrong = append(wrong, fmt.Sprintf("verdict %s instead of %s", r.Verdict, r.ExpectedVerdict))
	}
	if r.ExpectedDisturbance != r.Disturbance {
		wrong = append(wrong, fmt.Sprintf("disturbance %q instead of %q", r.Disturbance, r.ExpectedDisturbance))
	}
	if r.ExpectedDisturbance != "" && r.CleanNumber {
		wrong = append(wrong, "a throughput was published as if nothing had disturbed it")
	}
	r.Status, r.Reason = OK, strings.Join(wrong, "; ")
	if len(wrong) > 0 {
		r.Status = Off
	}
}

func oneOf(list, verdict string) bool {
	for _, v := range strings.Split(list, "|") {
		if v == verdict {
			return true
		}
	}
	return false
}

// Check is one thing to plant.
type Check struct {
	Name string
	// Plants is one line for --list.
	Plants string
	run    func(ctx context.Context, s *session) (Result, error)
}

// skipError is the reason why this machine cannot make a check.
type skipError struct{ reason string }

func (e *skipError) Error() string { return e.reason }

func skip(format string, args ...any) error {
	return &skipError{fmt.Sprintf(format, args...)}
}

func asSkip(err error) (string, bool) {
	var s *skipError
	if errors.As(err, &s) {
		return s.reason, true
	}
	return "", false
}

// Checks are all there are, in the order in which they are made.
func Checks() []Check {
	return []Check{
		{"clean", "nothing: no frame may be lost, repeated, out of order or changed", clean},
		{"loss", "a DUT that drops every 100th frame", loss},
		{"duplication", "a DUT that sends every 100th frame twice", duplication},
		{"reordering", "a DUT that exchanges two of every 100 frames", reordering},
		{"delay", "a shaper of 10,000 pps with a queue of 200 frames: 20 ms", delay},
		{"limit-50k", "a DUT that drops what exceeds 50,000 pps", limit50k},
		{"limit-200k", "a DUT that drops what exceeds 200,000 pps", limit200k},
		{"slow-generator", "a generator that spends some 16 us on each frame", slowGenerator},
		{"slow-sink", "a sink that spends some 16 us on each frame", slowSink},
		{"busy-cpu", "a program at normal priority that keeps the DUT's CPU busy", busyCPU},
		{"stolen-cpu", "a real-time program that takes half of the DUT's CPU", stolenCPU},
	}
}
