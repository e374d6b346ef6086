// Package doctor examines this machine: what the kernel and the installed tools
// allow, and how much the machine disturbs what runs on it. An examination is
// data; printing it is the business of WriteText or of a JSON encoder.
package doctor

import (
	"fmt"

	"github.com/linerate/linerate/internal/kernel"
)

// SchemaV1 is the value of Report.Schema.
const SchemaV1 = "linerate.doctor/v1"

// Status is the state of one row.
type Status string

// The values of Status.
const (
	OK      Status = "ok"
	Missing Status = "missing"
	Limited Status = "limited"
)

// Row is one thing that was examined.
type Row struct {
	Name   string      `json:"name"`
	Status Status      `json:"status"`
	Need   kernel.Need `json:"need"`
	// Detail says what was seen.
	Detail string `json:"detail"`
	// Cost says what the missing or limited thing costs, and Fix how to
	// get it. Both are empty if Status is OK, and if the thing could not be tried without root.
	Cost string `json:"cost,omitempty"`
	Fix  string `json:"fix,omitempty"`
}

// Group is a heading with its rows.
type Group struct {
	Name string `json:"name"`
	Rows []Row  `json:"rows"`
}

// Verdict is what the rows come to.
type Verdict string

// The values of Verdict.
const (
	Ready           Verdict = "ready"
	ReadyWithLimits Verdict = "ready with limits"
	NotPossible     Verdict = "not possible"
)

// Report is an examination of this machine.
type Report struct {
	Schema  string  `json:"schema"`
	Verdict Verdict `json:"verdict"`
	// Summary is the verdict as a sentence.
	Summary string  `json:"summary"`
	Groups  []Group `json:"groups"`
	// Disturbance is empty if it could not be measured.
	Disturbance []CPUDisturbance `json:"disturbance"`
}

// conclude sets the verdict. Things that are only compared with limit nothing.
func (r *Report) conclude() {
	var absent, limits int
	for _, g := range r.Groups {
		for _, row := range g.Rows {
			switch {
			case row.Status == OK || row.Need == kernel.ForComparison:
			case row.Need == kernel.ForLab && row.Status == Missing:
				absent++
			default:
				limits++
			}
		}
	}
	switch {
	case absent > 0:
		r.Verdict = NotPossible
		r.Summary = fmt.Sprintf("the lab cannot run here: it lacks %d of the things that every measurement needs", absent)
	case limits > 0:
		r.Verdict = ReadyWithLimits
		r.Summary = fmt.Sprintf("the lab can run here; rows that limit what it can measure, or how far to trust it: %d", limits)
	default:
		r.Verdict = Ready
		r.Summary = "the lab can run here, with every shipped scenario"
	}
}

// Err is nil if the lab can run, and otherwise a *kernel.MissingError that names
// all that every measurement needs and this machine lacks.
func (r Report) Err() error {
	var missing []kernel.Missing
	for _, g := range r.Groups {
		for _, row := range g.Rows {
			if row.Status == Missing && row.Need == kernel.ForLab {
				missing = append(missing, kernel.Missing{Name: row.Name, Reason: row.Detail, Cost: row.Cost, Fix: row.Fix})
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return &kernel.MissingError{Missing: missing}
}
