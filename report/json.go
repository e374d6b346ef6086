package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/linerate/linerate/result"
)

// JSONSchemaV1 is the value of the key schema in a JSON report.
const JSONSchemaV1 = "linerate.report/v1"

// JSON writes the run as it is stored under "run", and under "derived" what the
// other formats print, in base units: pps, bits per second, nanoseconds.
type JSON struct{}

type jsonReport struct {
	Schema  string      `json:"schema"`
	Run     *result.Run `json:"run"`
	Derived jsonDerived `json:"derived"`
}

type jsonDerived struct {
	Headline []string       `json:"headline"`
	Cells    []jsonCell     `json:"cells"`
	Warnings []warningCount `json:"warnings"`
}

type jsonCell struct {
	ID                 string         `json:"id"`
	Label              string         `json:"label"`
	MeanFrameSizeBytes float64        `json:"mean_frame_size_bytes"`
	Trials             int            `json:"trials"`
	Throughput         []jsonFigure   `json:"throughput"`
	CoresNeeded        []coresNeeded  `json:"cores_needed"`
	Warnings           []warningCount `json:"warnings"`
	// UnexplainedRatio is the share of the frames sent in the cell's ledger that no drop
	// names; null without a ledger.
	UnexplainedRatio *float64 `json:"unexplained_ratio"`
}

// jsonFigure has null rates where there is no number to print.
type jsonFigure struct {
	Goal            string   `json:"goal"`
	Relation        Relation `json:"relation"`
	PerDirectionPPS *float64 `json:"per_direction_pps"`
	TotalPPS        *float64 `json:"total_pps"`
	PerDirL1BPS     *float64 `json:"per_direction_l1_bps"`
	TotalL1BPS      *float64 `json:"total_l1_bps"`
	TrialDurationS  float64  `json:"trial_duration_s"`
	DurationSumS    float64  `json:"duration_sum_s"`
	// Verdict is that of the goal, or that of the cell where the goal has none.
	Verdict result.Verdict `json:"verdict"`
	Note    string         `json:"note,omitempty"`
}

// Write writes one indented object. Numbers above a cell's ceiling stay in the
// record under "run"; "derived" holds none.
func (JSON) Write(w io.Writer, run *result.Run, trials []result.Trial) error {
	d := digestOf(run, trials)
	r := jsonReport{Schema: JSONSchemaV1, Run: run, Derived: jsonDerived{Headline: d.Headline, Cells: []jsonCell{}, Warnings: notNil(d.Warnings)}}
	for _, c := range d.Cells {
		j := jsonCell{ID: c.ID, Label: c.Label, MeanFrameSizeBytes: c.MeanBytes, Trials: len(c.Trials),
			Throughput: []jsonFigure{}, CoresNeeded: notNil(c.Cores), Warnings: notNil(c.Warnings)}
		if c.Ledger != nil {
			ratio := c.Ledger.UnexplainedRatio()
			j.UnexplainedRatio = &ratio
		}
		if c.Unpaced != nil {
			j.Throughput = append(j.Throughput, jsonFigureOf(unpacedFigure(c.Cell)))
		}
		if c.measured() {
			for _, f := range c.Figures {
				j.Throughput = append(j.Throughput, jsonFigureOf(f))
			}
		}
		r.Derived.Cells = append(r.Derived.Cells, j)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("writing the JSON report: %w", err)
	}
	return nil
}

func jsonFigureOf(f Figure) jsonFigure {
	j := jsonFigure{Goal: f.Goal.Name, Relation: f.Relation, TrialDurationS: f.Goal.TrialDurationS, DurationSumS: f.Goal.DurationSumS, Verdict: f.Verdict, Note: f.Note}
	if f.HasNumber() {
		j.PerDirectionPPS, j.TotalPPS = &f.PerDirectionPPS, &f.TotalPPS
		j.PerDirL1BPS, j.TotalL1BPS = &f.PerDirL1BPS, &f.TotalL1BPS
	}
	return j
}

func notNil[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
