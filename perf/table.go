package main

import (
	"encoding/json"
	"fmt"
)

// table is what one line of the benchmarks found.
type table struct {
	Name string `json:"name"`
	// Compared says what is compared, and how.
	Compared string `json:"compared"`
	// Wanted says what the figures should be.
	Wanted  string `json:"wanted"`
	columns []column
	rows    [][]any
	Notes   []string `json:"notes"`
	Targets []target `json:"targets"`
	// Error is why the line was broken off; what was measured until then is kept.
	Error string `json:"error,omitempty"`
}

// column is one column of a table. Its key carries the unit, for programs.
type column struct {
	title, key string
	// format is the verb that a value is printed with; nil is printed as "-".
	format string
}

func (t *table) add(row ...any) { t.rows = append(t.rows, row) }

func (t *table) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

func (t *table) want(w target) { t.Targets = append(t.Targets, w) }

// MarshalJSON writes the rows as objects.
func (t *table) MarshalJSON() ([]byte, error) {
	type plain table // without this method
	rows := make([]map[string]any, 0, len(t.rows))
	for _, r := range t.rows {
		object := map[string]any{}
		for i, c := range t.columns {
			object[c.key] = r[i]
		}
		rows = append(rows, object)
	}
	p := plain(*t)
	if p.Notes == nil {
		p.Notes = []string{}
	}
	if p.Targets == nil {
		p.Targets = []target{}
	}
	return json.Marshal(struct {
		*plain
		Rows []map[string]any `json:"rows"`
	}{&p, rows})
}

// target is one figure that should be on one side of a bound.
type target struct {
	What  string  `json:"what"`
	Got   float64 `json:"got"`
	Bound float64 `json:"bound"`
	// AtLeast tells that the bound is the least that is wanted, else it is the most.
	AtLeast bool `json:"at_least"`
	// Unit is written behind the figures.
	Unit string `json:"unit"`
	// Unmeasured is why there is no figure.
	Unmeasured string `json:"unmeasured,omitempty"`
	Met        bool   `json:"met"`
}

func atLeast(what string, got, bound float64, unit string) target {
	return target{What: what, Got: got, Bound: bound, AtLeast: true, Unit: unit, Met: got >= bound}
}

func atMost(what string, got, bound float64, unit string) target {
	return target{What: what, Got: got, Bound: bound, Unit: unit, Met: got <= bound}
}

func unmeasured(what, reason string) target { return target{What: what, Unmeasured: reason} }

// String is one sentence that ends with met, or with missed and by how much.
func (t target) String() string {
	if t.Unmeasured != "" {
		return fmt.Sprintf("%s: not measured, %s", t.What, t.Unmeasured)
	}
	side := "at most"
	if t.AtLeast {
		side = "at least"
	}
	verdict := "met"
	if !t.Met {
		verdict = fmt.Sprintf("missed by %.3g%s", abs(t.Got-t.Bound), t.Unit)
	}
	return fmt.Sprintf("%s: %.3g%s, wanted %s %g%s: %s", t.What, t.Got, t.Unit, side, t.Bound, t.Unit, verdict)
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}
