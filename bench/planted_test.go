package bench

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// slow is a throttle that makes 20,000 frames per second or so the most.
const slow = 4096

// quickPDR are goals that a search decides in a few seconds.
func quickPDR() []plan.Goal {
	return []plan.Goal{{Name: "PDR", LossRatio: 0.005, ExceedRatio: 0.5, TrialDuration: plan.Duration(500 * time.Millisecond), DurationSum: plan.Duration(time.Second), Width: 0.05}}
}

// TestSlowTesterIsNamed throttles one end of the tester, from the calibration on or
// only after it, and requires that the tester is blamed and not the DUT.
func TestSlowTesterIsNamed(t *testing.T) {
	sinks := func(s Station) error {
		for _, k := range s.Sinks {
			if err := k.Throttle(slow); err != nil {
				return err
			}
		}
		return nil
	}
	generator := func(s Station) error {
		s.Generator.Throttle = slow
		return nil
	}
	later := func(plant func(Station) error) func(Station) error {
		return func(s Station) error {
			if s.Cell.Scenario == "none" {
				return nil
			}
			return plant(s)
		}
	}
	tests := []struct {
		name     string
		plant    func(Station) error
		want     result.Verdict
		evidence string
	}{
		{"a slow sink", sinks, result.ReceiverBound, "the sink"},
		{"a sink that is slow only with a DUT", later(sinks), result.ReceiverBound, "the sink"},
		{"a slow generator", generator, result.GeneratorBound, "generator"},
		{"a generator that is slow only with a DUT", later(generator), result.GeneratorBound, "could not offer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			testenv.NeedRoot(t)
			p := plan.Default()
			p.Search.Goals = quickPDR()
			p.Search.MaxTrialTime = plan.Duration(12 * time.Second)
			p.Traffic.Flows = []int{10}
			run, err := Run(t.Context(), Options{Plan: p, Out: filepath.Join(t.TempDir(), "run"), JournalDir: t.TempDir(), Events: &listener{t: t}, Plant: tt.plant})
			if err != nil {
				t.Fatal(err)
			}
			c := run.Cells[0]
			t.Logf("ceiling %.0f pps (%s), PDR %.0f to %.0f pps, %s: %q", c.CeilingPPS, c.CeilingBound, c.Goals[0].LowerPPS, c.Goals[0].UpperPPS, c.Verdict, c.Evidence)
			if c.Verdict != tt.want || !strings.Contains(strings.Join(c.Evidence, "; "), tt.evidence) {
				t.Errorf("verdict %s, %q; want %s with %q", c.Verdict, c.Evidence, tt.want, tt.evidence)
			}
		})
	}
}
