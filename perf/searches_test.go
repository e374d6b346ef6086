package main

import (
	"strings"
	"testing"
)

const searchRows = `{"dut":"hard","search":"linerate, S=5 s","searches":1,"median_trial_seconds":9.5,"worst_trial_seconds":9.5,"ndr_error_percent":-0.1,"worst_ndr_error_percent":-0.1,"pdr_error_percent":-0.12,"worst_pdr_error_percent":-0.12}
{"dut":"background loss","search":"linerate, S=5 s","searches":50,"median_trial_seconds":13.5,"worst_trial_seconds":17.5,"ndr_error_percent":-100,"worst_ndr_error_percent":-100,"pdr_error_percent":0.61,"worst_pdr_error_percent":0.7,"background":true}
{"dut":"hard","search":"MLRsearch, S=5 s","searches":1,"median_trial_seconds":9,"worst_trial_seconds":9,"ndr_error_percent":-0.2,"worst_ndr_error_percent":-0.2,"pdr_error_percent":-0.2,"worst_pdr_error_percent":-0.2}
{"dut":"hard","search":"MLRsearch, S=21 s","searches":1,"median_trial_seconds":35,"worst_trial_seconds":35,"ndr_error_percent":-0.2,"worst_ndr_error_percent":-0.2,"pdr_error_percent":-0.1,"worst_pdr_error_percent":-0.15}
{"dut":"background loss","search":"published, S=21 s","searches":0,"median_trial_seconds":172,"worst_trial_seconds":null,"ndr_error_percent":null,"worst_ndr_error_percent":null,"pdr_error_percent":null,"worst_pdr_error_percent":null,"background":true}
`

func TestReadSearches(t *testing.T) {
	list, err := readSearches([]byte(searchRows))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, r := range list {
		order = append(order, r.DUT+": "+r.Search)
	}
	want := "hard: linerate, S=5 s; hard: MLRsearch, S=5 s; hard: MLRsearch, S=21 s; background loss: linerate, S=5 s; background loss: published, S=21 s"
	if got := strings.Join(order, "; "); got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	if r := list[3]; r.NDR != nil || r.PDR == nil || *r.PDR != 0.61 {
		t.Errorf("with background loss NDR is undefined: %+v", r)
	}
	if _, err := readSearches([]byte(`{"dut":"hard"}{`)); err == nil {
		t.Error("a broken row was read")
	}
}

func TestSearchTargets(t *testing.T) {
	list, err := readSearches([]byte(searchRows))
	if err != nil {
		t.Fatal(err)
	}
	var got table
	got.wantSearches(list)
	seconds, median, worst, wide := got.Targets[0], got.Targets[1], got.Targets[2], got.Targets[3]
	if seconds.Met || abs(seconds.Got-9.5/9) > 1e-9 || !strings.Contains(seconds.What, "of 1 (hard)") {
		t.Errorf("trial seconds: %+v", seconds)
	}
	if median.Met || abs(median.Got-0.02) > 1e-9 || !strings.Contains(median.What, "of 2 (PDR of hard)") {
		t.Errorf("median errors: %+v", median)
	}
	if !worst.Met || abs(worst.Got+0.03) > 1e-9 {
		t.Errorf("worst errors: %+v", worst)
	}
	if wide.Met || wide.Got != 0.61 || !strings.Contains(wide.What, "of 3 (PDR of background loss)") {
		t.Errorf("the width: %+v", wide)
	}
	var alone table
	alone.wantSearches(list[:1])
	for _, w := range alone.Targets[:3] {
		if w.Unmeasured == "" || w.Met {
			t.Errorf("without MLRsearch: %+v", w)
		}
	}
	if !alone.Targets[3].Met {
		t.Errorf("the width: %+v", alone.Targets[3])
	}
}

func TestWithoutReference(t *testing.T) {
	const out = "    differential_test.go:226: this test needs the PyPI package MLRsearch 1.2.1: stat ../bin/python/MLRsearch: no such file or directory: run make setup-test\n--- SKIP\n"
	m := withoutReference.FindStringSubmatch(out)
	if m == nil || m[1] != "stat ../bin/python/MLRsearch: no such file or directory: run make setup-test" {
		t.Errorf("the reason is %q", m)
	}
}
