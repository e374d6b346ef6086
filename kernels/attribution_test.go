package kernels

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/linerate/linerate/kernels/guest"
)

func TestAttributionAddsUp(t *testing.T) {
	even := func(n int) []int {
		counts := make([]int, guest.Groups)
		for i := range counts {
			counts[i] = n
		}
		return counts
	}
	p := &guest.Profile{Packets: 1000, Samples: 10 * guest.Groups,
		Names:  []string{"ip_forward", "veth_xmit [veth]", "nf_conntrack_in [nf_conntrack]", "process_backlog"},
		Stacks: [][]int{{0, 3}, {1, 0, 3}, {2, 3}, {0}}, Counts: [][]int{even(2), even(5), even(1), even(2)}}
	c := counted("k", 6000)
	a := attribute(p, c.InstructionsPerPacket.Value)
	sum := 0.0
	for _, f := range a.Functions {
		sum += f.InstructionsPerPacket
	}
	if math.Abs(sum-6000) > 1 {
		t.Errorf("the functions add up to %g, want 6000", sum)
	}
	if f := a.Functions[0]; f.Name != "veth_xmit [veth]" || f.Subsystem != "driver (veth)" || f.InstructionsPerPacket != 3000 || f.LowInstructions != 3000 {
		t.Errorf("first function %+v", f)
	}
	if s := a.Subsystems[2]; s.Name != "connection tracking" || s.InstructionsPerPacket != 600 {
		t.Errorf("third subsystem %+v", s)
	}
	dir := t.TempDir()
	name, err := writeProfile(newStore(t, dir), c.ID, sampledCalls(p, c.InstructionsPerPacket.Value))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, s := range read.Sample {
		total += s.Value[0]
	}
	if total != 6000*packetsPerProfile {
		t.Errorf("the profile has %d instructions of %d packets", total, packetsPerProfile)
	}
	if leaf := read.Sample[1].Location[0].Line[0].Function.Name; leaf != "veth_xmit [veth]" {
		t.Errorf("innermost function %q", leaf)
	}
}

func TestIntervalIsThatOfTheScatter(t *testing.T) {
	counts, all := make([]float64, guest.Groups), make([]float64, guest.Groups)
	for i := range counts {
		counts[i], all[i] = float64(10+5*(i%3-1)), 100
	}
	p := part("f", counts, all, 1000)
	if p.InstructionsPerPacket != 100 || p.LowInstructions > 80 || p.LowInstructions < 70 || p.HighInstructions < 120 || p.HighInstructions > 130 {
		t.Errorf("%+v, want about 100 ± 23", p)
	}
}
