package plan

import (
	"strings"
	"testing"
)

// A parameter that is not set stays nil, so that the preset's value holds; one that
// is set to 0 does not.
func TestSimFieldsAreSetAlone(t *testing.T) {
	p, err := Parse("p.yaml", []byte("testbed: sim\nsim: {jitter: 0, queue_frames: 12}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Sim; s.Jitter == nil || *s.Jitter != 0 || s.QueueFrames == nil || *s.QueueFrames != 12 || s.Knee != nil || s.CapacityPPS != nil || s.Preset != "" {
		t.Errorf("got %+v", s)
	}
	before := p
	if err := p.Set([]string{"sim.preset=knee", "sim.knee=2%", "sim.queue_frames=7"}); err != nil {
		t.Fatal(err)
	}
	if s := p.Sim; s.Preset != "knee" || *s.Knee != 0.02 || *s.QueueFrames != 7 || *s.Jitter != 0 {
		t.Errorf("got %+v", s)
	}
	if *before.Sim.QueueFrames != 12 || before.Sim.Knee != nil {
		t.Errorf("setting a copy changed the plan that it was made from: %+v", before.Sim)
	}
}

func TestSimProblemsHaveAPlace(t *testing.T) {
	const file = `testbed: sim
sim:
  preset: soft
  capacity_pps: 0
  queue_frames: -1
  knee: 1.5
  jitter: 1
  background_loss: -1%
  glitch_probability: 101%
  collapse: 2
  max_load_pps: 1e12
  seed: 1.5
  speed: 3
`
	_, err := Parse("p.yaml", []byte(file))
	if err == nil {
		t.Fatal("a plan of which nothing is right was taken")
	}
	lines := strings.Split(err.Error(), "\n")
	want := []string{
		`p.yaml:3:11: sim.preset: "soft" is not known`, "p.yaml:4:17: sim.capacity_pps: 0 is out of range", "p.yaml:5:17: sim.queue_frames: -1 is out of range",
		"p.yaml:6:9: sim.knee: 1.5 is out of range: 0 to 1; if percent is meant, write 1.5%", "p.yaml:7:11: sim.jitter: 1 is out of range: at least 0 and below 1",
		"p.yaml:8:20: sim.background_loss: -0.01 is out of range", "p.yaml:9:23: sim.glitch_probability: 1.01 is out of range: 0 to 1",
		"p.yaml:10:13: sim.collapse: 2 is out of range", "p.yaml:11:17: sim.max_load_pps: 1,000,000,000,000 is out of range",
		`p.yaml:12:9: sim.seed: "1.5" is not a whole number`, "p.yaml:13:3: sim.speed: unknown field",
	}
	if len(lines) != len(want) {
		t.Errorf("%d problems, want %d:\n%v", len(lines), len(want), err)
	}
	for i := range min(len(lines), len(want)) {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("got  %s\nwant %s", lines[i], want[i])
		}
	}
}
