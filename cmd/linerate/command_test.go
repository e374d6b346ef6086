package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/plans"
	"github.com/linerate/linerate/result"
)

func TestHelp(t *testing.T) {
	for _, name := range []string{"ab", "bench", "plans", "report", "compare", "restore", "verify", "version"} {
		t.Run(name, func(t *testing.T) {
			out, errs, code := command(name, "--help")
			if code != exitMeasured || errs != "" {
				t.Fatalf("exit %d, stderr %q", code, errs)
			}
			golden(t, "help-"+name+".txt", out)
			topic, _, _ := command("help", name)
			if topic != out {
				t.Errorf("`help %s` is not `%s --help`", name, name)
			}
		})
	}
}

func TestEveryCommandHasASentenceAndAnExample(t *testing.T) {
	for _, c := range rootCommand().Commands() {
		if c.Name() == "help" {
			continue
		}
		if c.Short == "" || c.Example == "" {
			t.Errorf("%s: Short %q, Example %q", c.Name(), c.Short, c.Example)
		}
		if c.RunE == nil {
			t.Errorf("%s has no RunE, so its errors have no exit code", c.Name())
		}
	}
}

func TestReadmeNamesEveryCommand(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range rootCommand().Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "version" {
			continue
		}
		if !strings.Contains(string(text), "linerate "+c.Name()) {
			t.Errorf("README.md does not name `linerate %s`", c.Name())
		}
	}
}

func TestBenchHelpListsEveryScenario(t *testing.T) {
	out, _, _ := command("bench", "--help")
	for _, s := range plan.Spellings() {
		if !strings.Contains(out, s) {
			t.Errorf("`bench --help` does not name scenario %s", s)
		}
	}
}

func TestBadArguments(t *testing.T) {
	empty := t.TempDir()
	tests := []struct {
		name string
		args []string
		want []string
	}{
		{"unknown command", []string{"benhc"}, []string{`"benhc"`, "did you mean bench?"}},
		{"unknown command far from any", []string{"frobnicate"}, []string{"`linerate --help` lists all"}},
		{"unknown help topic", []string{"help", "benhc"}, []string{"did you mean bench?"}},
		{"unknown flag", []string{"bench", "--dryrun"}, []string{"no flag --dryrun", "did you mean --dry-run?"}},
		{"unknown short flag", []string{"bench", "-z"}, []string{"no flag -z"}},
		{"flag without its value", []string{"bench", "--out"}, []string{"--out", "`linerate bench --help`"}},
		{"two plans", []string{"bench", "baseline", "linux-router"}, []string{"takes the name or file of one plan"}},
		{"unknown plan", []string{"bench", "baselin"}, []string{`"baselin"`, "did you mean baseline?"}},
		{"missing file", []string{"bench", filepath.Join(empty, "none.yaml")}, []string{"none.yaml", "no such file"}},
		{"bad name", []string{"bench", "--name", "a/b"}, []string{"--name", "1 to 12 letters"}},
		{"name that a device cannot have", []string{"bench", "--name", "thirteencharz"}, []string{"--name"}},
		{"bad rate", []string{"bench", "--require-pdr", "fast"}, []string{"--require-pdr", "500k"}},
		{"negative rate", []string{"bench", "--require-ndr", "-5"}, []string{"--require-ndr"}},
		{"rate beyond any link", []string{"bench", "--require-pdr", "2G"}, []string{"--require-pdr", "require_pps", "out of range"}},
		{"threshold for a goal that is not searched", []string{"bench", "--set", "search.goals=NDR", "--require-pdr", "1M"}, []string{"no goal PDR", "NDR"}},
		{"unknown shipped plan", []string{"plans", "nope"}, []string{"nope", strings.Join(plans.Names(), ", ")}},
		{"schema and fields", []string{"plans", "--schema", "--fields"}, []string{"schema", "fields"}},
		{"compare one", []string{"compare", empty}, []string{"two runs", "1 argument"}},
		{"compare no runs", []string{"compare", empty, empty}, []string{"run.json"}},
		{"report of no run", []string{"report", empty}, []string{"run.json"}},
		{"report in an unknown format", []string{"report", empty, "--format", "pdf"}, []string{`"pdf"`, "markdown"}},
		{"two formats on standard output", []string{"report", empty, "--format", "csv,json", "--output", "-"}, []string{"one format"}},
		{"argument of version", []string{"version", "now"}, []string{"takes no argument"}},
		{"argument of restore", []string{"restore", "all"}, []string{"takes no argument"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, errs, code := command(tt.args...)
			if code != exitBadPlan {
				t.Errorf("exit %d, want %d", code, exitBadPlan)
			}
			if !strings.HasPrefix(errs, "linerate: ") || strings.Count(errs, "linerate: ") != 1 {
				t.Errorf("the error is not said once: %q", errs)
			}
			if strings.Contains(errs+out, "Usage:") {
				t.Errorf("the error comes with a page of usage:\n%s%s", out, errs)
			}
			for _, w := range tt.want {
				if !strings.Contains(errs, w) {
					t.Errorf("%q does not say %q", errs, w)
				}
			}
		})
	}
}

