package main

import (
	"strings"
	"testing"
)

const searchOutput = `=== RUN   TestReferenceTable
    reference_test.go:116: 
        device                    trial s    trials       NDR error %       PDR error %  backg. | reference: s at S=5, |NDR| |PDR| error % at S=21
        hard                9.50 (  9.5)  11 (11)   -0.09 (  -0.09)   -0.09 (  -0.09)      0% | 11 s  0.10  0.10
        jitter 1 %/s       16.75 ( 33.2)  20 (38)   -0.19 (  -0.98)   +0.61 (  -1.39)      0% | 15 s  0.59  0.59
        background loss    13.50 ( 17.5)  15 (19)  -100.00 (-100.00)   -0.09 (  -0.09)    100% | 47 s   NaN   NaN
        soft knee, drawn   22.25 ( 35.0)  26 (38)   -2.25 (  -1.20)   -0.11 (  -0.49)      0% |
--- PASS: TestReferenceTable (9.36s)
`

func TestSearchTable(t *testing.T) {
	var got table
	if err := tabulateSearches(&got, searchOutput); err != nil {
		t.Fatal(err)
	}
	if len(got.rows) != 4 {
		t.Fatalf("%d rows, want 4: %v", len(got.rows), got.rows)
	}
	jitter := got.rows[1]
	for i, want := range []any{"jitter 1 %/s", 16.75, 33.2, 15.0, -0.19, -0.98, 0.59, 0.61, -1.39, 0.59} {
		if jitter[i] != want {
			t.Errorf("column %d of the jitter's row is %v, want %v", i, jitter[i], want)
		}
	}
	if background := got.rows[2]; background[4] != nil || background[6] != nil || background[7] != -0.09 {
		t.Errorf("with background loss NDR is undefined: %v", background)
	}
	slow, far := got.Targets[0], got.Targets[1]
	if slow.Met || !strings.Contains(slow.What, "3 DUTs (jitter") || abs(slow.Got-16.75/15) > 1e-9 {
		t.Errorf("trial seconds: %+v", slow)
	}
	if far.Met || far.Got != 0.61 {
		t.Errorf("errors: %+v; the last device has no reference and does not count", far)
	}
}

func TestSearchTableIsMissing(t *testing.T) {
	var got table
	err := tabulateSearches(&got, "no test files\nFAIL\n")
	if err == nil || !strings.Contains(err.Error(), "FAIL") {
		t.Errorf("error %v", err)
	}
}
