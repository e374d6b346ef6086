package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/trial"
)

// withProcess is a step that starts a shell script beside the route.
func withProcess(dir, script string) dut.Step {
	start := journal.Action{Kind: journal.StartProcess, Argv: []string{"sh", "-c", script}, Process: &journal.Process{
		Dir: dir, OpenInput: true, Ready: journal.Ready{Log: "up"},
	}}
	return dut.Step{Do: start, Undo: start.Stop()}
}

// TestThreadsOfAProcessAreTheDUT keeps the DUT's CPU busy by a process of the scenario.
func TestThreadsOfAProcessAreTheDUT(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "turning")
	b := openBed(t, testPlan(), cellOf("route", 4, 1, plan.Uni), withProcess(dir, "echo up; while :; do :; done"))
	var busy []float64
	for range 5 {
		r := b.measure(t, 10_000, 500*time.Millisecond)
		if busy = append(busy, r.CPU.DUTCoresBusy); r.CPU.DUTCoresBusy > 0.5 {
			return
		}
	}
	t.Errorf("a process of the DUT turns all the time, and its cores are busy %v", busy)
}

// TestProcessThatEndsInMidCell kills the process during a trial.
func TestProcessThatEndsInMidCell(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mortal")
	b := openBed(t, testPlan(), cellOf("route", 4, 1, plan.Uni), withProcess(dir, "echo up; read line; echo last words; exit 3"))
	if r, err := b.station.Measure(context.Background(), trial.Request{LoadPPS: 1000, Duration: 100 * time.Millisecond}); err != nil || r.Sent == 0 {
		t.Fatalf("while it lives: %d sent, %v", r.Sent, err)
	}
	stop := time.AfterFunc(50*time.Millisecond, func() { _ = os.WriteFile(filepath.Join(dir, "stdin"), []byte("end\n"), 0) })
	defer stop.Stop()
	_, err := b.station.Measure(context.Background(), trial.Request{LoadPPS: 1000, Duration: 300 * time.Millisecond})
	var ended *journal.EndedError
	if !errors.As(err, &ended) || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "last words") {
		t.Errorf("%v, want an EndedError with its last words", err)
	}
	made := madeDUT{alive: b.applied.Alive}
	cell := result.Cell{ID: "x", Scenario: "route", Setup: []string{"s"}, Goals: []result.Goal{{Name: "NDR"}}, Verdict: result.DUTBound}
	if err := brokenOff(context.Background(), &cell, made, err); err != nil {
		t.Error(err)
	}
	if len(cell.Goals) > 0 || cell.Verdict != "" || len(cell.Setup) != 1 || !strings.Contains(cell.Skipped, "last words") {
		t.Errorf("the cell is %+v", cell)
	}
}
