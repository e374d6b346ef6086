package bench

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/lab"
	"github.com/linerate/linerate/trial"
)

func init() { runtime.LockOSThread() }

// bed is a lab with a scenario in place and its flows learned.
type bed struct {
	lab     *lab.Lab
	station *station
	journal *journal.Journal
	applied *dut.Applied
}

func testPlan() plan.Plan {
	p := plan.Default()
	p.Trial.DrainQuiet = plan.Duration(100 * time.Millisecond)
	return p
}

// openBed opens a lab for one cell and takes it down when the test ends.
func openBed(t *testing.T, p plan.Plan, cell plan.Cell, more ...dut.Step) bed {
	t.Helper()
	testenv.NeedRoot(t)
	b := openBare(t, p, cell, more...)
	var err error
	if b.station, err = openStation(b.lab, p, cell, b.applied, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.station.close(); err != nil {
			t.Error(err)
		}
	})
	if err := b.station.learn(context.Background()); err != nil {
		t.Fatal(err)
	}
	return b
}

// openBare is openBed without the tester's side.
func openBare(t *testing.T, p plan.Plan, cell plan.Cell, more ...dut.Step) bed {
	t.Helper()
	testenv.NeedRoot(t)
	id := lab.NewID()
	journals, err := os.MkdirTemp("", "lr") // short, for the sockets of processes below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(journals) })
	j, err := journal.Create(journals, id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		for _, side := range []string{"a", "dut", "b"} {
			if netns.Exists("lr-" + id + "-" + side) {
				t.Errorf("namespace lr-%s-%s is still there", id, side)
			}
		}
	})
	l, err := lab.Open(id, p.Lab, j)
	if err != nil {
		t.Fatal(err)
	}
	scenario := dut.Scenario{Cell: cell, Plan: p, DUT: l.DUT, CPUs: l.CPUs.DUT, ProcessDir: j.ProcessDir()}
	steps, err := scenario.Steps()
	if err != nil {
		testenv.Need(t, "the tools of scenario "+cell.ScenarioID(), err)
	}
	applied, err := dut.Apply(append(steps, more...), j)
	if err != nil {
		t.Fatal(err)
	}
	if err := scenario.Check(); err != nil {
		t.Fatal(err)
	}
	l.DUT = scenario.Shape()
	return bed{lab: l, journal: j, applied: applied}
}

func (b bed) scenario(cell plan.Cell) dut.Scenario {
	return dut.Scenario{Cell: cell, DUT: b.lab.DUT}
}

func (b bed) measure(t *testing.T, pps float64, d time.Duration) result.Trial {
	t.Helper()
	r, err := b.station.bed.Measure(context.Background(), trial.Request{LoadPPS: pps, Duration: d})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// undisturbed repeats a trial that the machine, not the DUT, spoilt.
func (b bed) undisturbed(t *testing.T, pps float64, d time.Duration) (r result.Trial) {
	t.Helper()
	for range 5 {
		if r = b.measure(t, pps, d); r.Lost == 0 && trial.Disturbed(r) == "" {
			break
		}
	}
	return r
}

func cellOf(scenario plan.Scenario, version, flows int, directions plan.Direction) plan.Cell {
	size := plan.FrameSize(64)
	if version == 6 {
		size = 84
	}
	cell := plan.Cell{Scenario: scenario.Name(), Backend: scenario.Backend(), IPVersion: version, FrameSize: size, Flows: flows, Directions: directions}
	if cell.Scenario == "ecmp" {
		cell.PathCount = 2
	}
	return cell
}

func requestOf(pps float64, d time.Duration) trial.Request {
	return trial.Request{LoadPPS: pps, Duration: d}
}
