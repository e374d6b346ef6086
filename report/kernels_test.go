package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// kernelRun is a run of two kernels, one of which lacks a figure.
func kernelRun() *result.Run {
	p := plan.Default()
	p.Testbed, p.Kernels = "vm", []string{"old", "new", "broken"}
	p.Scenarios = []plan.Scenario{"none", "route"}
	run := &result.Run{Schema: result.SchemaV1, ID: "k1", Plan: p, Outcome: result.Measured, Command: []string{"linerate", "kernels"},
		Started: time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC), Testbed: result.Testbed{Kind: "vm"}}
	figures := map[string][2]float64{"old": {2668, 6350.5}, "new": {2687, 6412.5}}
	for _, name := range p.Kernels {
		k := result.Kernel{Name: name, AskedFor: name, Source: "package " + name}
		f, measured := figures[name]
		if !measured {
			k.Error = "open kernel broken: it is not a kernel"
		}
		run.Kernels = append(run.Kernels, k)
		for i, s := range []string{"none", "route"} {
			c := result.Cell{ID: s + "/ipv4/64B/1f/uni/" + name, Scenario: s, IPVersion: 4, FrameSize: 64, Flows: 1, Directions: plan.Uni, Variant: name, Kernel: name}
			if measured {
				c.InstructionsPerPacket = &result.InstructionsPerPacket{Value: f[i], SinkOnly: f[0], Min: f[i] - 1, Max: f[i] + 1, Boots: 3}
			} else {
				c.Skipped = k.Error
			}
			run.Cells = append(run.Cells, c)
		}
	}
	run.Cells[2].Attribution = &result.Attribution{Packets: 1, Samples: 100, File: "profiles/x.pb.gz",
		Subsystems: []result.AttributedPart{{Name: "IP", InstructionsPerPacket: 800, LowInstructions: 750, HighInstructions: 850}}}
	counted := func(value float64, parts ...result.AttributedFunction) *result.Attribution {
		a := &result.Attribution{Method: result.ByPlugin, Packets: 10000, File: "profiles/y.pb.gz", Functions: parts,
			Check: &result.AttributionCheck{SumInstructions: value + 2, MeasuredInstructions: value, DifferenceRatio: 2 / value}}
		for _, f := range parts {
			a.Subsystems = append(a.Subsystems, result.AttributedPart{Name: f.Subsystem, InstructionsPerPacket: f.InstructionsPerPacket, SinkOnlyInstructions: f.SinkOnlyInstructions})
		}
		return a
	}
	f := func(name, subsystem string, value, sinkOnly float64) result.AttributedFunction {
		return result.AttributedFunction{AttributedPart: result.AttributedPart{Name: name, InstructionsPerPacket: value, SinkOnlyInstructions: sinkOnly}, Subsystem: subsystem}
	}
	run.Cells[1].Attribution = counted(6350.5, f("ip_forward.isra.0", "IP", 433.96, 0), f("kfree", "packet memory", 59, 29))
	run.Cells[3].Attribution = counted(6412.5, f("ip_forward", "IP", 144, 0), f("ip_skb_dst_mtu", "route look-up (FIB)", 39, 0), f("kfree", "packet memory", 60, 30))
	run.KernelPairs = []result.KernelPair{{A: "old", B: "new", CellA: run.Cells[1].ID, CellB: run.Cells[3].ID,
		ChangeInstructions: 62, ChangeRatio: 0.00976, SinkOnlyChangeInstructions: 19, Verdict: "changed"}}
	return run
}

func TestKernelsInEveryFormat(t *testing.T) {
	run := kernelRun()
	for _, format := range Formats() {
		w, err := For(format)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := w.Write(&b, run, nil); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(b.String(), "\n", " ")
		if format == "csv" || format == "json" {
			continue
		}
		for _, want := range []string{"6,412.5", "3,725.5", "+62.0 (+0.98 %)", "800 ±50", "60.0 (30.0)", "434.0 (434.0)", "6,352.5", "+0.03 %", "+39.0", "-290.0", "+1.0", "it is not a kernel", "cache misses", "6,350.5 instructions under old"} {
			if !strings.Contains(text, want) && !strings.Contains(strings.ReplaceAll(text, "&#43;", "+"), want) {
				t.Errorf("the %s report does not have %q", format, want)
			}
		}
		for _, other := range []string{"Mpps", "Loss against load", "DUT cores"} {
			if strings.Contains(text, other) {
				t.Errorf("the %s report of kernels has %q", format, other)
			}
		}
	}
}

func TestKernelsAsCSV(t *testing.T) {
	var b bytes.Buffer
	if err := (CSV{}).Write(&b, kernelRun(), nil); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("%d rows, error %v, want a heading and 6", len(rows), err)
	}
	if got := strings.Join(rows[4][1:12], ","); got != "new,route/ipv4/64B/1f/uni/new,route,,64,1,6412.5,2687,6411.5,6413.5,3" {
		t.Errorf("row %q", got)
	}
}
