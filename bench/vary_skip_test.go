package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// TestSweepWithAValueThatCannotBeMade sweeps over two rules files of which nft refuses one:
// that value has no point, its cell says why, and the other has all its repeats.
func TestSweepWithAValueThatCannotBeMade(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.nft"), filepath.Join(dir, "bad.nft")
	for path, rules := range map[string]string{good: "table ip mine {\n}\n", bad: "table ip mine {\n  chain c {\n    tcp dprot 22 drop\n  }\n}\n"} {
		if err := os.WriteFile(path, []byte(rules), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, figure := range []string{plan.FigureThroughput, plan.FigureForwardingRate} {
		t.Run(figure, func(t *testing.T) {
			run, _, _, err := runPlan(t, t.Context(), append(short, "scenarios=nft-ruleset", "repeated.figure="+figure,
				"repeated.trials=1", "repeated.trial_duration=200ms", "sweep.field=ruleset.file", "sweep.values="+good+","+bad, "sweep.repeats=2")...)
			if err != nil || run.Outcome != result.Measured {
				t.Fatalf("outcome %s: %v", run.Outcome, err)
			}
			for _, p := range run.Sweep.Curves[0].Points {
				refused := strings.Contains(p.Skipped, bad+":3:9-13: Error: syntax error")
				if (p.Value == bad) != refused || refused == (len(p.PPS) == 2) || refused == (p.EstimatePPS > 0) {
					t.Errorf("%+v", p)
				}
			}
			if len(run.Cells) != 2 || run.Cells[0].Skipped != "" || !strings.Contains(run.Cells[1].Skipped, bad+":3:9-13") {
				t.Errorf("cells %+v", run.Cells)
			}
		})
	}
}
