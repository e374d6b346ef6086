package plan

import (
	"strings"
	"testing"
)

func TestBadTests(t *testing.T) {
	for set, want := range map[string]string{
		"tests=throughput,latencey":         `tests[1]: "latencey" is not known`,
		"tests=system-recovery":             "add throughput to the list",
		"tests=throughput,throughput":       "is the same as tests[0]",
		"tests=":                            "at least one test",
		"frame_loss_rate.step=20%":          "0.1% to 10%",
		"back_to_back.max_frames=0":         "out of range",
		"back_to_back.step_frames=10000000": "out of range",
		"capture.frames=-1":                 "out of range",
		"system_recovery.repeats=0":         "out of range",
	} {
		p := Default()
		if err := p.Set([]string{set}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", set, err, want)
		}
	}
}
