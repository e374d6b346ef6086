package docs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
)

// TestScenariosPage requires a row for each scenario, with an example that a plan takes.
func TestScenariosPage(t *testing.T) {
	rows := table(t, "docs/scenarios.md", "## All scenarios")
	names := firstColumn(rows)
	for _, info := range plan.Scenarios() {
		if !slices.Contains(names, info.Name) {
			t.Errorf("docs/scenarios.md has no row for scenario %s in its first table: add what it makes, needs, and an example", info.Name)
		}
	}
	for _, r := range rows {
		if !slices.ContainsFunc(plan.Scenarios(), func(info plan.ScenarioInfo) bool { return info.Name == r[0] }) {
			t.Errorf("docs/scenarios.md: there is no scenario %s", r[0])
		}
		if len(r) != 5 {
			t.Errorf("docs/scenarios.md: the row of %s has %d cells", r[0], len(r))
			continue
		}
		example, found := strings.CutPrefix(r[4], "--set ")
		if !found {
			continue
		}
		example, sweep, _ := strings.Cut(example, " --sweep ")
		p := plan.Default()
		if err := p.Set(strings.Split(example, " --set ")); err != nil {
			t.Errorf("docs/scenarios.md: %s: %v", r[4], err)
		}
		if sweep != "" {
			if err := p.Sweep.ParseSweep(sweep); err != nil {
				t.Errorf("docs/scenarios.md: %s: %v", r[4], err)
			} else if err := p.Validate(); err != nil {
				t.Errorf("docs/scenarios.md: %s: %v", r[4], err)
			}
		}
		if !slices.ContainsFunc(p.Scenarios, func(s plan.Scenario) bool { return s.Name() == r[0] }) {
			t.Errorf("docs/scenarios.md: the example of %s measures %v", r[0], p.Scenarios)
		}
	}
}

// TestExampleOfAScenarioIsTrue compares the file that the page shows with the repository's.
func TestExampleOfAScenarioIsTrue(t *testing.T) {
	source := read(t, "dut/limit.go")
	if !strings.Contains(read(t, "docs/scenarios.md"), "```go\n"+source+"```\n") {
		t.Error("docs/scenarios.md shows another dut/limit.go than there is")
	}
	if lines := strings.Count(source, "\n"); lines >= 30 {
		t.Errorf("the example has %d lines: a reader wants less than 30", lines)
	}
}
