package result

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/plan"
)

// sampleRun has every optional part, so that the schema is tested with all of them.
func sampleRun() *Run {
	background := 1.2e-5
	return &Run{
		Schema: SchemaV1, ID: "20260101-120000-abcd", Outcome: Running,
		Started: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC),
		Command: []string{"linerate", "bench"},
		Plan: plan.Plan{Schema: plan.SchemaV1, Name: "sample", Testbed: "lab", Scenarios: []plan.Scenario{"route"},
			Lab:     plan.Lab{DUTCPUs: plan.CPUList{1}, MTUBytes: 1500},
			Traffic: plan.Traffic{FrameSizes: []plan.FrameSize{64, plan.IMIX}},
			Search:  plan.Search{Goals: []plan.Goal{{Name: "PDR", LossRatio: 0.005, TrialDuration: plan.Duration(time.Second)}}}},
		Environment: Environment{Kernel: "6.18.0", Sysctls: map[string]string{"net.ipv4.ip_forward": "1"}},
		Calibration: Calibration{CeilingPPS: 3e6, Ceilings: []Ceiling{{FrameSize: 64, PPS: 3e6}}},
		Cells: []Cell{{
			ID: "route/64/1/uni", Scenario: "route", FrameSize: 64, Flows: 1, Directions: plan.Uni, Verdict: Undefined,
			Goals: []Goal{{Name: "PDR", LossRatio: 0.005, LowerPPS: 7e5}},
			CPU:   &CPU{DUTCoresBusy: 1, PerCore: []Core{{CPU: 1}}}, Latency: &Latency{Frames: 9, Histogram: []Bucket{{100, 9}}},
			BackgroundLossRatio: &background, Conntrack: &Conntrack{Max: 262144},
		}, {ID: "snat/64/1/uni", Skipped: "iptables not found"}},
		Warnings: []Warning{{"shared-cpus", "The DUT shares its CPUs."}},
	}
}

func trialNumber(n int) Trial {
	return Trial{Cell: "route/64/1/uni", Number: n, Purpose: ForSearch, Intended: 1000, Sent: 990, Unsent: 10, Received: 980, Lost: 10,
		WrongFlow: 2, Interruptions: 3, Ports: []PortCounts{{Port: "a0", Sent: 990, InterfaceTx: 990, InterfaceTxErrors: 4}}}
}

func create(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Create(dir, sampleRun())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStoreRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "first")
	s := create(t, dir)
	for n := 1; n <= 3; n++ {
		if err := s.AppendTrial(trialNumber(n)); err != nil {
			t.Fatal(err)
		}
	}
	final := sampleRun()
	final.Outcome = Measured
	if err := s.SaveRun(final); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	run, trials, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if run.Outcome != Measured || run.ID != final.ID || len(run.Cells) != 2 || run.Cells[1].Skipped == "" {
		t.Errorf("read back %+v", run)
	}
	want := []Trial{trialNumber(1), trialNumber(2), trialNumber(3)}
	if !reflect.DeepEqual(trials, want) {
		t.Errorf("trials read back:\n%+v\nwant:\n%+v", trials, want)
	}
	files, _ := os.ReadDir(dir)
	if len(files) != 2 {
		t.Errorf("the folder holds %v, want only %s and %s", files, runFile, trialsFile)
	}
}

func TestRunFileHasNoNullLists(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir, &Run{Schema: SchemaV1, Cells: []Cell{{ID: "a", CPU: &CPU{}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	data, _ := os.ReadFile(filepath.Join(dir, runFile))
	for _, line := range strings.Split(string(data), "\n") {
		key, null := strings.CutSuffix(strings.TrimSuffix(strings.TrimSpace(line), ","), ": null")
		if null && key != `"cpu"` && key != `"latency"` {
			t.Errorf("run.json has a null: %s", strings.TrimSpace(line))
		}
	}
}

// TestCellAlwaysHasItsKeys stores a cell that has nothing: what was not measured is
// null, and what has nothing to say is empty.
func TestCellAlwaysHasItsKeys(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir, &Run{Schema: SchemaV1, Cells: []Cell{{ID: "a", Goals: []Goal{{Name: "PDR"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	data, err := os.ReadFile(filepath.Join(dir, runFile))
	if err != nil {
		t.Fatal(err)
	}
	var run struct {
		Cells []map[string]any `json:"cells"`
	}
	if err := json.Unmarshal(data, &run); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{"cpu": nil, "latency": nil, "skipped": "", "verdict": ""} {
		if got, there := run.Cells[0][key]; !there || got != want {
			t.Errorf("%s of a bare cell is %#v (there: %v), want %#v", key, got, there, want)
		}
	}
	if v, there := run.Cells[0]["goals"].([]any)[0].(map[string]any)["verdict"]; !there || v != "" {
		t.Errorf("verdict of a bare goal is %#v (there: %v)", v, there)
	}
	back, _, err := Open(dir)
	if err != nil || back.Cells[0].CPU != nil || back.Cells[0].Latency != nil {
		t.Errorf("read back %+v, %v", back, err)
	}
}

func TestTrialLineHasItsLossRatio(t *testing.T) {
	line, err := json.Marshal(trialNumber(1))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatal(err)
	}
	if got["loss_ratio"] != 0.02 || got["lost"] != 10.0 || got["wrong_flow"] != 2.0 || got["interruptions"] != 3.0 || got["cell"] != "route/64/1/uni" {
		t.Errorf("line %s", line)
	}
	var back Trial
	if err := json.Unmarshal([]byte(`{"intended":1000,"lost":20,"loss_ratio":0.9}`), &back); err != nil || back.LossRatio() != 0.02 {
		t.Errorf("loss ratio read back %v, %v: the counts must win", back.LossRatio(), err)
	}
}

func TestCreateRefusesAnOccupiedFolder(t *testing.T) {
	for _, name := range []string{runFile, trialsFile} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("kept"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Create(dir, sampleRun())
		if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "choose another folder") {
			t.Errorf("%s: error %v", name, err)
		}
		if data, _ := os.ReadFile(path); string(data) != "kept" {
			t.Errorf("%s was changed to %q", name, data)
		}
	}
}

func TestCreateNamesAFileInTheWay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(filepath.Join(file, "run"), sampleRun()); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v", err)
	}
}
