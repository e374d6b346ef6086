package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/linerate/linerate/report"
	"github.com/linerate/linerate/result"
)

// figure is the throughput of a cell for one goal, as every report prints it.
type figure struct {
	Goal string `json:"goal"`
	// Relation says how PPS is to be read: exact, at-least, below, undefined, none.
	Relation string `json:"relation"`
	// PPS is per direction; nil where there is no number.
	PPS *float64 `json:"per_direction_pps"`
}

type figures []figure

// figuresOf takes the figures from the JSON report of the cell: whether a bound may
// be printed as a throughput is judged in one place, the reports.
func figuresOf(c result.Cell) (figures, error) {
	var b bytes.Buffer
	if err := (report.JSON{}).Write(&b, &result.Run{Cells: []result.Cell{c}}, nil); err != nil {
		return nil, err
	}
	var r struct {
		Derived struct {
			Cells []struct {
				Throughput figures `json:"throughput"`
			} `json:"cells"`
		} `json:"derived"`
	}
	if err := json.Unmarshal(b.Bytes(), &r); err != nil {
		return nil, fmt.Errorf("read the figures of cell %s: %w", c.ID, err)
	}
	if len(r.Derived.Cells) != 1 {
		return nil, fmt.Errorf("read the figures of cell %s: its report has %d cells", c.ID, len(r.Derived.Cells))
	}
	return r.Derived.Cells[0].Throughput, nil
}

// of is the figure for a goal; one without a number if there is none.
func (fs figures) of(goal string) figure {
	for _, f := range fs {
		if f.Goal == goal {
			return f
		}
	}
	return figure{Goal: goal, Relation: "none"}
}

// reaches tells whether the device was seen to carry at least pps.
func (f figure) reaches(pps float64) bool {
	return f.PPS != nil && (f.Relation == "exact" || f.Relation == "at-least") && *f.PPS >= pps
}

// String is the figure in Mpps: "0.612 Mpps", ">= 3.100 Mpps", "undefined".
func (f figure) String() string {
	if f.PPS == nil {
		if f.Relation == "undefined" {
			return "undefined"
		}
		return "not found"
	}
	sign := map[string]string{"at-least": ">= ", "below": "< "}[f.Relation]
	return sign + mpps(*f.PPS)
}
