package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator/afxdp"
	"github.com/linerate/linerate/generator/pktgen"
	"github.com/linerate/linerate/generator/testpmd"
	"github.com/linerate/linerate/generator/xdp"
	"github.com/linerate/linerate/plan"
)

// TestPlanKnowsEveryEngine holds the table of the plan and the engines to agree.
func TestPlanKnowsEveryEngine(t *testing.T) {
	var planned []string
	for _, e := range plan.Engines() {
		planned = append(planned, e.Name)
		if e.Description == "" || e.MaxFrameBytes < frame.MinSizeBytes(4) {
			t.Errorf("engine %s: description %q, frames up to %d bytes", e.Name, e.Description, e.MaxFrameBytes)
		}
	}
	slices.Sort(planned)
	if have := slices.Sorted(maps.Keys(openers)); !slices.Equal(have, planned) {
		t.Errorf("the plan knows the engines %v, there are %v", planned, have)
	}
	for name, most := range map[string]int{"xdp": xdp.MaxFrameBytes, "afxdp": afxdp.MaxFrameBytes, "pktgen": pktgen.MaxFrameBytes, "testpmd": testpmd.MaxFrameBytes} {
		if e, _ := plan.EngineNamed(name); e.MaxFrameBytes != most {
			t.Errorf("the plan lets engine %s send %d bytes, it sends %d", name, e.MaxFrameBytes, most)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, tt := range []struct {
		name  string
		sizes frame.Sizes
		want  string
	}{
		{"auto", frame.Sizes{64}, "xdp"},
		{"auto", frame.Sizes{64, 3200}, "xdp"},
		{"auto", frame.Sizes{3201, 64}, "afpacket"},
		{"auto", frame.Sizes{9018}, "afpacket"},
		{"afpacket", frame.Sizes{64}, "afpacket"},
		{"xdp", frame.Sizes{9018}, "xdp"}, // which says itself that it cannot
	} {
		if got := Choose(tt.name, tt.sizes); got != tt.want {
			t.Errorf("engine %s for %v: %s, want %s", tt.name, tt.sizes, got, tt.want)
		}
	}
}

func TestUnknownEngine(t *testing.T) {
	if _, err := Open("dpdk", Config{}); err == nil || !strings.Contains(err.Error(), plan.EngineList()) {
		t.Errorf("an engine that does not exist: %v", err)
	}
}
