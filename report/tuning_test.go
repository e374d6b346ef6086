package report

import (
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// tuningRun has one device with two values of each knob, whose receiver lost a frame once.
func tuningRun() *result.Run {
	cell := func(clone, burst int, instructions float64, received int) result.Cell {
		return result.Cell{
			ID: "c", Scenario: "none", FrameSize: 64, Flows: 1, Kernel: "6.1", Engine: "pktgen",
			Tuning:                &result.Tuning{Device: plan.DeviceCard, CloneSKB: clone, Burst: burst, SentFrames: 3200, ReceivedFrames: received, ReceivedIPPackets: received, ResultPPS: 1e9 / instructions},
			InstructionsPerPacket: &result.InstructionsPerPacket{Value: instructions, Min: instructions, Max: instructions, Boots: 1},
		}
	}
	p := plan.Default()
	p.Testbed = "vm"
	return &result.Run{
		Schema: result.SchemaV1, ID: "t", Plan: p, Outcome: result.Measured, Kernels: []result.Kernel{{Name: "6.1"}},
		Cells: []result.Cell{cell(0, 1, 8000, 3200), cell(10, 1, 6000, 3199), cell(0, 32, 4000, 3200)},
	}
}

func TestTuning(t *testing.T) {
	d := digest{Run: tuningRun()}
	s := tuningSections(d)
	if len(s) != 2 || len(s[0].Rows) != 3 || len(s[1].Rows) != 3 || s[0].Graph == nil {
		t.Fatalf("sections %+v", s)
	}
	for i, want := range []string{"10|6,000.0|75 %||166,667|3,200|3,199|3,199", "32|4,000.0|50 %||250,000|3,200|3,200|3,200"} {
		if got := strings.Join(s[i].Rows[2], "|"); got != want {
			t.Errorf("row %q, want %q", got, want)
		}
	}
	head := strings.Join(tuningHeadline(d), "\n")
	for _, want := range []string{"with clone_skb 10 a frame costs 6,000.0 instructions, 75 % of the 8,000.0", "with burst 32", "The receiver did not count 1 frame of pktgen's Result lines."} {
		if !strings.Contains(head, want) {
			t.Errorf("%q does not say %q", head, want)
		}
	}
}