const badPlan = `schema: linerate.plan/v1
name: bad
scenarios: [rout, limit]
traffic:
  flows: [0]
  frame_size: [9000]
  colour: red
search:
  max_trial_time: 5
`

func TestBadPlanNamesAllProblemsWithTheirPlaces(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(file, []byte(badPlan), 0o644); err != nil {
		t.Fatal(err)
	}
	out, errs, code := command("bench", file, "--dry-run")
	if code != exitBadPlan || out != "" {
		t.Errorf("exit %d, stdout %q", code, out)
	}
	for _, want := range []string{"it has 5 problems", ":3:13: ", ":5:11: ", ":6:16: ", ":7:3: ", ":9:19: ", "unknown scenario", "unknown field", "lab.mtu_bytes"} {
		if !strings.Contains(errs, want) {
			t.Errorf("the error does not say %q:\n%s", want, errs)
		}
	}
}

func TestPlanThatIsNotYAML(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(file, []byte("traffic: [1, 2\nname: }"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, errs, code := command("bench", file)
	if code != exitBadPlan || !strings.Contains(errs, "plan.yaml:") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

func TestBadSetNamesEveryFlag(t *testing.T) {
	_, errs, code := command("bench", "--dry-run", "--set", "traffic.flows=0", "--set", "traffic.flow=1", "--set", "limit.pps=1kg")
	if code != exitBadPlan {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"3 problems", "--set traffic.flows=0", "--set traffic.flow=1", "did you mean traffic.flows?", "--set limit.pps=1kg"} {
		if !strings.Contains(errs, want) {
			t.Errorf("the error does not say %q:\n%s", want, errs)
		}
	}
}

func TestDryRun(t *testing.T) {
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "testdata", "plan.yaml")
	t.Chdir(t.TempDir())
	out, errs, code := command("bench", file, "--dry-run", "--set", "traffic.frame_size=64,imix")
	if code != exitMeasured || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if left, _ := os.ReadDir("."); len(left) != 0 {
		t.Errorf("a dry run left %v behind", left)
	}
	p, err := plan.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Set([]string{"traffic.frame_size=64,imix"}); err != nil {
		t.Fatal(err)
	}
	e, err := bench.EstimateOf(p)
	if err != nil {
		t.Fatal(err)
	}
	// The times follow the search, which may change; how they are told may not.
	for said, stand := range map[string]string{", about " + spoken(e.TotalSeconds()) + "\n": ", about TIME\n", strings.Join(wrapped(expectation(p, e), 98), "\n"): "EXPECTATION"} {
		if !strings.Contains(out, said) {
			t.Errorf("the expected time %q is missing", said)
		}
		out = strings.Replace(out, said, stand, 1)
	}
	t.Chdir(home)
	golden(t, "dry-run.txt", out)
}

func TestPlans(t *testing.T) {
	list, _, code := command("plans")
	if code != exitMeasured {
		t.Fatalf("exit %d", code)
	}
	for _, name := range plans.Names() {
		p, err := plan.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := bench.EstimateOf(p)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(list, name+": "+counted(e.Cells, measuredThings(p))+", about ") {
			t.Errorf("`plans` does not list %s with its cells and time:\n%s", name, list)
		}
		want, err := plans.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := command("plans", name); got != string(want) {
			t.Errorf("`plans %s` does not print the plan", name)
		}
	}
	fields, _, _ := command("plans", "--fields")
	for _, f := range plan.Fields() {
		if !strings.Contains(fields, f.Path+" ") {
			t.Errorf("`plans --fields` does not list %s", f.Path)
		}
	}
	schema, _, _ := command("plans", "--schema")
	if !json.Valid([]byte(schema)) || !strings.Contains(schema, plan.SchemaV1) {
		t.Errorf("`plans --schema` prints no schema: %.80q", schema)
	}
}

func TestVersion(t *testing.T) {
	defer func(v string) { version = v }(version)
	version = "v9.8.7"
	out, _, _ := command("version")
	if !strings.HasPrefix(out, "linerate v9.8.7\n"+runtime.Version()) || !strings.Contains(out, "kernel ") {
		t.Errorf("version prints %q", out)
	}
	var b build
	text, _, _ := command("version", "--json")
	if err := json.Unmarshal([]byte(text), &b); err != nil || b.Version != "v9.8.7" || b.Kernel == "" {
		t.Errorf("version --json prints %q: %v", text, err)
	}
	version = ""
	if v := linerateVersion(); v == "" || v == "v9.8.7" {
		t.Errorf("without the linker the version is %q", v)
	}
}

func TestCompletionOffersPlansAndFields(t *testing.T) {
	plans, _, _ := command("__complete", "bench", "")
	if !strings.Contains(plans, "baseline") {
		t.Errorf("completion of bench offers %q", plans)
	}
	fields, _, _ := command("__complete", "bench", "--set", "search.goals.")
	if !strings.Contains(fields, "search.goals.PDR.width=") {
		t.Errorf("completion of --set offers %q", fields)
	}
	formats, _, _ := command("__complete", "report", "--format", "")
	if !strings.Contains(formats, "markdown") {
		t.Errorf("completion of --format offers %q", formats)
	}
}

// storedRun writes a run with one cell into dir.
func storedRun(t *testing.T, dir string, pps float64) {
	t.Helper()
	run := &result.Run{
		Schema: result.SchemaV1, ID: "abc123", Outcome: result.Measured, Command: []string{"linerate", "bench"}, Plan: plan.Default(),
		Cells: []result.Cell{measuredCell(pps)},
	}
	s, err := result.Create(dir, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// measuredCell is a router of 1 flow with a PDR of pps and an NDR a tenth below.
func measuredCell(pps float64) result.Cell {
	c := plan.Default().Cells()[0]
	goal := func(name string, loss, pps float64) result.Goal {
		return result.Goal{Name: name, LossRatio: loss, LowerPPS: pps, UpperPPS: pps * 1.004, ConditionalPPS: pps, TrialDurationS: 1, DurationSumS: 5, Trials: 20, Regular: true}
	}
	return result.Cell{
		ID: c.ID(), Scenario: c.Scenario, IPVersion: 4, FrameSize: c.FrameSize, Flows: 1, Directions: c.Directions,
		CeilingPPS: 4.4e6, Verdict: result.DUTBound, Goals: []result.Goal{goal("NDR", 0, 0.9*pps), goal("PDR", 0.005, pps)},
	}
}
