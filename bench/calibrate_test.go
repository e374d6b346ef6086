package bench

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/trial"
)

// busyTestbed is a simulation on a machine that is too busy to send some flows without loss.
type busyTestbed struct {
	*simTestbed
	flows int
}

func (b busyTestbed) openStation(c plan.Cell) (tester, error) {
	t, err := b.simTestbed.openStation(c)
	if c.Direct() && c.Flows == b.flows {
		t = losing{t}
	}
	return t, err
}

// losing loses a tenth of the frames of every paced trial.
type losing struct{ tester }

func (l losing) Measure(ctx context.Context, r trial.Request) (result.Trial, error) {
	t, err := l.tester.Measure(ctx, r)
	if r.LoadPPS > 0 {
		gone := t.Received / 10
		t.Received -= gone
		t.Lost += gone
	}
	return t, err
}

// TestCellsWithoutACeilingAreSkipped: where no load passes without a DUT, the cells with that
// traffic say so, and the others are measured.
func TestCellsWithoutACeilingAreSkipped(t *testing.T) {
	p := plan.Default()
	if err := p.Set([]string{"testbed=sim", "scenarios=none,route", "traffic.flows=7,1", "search.max_trial_time=4s"}); err != nil {
		t.Fatal(err)
	}
	simulation, err := newSimTestbed(p)
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{t: t}
	r := &run{options: Options{Plan: p}, events: l, testbed: busyTestbed{simulation, 7}, ceilings: map[shape]result.Ceiling{}, lacking: map[shape]string{}}
	r.record = result.Run{Schema: result.SchemaV1, ID: "busy", Outcome: result.Running, Plan: p, Cells: []result.Cell{}, Warnings: []result.Warning{}}
	if r.store, err = result.Create(filepath.Join(t.TempDir(), "run"), &r.record); err != nil {
		t.Fatal(err)
	}
	defer r.store.Close()
	if err := r.measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(r.record.Cells) != 4 || l.calibrated != 1 {
		t.Fatalf("%d cells, %d ceilings; want 4 and 1", len(r.record.Cells), l.calibrated)
	}
	for _, c := range r.record.Cells {
		lacks := strings.HasPrefix(c.Skipped, "calibrate without a DUT: no load from 1000 to ")
		if lacks != (c.Flows == 7) || c.HasResults() != (c.Flows == 1) {
			t.Errorf("cell %s: skipped %q, %d goals", c.ID, c.Skipped, len(c.Goals))
		}
	}
}
