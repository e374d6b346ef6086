package search

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
)

// mlrsearchFolder is where `make setup-test` unpacks the PyPI package MLRsearch 1.2.1.
const mlrsearchFolder = "../bin/python"

// missingReference is why the package cannot be run; nil if it can.
func missingReference() error {
	_, err := os.Stat(filepath.Join(mlrsearchFolder, "MLRsearch"))
	if err == nil {
		_, err = exec.LookPath("python3")
	}
	if err != nil {
		return fmt.Errorf("%w: run make setup-test", err)
	}
	return nil
}

// reference is a process that answers for the package.
type reference struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func newReference(t *testing.T) *reference {
	t.Helper()
	folder, err := filepath.Abs(mlrsearchFolder)
	if err != nil {
		t.Fatal(err)
	}
	r := &reference{cmd: exec.CommandContext(t.Context(), "python3", "testdata/mlrsearch.py")}
	r.cmd.Env, r.cmd.Stderr = append(os.Environ(), "PYTHONPATH="+folder), os.Stderr
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.out = bufio.NewScanner(out)
	r.out.Buffer(nil, 1<<24)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reference) say(t *testing.T, message any) {
	t.Helper()
	line, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}

func (r *reference) read(t *testing.T, answer any) {
	t.Helper()
	if !r.out.Scan() {
		t.Fatalf("the reference ended without an answer: %v", errors.Join(r.out.Err(), r.cmd.Wait()))
	}
	if err := json.Unmarshal(r.out.Bytes(), answer); err != nil {
		t.Fatalf("the reference said %q: %v", r.out.Text(), err)
	}
}

