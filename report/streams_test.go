package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// streamsRun has a bridge and a router with two streams each, and a cell that was skipped.
func streamsRun() *result.Run {
	cell := func(scenario string, verdict result.Verdict, gbit ...float64) result.Cell {
		c := result.Cell{ID: scenario + "/ipv4/iperf3-tcp/2streams", Scenario: scenario, IPVersion: 4, FrameSize: 1518, Flows: 2, Directions: plan.Uni, Verdict: verdict}
		c.Workload = "iperf3-tcp"
		for _, g := range gbit {
			again := uint64(7)
			c.Streams = append(c.Streams, result.Stream{ReceiverL4BPS: g * 1e9, Retransmits: &again})
		}
		if len(gbit) == 0 {
			c.Skipped = "iperf3 reports: the server is busy"
			return c
		}
		c.AddUp()
		c.Evidence = []string{"the reason of " + scenario}
		c.Ends = &result.EndHosts{ClientCPUs: []int{0}, ServerCPUs: []int{2}, ClientCoresBusy: 0.5, ServerCoresBusy: 0.25, Threads: 1, Offloads: "off", Program: "iperf 3.12"}
		c.CPU = &result.CPU{DUTCoresBusy: 0.75}
		c.DirectL4BPS = 9e9
		return c
	}
	p := plan.Default()
	p.Workload, p.Scenarios, p.BaseScenario = plan.WorkloadIPerf3, []plan.Scenario{"bridge", "route", "snat"}, "bridge"
	run := &result.Run{ID: "r", Outcome: result.Measured, Plan: p, Cells: []result.Cell{cell("route", result.DUTBound, 2, 1), cell("bridge", result.GeneratorBound, 3, 3), cell("snat", "")}}
	run.Cells[0].BaseRatio, run.Cells[1].BaseRatio = 0.5, 1
	return run
}

func TestStreamsInEveryFormat(t *testing.T) {
	run := streamsRun()
	for format, wanted := range map[string][]string{
		"text":     {"2.000 1.000", "3.000", "0.50", "0.90", "dut-bound", "generator-bound", "snat, iperf3 TCP, 2 streams was skipped: iperf3 reports: the server is busy", "In 1 of 2 cells the end hosts were the limit"},
		"markdown": {"2.000 1.000", "| 0.50 |", "the reason of bridge", "offloads for checksums and segmentation were off"},
		"html":     {`class="stream0"`, `class="stream1"`, "3.000 (0.50 times)", "6.000 (1.00 times), end hosts the limit", "without a device: 9.000 Gbit/s", "skipped"},
		"json":     {`"total_receiver_l4_bps": 3000000000`, `"jain_index": 0.9`, `"retransmits": 7`},
	} {
		w, err := For(format)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := w.Write(&b, run, nil); err != nil {
			t.Fatal(err)
		}
		for _, text := range wanted {
			if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), text) {
				t.Errorf("the %s report does not say %q", format, text)
			}
		}
		if format == "text" && strings.Contains(b.String(), "Mpps") {
			t.Error("a run of streams speaks of frames:\n" + b.String())
		}
	}
}

func TestStreamsAsCSV(t *testing.T) {
	var b bytes.Buffer
	if err := (CSV{}).Write(&b, streamsRun(), nil); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	var got []string
	for _, r := range rows[1:] {
		got = append(got, strings.Join([]string{r[column["scenario"]], r[column["stream"]], r[column["receiver_l4_bps"]], r[column["base_ratio"]], r[column["relation"]]}, " "))
	}
	want := []string{"route 1 2000000000  ", "route 2 1000000000  ", "route total 3000000000 0.5 ", "bridge 1 3000000000  ", "bridge 2 3000000000  ", "bridge total 6000000000 1 ", "snat total   skipped"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
