package kernels

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/linerate/linerate/result"
)

// function finds a function of an attribution.
func function(t *testing.T, a *result.Attribution, name string) result.AttributedFunction {
	t.Helper()
	for _, f := range a.Functions {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no function %s in %+v", name, a.Functions)
	return result.AttributedFunction{}
}

func TestCountsAreExact(t *testing.T) {
	counts := map[string]int64{"ip_forward": 143_000, "veth_xmit [veth]": 126_000, "scheduler_tick": 40, "task_tick_fair": -10, "nf_hook_slow": 51}
	a := exactly(counts, 1000)
	if a.Method != result.ByPlugin || len(a.Functions) != 5 {
		t.Errorf("%+v", a)
	}
	sum, parts := 0.0, 0.0
	for _, f := range a.Functions {
		sum += f.InstructionsPerPacket
	}
	for _, p := range a.Subsystems {
		parts += p.InstructionsPerPacket
	}
	if want := 269.081; math.Abs(sum-want) > 1e-9 || math.Abs(parts-want) > 1e-9 {
		t.Errorf("functions add up to %g and parts to %g, want %g", sum, parts, want)
	}
	if f := function(t, a, "ip_forward"); f.InstructionsPerPacket != 143 || f.LowInstructions != 143 || f.HighInstructions != 143 || f.Subsystem != "IP" {
		t.Errorf("%+v", f)
	}
	if f := function(t, a, "[below 0.05 each: scheduler and timers]"); f.InstructionsPerPacket != 0.04 {
		t.Errorf("small functions %+v", f)
	}
	function(t, a, "nf_hook_slow")
}

func TestSumThatIsWrongIsADoubt(t *testing.T) {
	for _, tt := range []struct {
		measured float64
		doubt    bool
	}{{269, false}, {265, false}, {263, true}, {275, true}} {
		a := exactly(map[string]int64{"ip_forward": 143_000, "veth_xmit [veth]": 126_000}, 1000)
		warnings := check(a, tt.measured)
		if (len(warnings) == 1 && warnings[0].Code == "attribution-differs") != tt.doubt || a.Check.SumInstructions != 269 || math.Abs(a.Check.DifferenceRatio-(269/tt.measured-1)) > 1e-12 {
			t.Errorf("269 beside %g: %+v, %+v", tt.measured, a.Check, warnings)
		}
	}
}

func TestSinkOnlyOfEachFunction(t *testing.T) {
	none := exactly(map[string]int64{"veth_xmit [veth]": 63_000, "only_there": 5_000}, 1000)
	route := exactly(map[string]int64{"veth_xmit [veth]": 126_000, "ip_forward": 143_000}, 1000)
	sinkOnlyParts(route, none)
	sum := 0.0
	for _, f := range route.Functions {
		sum += f.DUTInstructions()
	}
	if sum != 269-68 {
		t.Errorf("the DUT has %g instructions, want 201", sum)
	}
	if f := function(t, route, "veth_xmit [veth]"); f.DUTInstructions() != 63 {
		t.Errorf("%+v", f)
	}
	if f := function(t, route, "only_there"); f.InstructionsPerPacket != 0 || f.DUTInstructions() != -5 {
		t.Errorf("%+v", f)
	}
	// It is done after each kernel, over all cells.
	before := len(route.Functions)
	if sinkOnlyParts(route, none); len(route.Functions) != before || function(t, route, "ip_forward").SinkOnlyInstructions != 0 {
		t.Errorf("the second time: %+v", route.Functions)
	}
}

func TestCountsAsProfile(t *testing.T) {
	dir := t.TempDir()
	counts := map[string]int64{"ip_forward": 143_000, "ip_rcv": 100_000, "scheduler_tick": -40}
	name, err := writeProfile(newStore(t, dir), "route/x", twoLevels(counts, 1000))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, s := range p.Sample {
		for _, l := range s.Location {
			text += l.Line[0].Function.Name + " "
		}
	}
	if strings.TrimSpace(text) != "ip_forward (IP) ip_rcv (IP)" || p.Sample[0].Value[0] != 143*packetsPerProfile {
		t.Errorf("%s: %s", text, p)
	}
}