func (r *reference) end(t *testing.T) {
	t.Helper()
	r.in.Close()
	if err := r.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// countedTrial is a trial as counts, which both sides make their loss ratio of.
type countedTrial struct {
	LoadPPS   float64 `json:"load_pps"`
	DurationS float64 `json:"duration_s"`
	Sent      int     `json:"sent"`
	Lost      int     `json:"lost"`
}

func (c countedTrial) trial() Trial {
	return Trial{LoadPPS: c.LoadPPS, DurationS: c.DurationS, LossRatio: float64(c.Lost) / math.Max(1, float64(c.Sent))}
}

func counted(d trialled, r *rand.Rand, load Load) countedTrial {
	t := d.trial(r, load)
	sent := math.Floor(load.PPS * load.DurationS)
	return countedTrial{LoadPPS: load.PPS, DurationS: load.DurationS, Sent: int(sent), Lost: int(math.Round(t.LossRatio * sent))}
}

type referenceGoal struct {
	LossRatio      float64 `json:"loss_ratio"`
	ExceedRatio    float64 `json:"exceed_ratio"`
	Width          float64 `json:"width"`
	TrialDurationS float64 `json:"trial_duration_s"`
	DurationSumS   float64 `json:"duration_sum_s"`
}

func referenceGoals(goals []Goal) (all []referenceGoal) {
	for _, g := range goals {
		all = append(all, referenceGoal{g.LossRatio, g.ExceedRatio, g.Width, g.TrialDurationS, g.DurationSumS})
	}
	return all
}

type referenceAnswer struct {
	// A trial that the reference's search wants.
	LoadPPS   float64 `json:"load_pps"`
	DurationS float64 `json:"duration_s"`
	// The end.
	Results []struct {
		Lower       *float64 `json:"lower_pps"`
		Upper       *float64 `json:"upper_pps"`
		Conditional *float64 `json:"conditional_pps"`
	} `json:"results"`
	Loads [][]struct {
		LoadPPS float64 `json:"load_pps"`
		Class   string  `json:"class"`
	} `json:"loads"`
}

// search lets the package search a device.
func (r *reference) search(t *testing.T, c Config, trial func(Load) countedTrial) ([]countedTrial, referenceAnswer) {
	t.Helper()
	r.say(t, map[string]any{"mode": "search", "goals": referenceGoals(c.Goals), "min_load_pps": c.MinLoadPPS, "max_load_pps": c.MaxLoadPPS})
	var log []countedTrial
	for {
		var a referenceAnswer
		r.read(t, &a)
		if a.Results != nil {
			return log, a
		}
		log = append(log, trial(Load{PPS: a.LoadPPS, DurationS: a.DurationS}))
		r.say(t, log[len(log)-1])
	}
}

// referenceSearch lets the package search a device in a process of its own.
func referenceSearch(t *testing.T, d trialled, seed uint64, c Config) ([]countedTrial, referenceAnswer) {
	t.Helper()
	p := newReference(t)
	defer p.end(t)
	r := rand.New(rand.NewPCG(seed, 1))
	return p.search(t, c, func(load Load) countedTrial { return counted(d, r, load) })
}

// referenceClassify lets the package judge a log.
func referenceClassify(t *testing.T, c Config, log []countedTrial) (a referenceAnswer) {
	t.Helper()
	p := newReference(t)
	p.say(t, map[string]any{"mode": "classify", "goals": referenceGoals(c.Goals), "trials": log})
	p.read(t, &a)
	p.end(t)
	return a
}

// checkAgainst compares what both say of the same log.
func checkAgainst(t *testing.T, log string, m *MLR, a referenceAnswer) {
	t.Helper()
	for i, b := range m.Bounds() {
		same := func(what string, ours float64, theirs *float64) {
			t.Helper()
			want := 0.0
			if theirs != nil {
				want = *theirs
			}
			if math.Abs(ours-want) > 1e-9*math.Max(1, want) {
				t.Errorf("%s, %s: %s is %v, of the reference %v", log, b.Goal.Name, what, ours, want)
			}
		}
		same("relevant lower bound", b.LowerPPS, a.Results[i].Lower)
		same("relevant upper bound", b.UpperPPS, a.Results[i].Upper)
		same("conditional throughput", b.ConditionalPPS, a.Results[i].Conditional)
		if a.Loads == nil {
			continue
		}
		points := pointsOf(b.Goal, m.trials)
		if len(points) != len(a.Loads[i]) {
			t.Fatalf("%s, %s: %d loads, of the reference %d", log, b.Goal.Name, len(points), len(a.Loads[i]))
		}
		for k, p := range points {
			name := map[class]string{undecided: "undecided", lowerBound: "lower", upperBound: "upper"}[p.class]
			if want := a.Loads[i][k]; p.loadPPS != want.LoadPPS || name != want.Class {
				t.Errorf("%s, %s: %v pps is %s, of the reference %v pps is %s", log, b.Goal.Name, p.loadPPS, name, want.LoadPPS, want.Class)
			}
		}
	}
}

// TestDifferential searches each simulated device with MLRsearch 1.2.1 and with MLR,
// and has each of them judge the log of the other: classes of loads, relevant bounds
// and conditional throughput must be the same. With -v it prints what either search cost.
func TestDifferential(t *testing.T) {
	testenv.Need(t, "the PyPI package MLRsearch 1.2.1", missingReference())
	for _, base := range append(append(simDUTs(), moreDUTs()...), noisyDUT()) {
		t.Run(base.name, func(t *testing.T) {
			t.Parallel()
			c := Config{Goals: DefaultGoals(), MinLoadPPS: simMinLoadPPS, MaxLoadPPS: simMaxLoadPPS, MaxTrialSeconds: 120}
			for seed := range uint64(3) {
				theirs, a := referenceSearch(t, base, seed, c)
				m, err := NewMLR(c)
				if err != nil {
					t.Fatal(err)
				}
				var theirSeconds float64
				for _, trial := range theirs {
					m.Add(trial.trial())
					theirSeconds += trial.DurationS
				}
				checkAgainst(t, "log of the reference", m, a)

				ours, err := NewMLR(c)
				if err != nil {
					t.Fatal(err)
				}
				r := rand.New(rand.NewPCG(seed, 1))
				var log []countedTrial
				for load, ok := ours.Next(); ok; load, ok = ours.Next() {
					trial := counted(base, r, load)
					log = append(log, trial)
					ours.Add(trial.trial())
				}
				checkAgainst(t, "own log", ours, referenceClassify(t, c, log))
				t.Logf("seed %d: reference %3d trials, %5.1f s; MLR %3d trials, %5.1f s", seed, len(theirs), theirSeconds, len(log), seconds(ours.trials))
			}
		})
	}
}
