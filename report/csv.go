package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// CSV writes one row for each cell and goal, for each stream of a cell of streams, and one of
// "received" for a cell whose engine cannot be paced. Headings carry the unit; relation
// says how a rate is to be read: exact, at-least, below, undefined, none, skipped.
type CSV struct{}

var csvHeadings = slices.Concat([]string{
	"run_id", "cell", "scenario", "backend", "ip_version", "frame_size_bytes", "mean_frame_size_bytes", "flows", "directions",
	"goal", "loss_ratio", "trial_duration_s", "duration_sum_s", "relation",
	"throughput_pps_per_direction", "throughput_mpps_per_direction", "throughput_mpps_total", "l1_gbit_per_s_per_direction", "l1_gbit_per_s_total",
	"ceiling_pps_per_direction", "dut_cores_busy", "ns_per_packet", "cores_for_1_mpps", "cores_for_10_gbit_per_s_one_direction",
	"latency_p50_ns", "latency_p99_ns", "latency_p999_ns", "latency_max_ns",
	"verdict", "trials", "trial_seconds", "regular", "warnings", "note",
}, csvStreamHeadings, []string{"sent_pps_per_direction", "testbed"})

// Write writes the rows in the order of the run's cells.
func (CSV) Write(w io.Writer, run *result.Run, trials []result.Trial) error {
	if ofKernels(run) {
		return kernelCSV(w, run)
	}
	out := csv.NewWriter(w)
	out.Write(csvHeadings)
	for _, c := range digestOf(run, trials).Cells {
		if c.Workload != "" {
			out.WriteAll(csvStreamRows(run, c))
			continue
		}
		if !c.measured() {
			out.Write(csvRow(run, c, Figure{}))
			continue
		}
		if c.Unpaced != nil {
			out.Write(csvUnpaced(run, c))
		}
		for _, f := range c.Figures {
			out.Write(csvRow(run, c, f))
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("writing the CSV report: %w", err)
	}
	return nil
}

func csvRow(run *result.Run, c cell, f Figure) []string {
	row := csvCell(run, c)
	if !c.measured() {
		row["relation"], row["note"] = "skipped", c.Skipped
	} else {
		csvFigure(row, c, f)
	}
	return csvCells(row)
}

// csvCell is what all rows of a cell have.
func csvCell(run *result.Run, c cell) map[string]string {
	return map[string]string{
		"run_id": run.ID, "testbed": run.Testbed.Kind, "cell": c.ID, "scenario": c.Scenario, "backend": c.Backend, "ip_version": strconv.Itoa(c.IPVersion),
		"frame_size_bytes": csvFrameSize(c.FrameSize), "mean_frame_size_bytes": csvNumber(c.MeanBytes),
		"flows": strconv.Itoa(c.Flows), "directions": string(c.Directions), "verdict": c.verdict(),
	}
}

// csvCells are the values of a row in the order of the headings.
func csvCells(row map[string]string) []string {
	cells := make([]string, len(csvHeadings))
	for i, h := range csvHeadings {
		cells[i] = notAFormula(row[h])
	}
	return cells
}

func csvFigure(row map[string]string, c cell, f Figure) {
	warnings := 0
	for _, w := range c.Warnings {
		warnings += w.Count
	}
	g := f.Goal
	if f.Verdict != "" {
		row["verdict"] = string(f.Verdict)
	}
	row["goal"], row["loss_ratio"] = g.Name, csvNumber(g.LossRatio)
	row["trial_duration_s"], row["duration_sum_s"] = csvNumber(g.TrialDurationS), csvNumber(g.DurationSumS)
	row["relation"], row["note"] = string(f.Relation), f.Note
	row["trials"], row["trial_seconds"], row["regular"] = strconv.Itoa(g.Trials), csvNumber(g.TrialSeconds), strconv.FormatBool(g.Regular)
	row["warnings"], row["ceiling_pps_per_direction"] = strconv.Itoa(warnings), csvNumber(c.CeilingPPS)
	if f.HasNumber() {
		row["throughput_pps_per_direction"] = csvNumber(f.PerDirectionPPS)
		row["throughput_mpps_per_direction"], row["throughput_mpps_total"] = csvNumber(f.PerDirectionPPS/1e6), csvNumber(f.TotalPPS/1e6)
		row["l1_gbit_per_s_per_direction"], row["l1_gbit_per_s_total"] = csvNumber(f.PerDirL1BPS/1e9), csvNumber(f.TotalL1BPS/1e9)
	}
	if c.CPU != nil {
		row["dut_cores_busy"], row["ns_per_packet"] = csvNumber(c.CPU.DUTCoresBusy), csvNumber(c.CPU.NSPerPacket)
	}
	for _, n := range c.Cores {
		switch n.Rate {
		case "1 Mpps":
			row["cores_for_1_mpps"] = csvNumber(n.Cores)
		case "10 Gbit/s":
			row["cores_for_10_gbit_per_s_one_direction"] = csvNumber(n.Cores)
		}
	}
	if l := c.Latency; l != nil {
		row["latency_p50_ns"], row["latency_p99_ns"] = strconv.FormatUint(l.P50NS, 10), strconv.FormatUint(l.P99NS, 10)
		row["latency_p999_ns"], row["latency_max_ns"] = strconv.FormatUint(l.P999NS, 10), strconv.FormatUint(l.MaxNS, 10)
	}
}

func csvFrameSize(s plan.FrameSize) string {
	if s == plan.IMIX {
		return "imix"
	}
	return strconv.Itoa(int(s))
}

// csvNumber keeps six digits, without an exponent.
func csvNumber(v float64) string {
	g := strconv.FormatFloat(v, 'g', 6, 64)
	rounded, err := strconv.ParseFloat(g, 64)
	if err != nil {
		return g
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// notAFormula keeps a spreadsheet from running a text of the record.
func notAFormula(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
