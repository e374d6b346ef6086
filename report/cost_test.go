package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/linerate/linerate/attribution"
	"github.com/linerate/linerate/result"
)

// costOf is a cost of functions with the nanoseconds given, each below napi_poll in a thread.
func costOf(busyNS float64, functions map[string]float64) *result.Cost {
	c := &result.Cost{LoadPPS: 1e6, Goal: "PDR", DurationS: 10, FrequencyHz: 3989, Packets: 10_000_000, Samples: 39000, ExpectedSamples: 39890, BusyNSPerPacket: busyNS, SearchNSPerPacket: busyNS - 9,
		Others: []result.CPUShare{{Name: "sink", Share: 0.25}}, File: "profiles/x.pb.gz"}
	parts := map[string]*result.CostPart{}
	poll := result.CallNode{Name: "napi_threaded_poll", Share: 1}
	for _, ns := range functions {
		c.SampledNSPerPacket += ns
	}
	for name, ns := range functions {
		p := result.CostPart{Name: name, NSPerPacket: ns, LowNSPerPacket: ns - 2, HighNSPerPacket: ns + 2, Samples: int(ns * 40)}
		part := attribution.Subsystem(name)
		c.Functions = append(c.Functions, result.CostFunction{CostPart: p, Subsystem: part})
		if parts[part] == nil {
			parts[part] = &result.CostPart{Name: part}
		}
		parts[part].NSPerPacket += ns
		parts[part].LowNSPerPacket += ns - 2
		parts[part].HighNSPerPacket += ns + 2
		c.DUTSamples += p.Samples
		poll.Calls = append(poll.Calls, result.CallNode{Name: name, Share: ns / c.SampledNSPerPacket})
	}
	for _, p := range parts {
		c.Subsystems = append(c.Subsystems, *p)
	}
	c.LowNSPerPacket, c.HighNSPerPacket = c.SampledNSPerPacket-8, c.SampledNSPerPacket+8
	c.DifferenceRatio = c.SampledNSPerPacket/busyNS - 1
	c.Calls = []result.CallNode{{Name: "ret_from_fork_asm", Share: 1, Calls: []result.CallNode{{Name: "kthread", Share: 1, Calls: []result.CallNode{poll}}}}}
	return c
}

func costRun() (*result.Run, []result.Trial) {
	run, trials := fixture()
	run.Cells[0].Cost = costOf(440, map[string]float64{"ip_forward": 300, "veth_poll": 150.5})
	run.Cells[1].Scenario, run.Cells[1].Flows = "conntrack", run.Cells[0].Flows
	run.Cells[1].Cost = costOf(700, map[string]float64{"ip_forward": 303, "veth_poll": 151, "nf_conntrack_in": 250})
	return run, trials
}

func TestCostInEveryFormat(t *testing.T) {
	run, trials := costRun()
	for _, format := range []string{"text", "markdown", "html"} {
		w, err := For(format)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := w.Write(&b, run, trials); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "&#43;", "+")), " ")
		for _, want := range []string{"Where the CPU time of a packet goes", "300 ±2.0", "connection tracking", "+2.4 %", "sink 25 %", "450 ±8.0"} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s report does not have %q", format, want)
			}
		}
	}
}

// TestFlameWidths: boxes are as wide as their shares, within those that call them, and the
// start of the kernel thread is left out.
func TestFlameWidths(t *testing.T) {
	run, trials := costRun()
	cells := digestOf(run, trials).Cells
	f := costFlame(cells[1], "x")
	widths := map[string]float64{}
	for _, b := range f.Boxes {
		widths[b.Label] = b.Width
		if b.X < -1e-6 || b.X+b.Width > 100+1e-6 {
			t.Errorf("%s is from %g to %g %%", b.Label, b.X, b.X+b.Width)
		}
	}
	if math.Abs(widths["ip_forward"]-100*303/704) > 0.1 || math.Abs(widths["nf_conntrack_in"]-100*250/704.0) > 0.1 {
		t.Errorf("widths %v", widths)
	}
	if _, there := widths["kthread"]; there || len(f.Boxes) != 4 {
		t.Errorf("boxes %+v", f.Boxes)
	}
}

// TestChangeFlame: a function that only one cell has is dearer, one that differs within the
// intervals is the same.
func TestChangeFlame(t *testing.T) {
	run, trials := costRun()
	cells := digestOf(run, trials).Cells[:2]
	flames := costFlames(cells, cells[0], "cost")
	if len(flames) != 3 {
		t.Fatalf("%d flame graphs", len(flames))
	}
	classes := map[string]string{}
	for _, b := range flames[2].Boxes {
		classes[b.Label] = b.Class
	}
	for label, want := range map[string]string{"nf_conntrack_in +250": "change-dearer-3", "connection tracking +250": "change-dearer-3", "ip_forward": "change-same", "veth_poll": "change-same"} {
		if classes[label] != want {
			t.Errorf("%s is %q, want %q: %v", label, classes[label], want, classes)
		}
	}
	back := changeFlame("x", "x", "b", "a", functionChanges(functionNS(cells[1].Cost), functionNS(cells[0].Cost)), sureOfCost(cells[1].Cost, cells[0].Cost), changeUnit{"ns", nsText})
	if i := len(back.Boxes); i == 0 || !strings.Contains(back.Boxes[0].Label, "704 to 450 ns") {
		t.Errorf("root %+v", back.Boxes)
	}
	cheaper := 0
	for _, b := range back.Boxes {
		if b.Class == "change-cheaper-3" && strings.Contains(b.Label, "-250") {
			cheaper++
		}
	}
	if cheaper != 2 {
		t.Errorf("%d boxes are cheaper by 250", cheaper)
	}
}

// TestEverySubsystemHasItsColour, or is the grey of those that fit none.
func TestEverySubsystemHasItsColour(t *testing.T) {
	css, err := htmlFiles.ReadFile("html/flame.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(attribution.Subsystems(), attribution.Other) {
		if !strings.Contains(string(css), "."+subsystemClass(name)+" ") && !strings.Contains(string(css), "."+subsystemClass(name)+",") {
			t.Errorf("html/flame.css has no colour for %s, .%s", name, subsystemClass(name))
		}
	}
}
