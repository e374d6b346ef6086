package bench

import (
	"testing"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/trial"
)

// TestPathsCarryEveryFrame sends through two paths: every frame arrives, each took one
// path in the counters of the kernel, and both paths were used, unless there is one flow.
func TestPathsCarryEveryFrame(t *testing.T) {
	for _, tt := range []struct {
		spelling       plan.Scenario
		version, flows int
		directions     plan.Direction
	}{{"ecmp-static", 4, 1000, plan.Bi}, {"ecmp-static", 6, 1000, plan.Uni}, {"ecmp-static", 4, 1, plan.Uni}, {"ecmp-bird", 4, 1000, plan.Bi}, {"ecmp-bird", 6, 1000, plan.Uni}} {
		cell := cellOf(tt.spelling, tt.version, tt.flows, tt.directions)
		t.Run(cell.ID(), func(t *testing.T) {
			b := openBed(t, testPlan(), cell)
			for _, d := range b.lab.DUT.Devices() {
				if !netns.Exists(d.Netns) {
					t.Fatalf("device %s: there is no namespace %s", d.Interface, d.Netns)
				}
			}
			r := b.undisturbed(t, 10_000, 200*time.Millisecond)
			checkClean(t, r)
			if len(r.Paths) != 2 {
				t.Fatalf("%d paths, want 2", len(r.Paths))
			}
			p, q := r.Paths[0], r.Paths[1]
			toB := r.Sent / uint64(r.Directions)
			if p.TxPackets+q.TxPackets != toB || (r.Directions == 2) != (p.RxPackets+q.RxPackets == toB) {
				t.Errorf("paths %+v and %+v, %d frames were sent from A", p, q, toB)
			}
			least := min(p.Share, q.Share)
			if tt.flows == 1 && least != 0 || tt.flows > 1 && least < 0.4 {
				t.Errorf("%d flows: shares %.2f and %.2f", tt.flows, p.Share, q.Share)
			}
		})
	}
}

// TestPathFails takes a path away in the middle of a trial. With a link down the frames go
// on by the other path, and what was lost was lost at the event; a silent failure loses the
// frames of that path until BGP gives its neighbour up, and static routes lose them to the end.
func TestPathFails(t *testing.T) {
	const pps, hold = 5000, 3
	for _, tt := range []struct {
		spelling      plan.Scenario
		how           string
		leastS, mostS float64 // until the last loss
		toTheEnd      bool
	}{
		{"ecmp-static", plan.FailLinkDown, 0, 0.5, false},
		{"ecmp-static", plan.FailSilent, 0, 10, true},
		{"ecmp-bird", plan.FailLinkDown, 0, 0.5, false},
		{"ecmp-bird", plan.FailSilent, 1, hold + 1, false},
	} {
		t.Run(string(tt.spelling)+"/"+tt.how, func(t *testing.T) {
			p := testPlan()
			p.ECMP.FailPath, p.ECMP.FailHow, p.ECMP.HoldTime = 1, tt.how, plan.Duration(hold*time.Second)
			cell := cellOf(tt.spelling, 4, 100, plan.Uni)
			b := openBed(t, p, cell)
			b.station.journal, b.station.mark = b.journal, b.journal.Mark()
			b.station.scenario.ProcessDir = b.journal.ProcessDir()
			e := b.station.event()
			r, err := b.station.Measure(t.Context(), trial.Request{LoadPPS: pps, Duration: 6 * time.Second, Event: &trial.Event{
				Name: e.Name, After: time.Second, Do: func(begin func()) error { return b.station.befall(e, begin) },
			}})
			if err != nil {
				t.Fatal(err)
			}
			checkEvent(t, r)
			got := r.Event
			t.Logf("%s: lost %d (%d before), last loss after %.1f ms, loss-derived %.1f ms, at %.3f s, took %.1f ms, paths %+v", got.Name, got.Lost, got.LostBefore, got.LastLossNS/1e6, got.LossDerivedNS/1e6, got.AtS, float64(got.TookNS)/1e6, r.Paths)
			if s := got.LastLossNS / 1e9; s < tt.leastS || s > tt.mostS || got.LossToTheEnd != tt.toTheEnd {
				t.Errorf("last loss %.3f s after the event, to the end %v; want %.1f to %.1f s, %v", s, got.LossToTheEnd, tt.leastS, tt.mostS, tt.toTheEnd)
			}
			if !tt.toTheEnd && r.Paths[1].Share < 0.6 {
				t.Errorf("path r2 had %.0f %% of the frames, though r1 failed", 100*r.Paths[1].Share)
			}
			if doubt, err := b.station.recover(); doubt != nil || err != nil {
				t.Fatal(doubt, err)
			}
			checkClean(t, b.undisturbed(t, pps, 200*time.Millisecond))
		})
	}
}

// checkEvent compares the bins with the counts.
func checkEvent(t *testing.T, r result.Trial) {
	t.Helper()
	e := r.Event
	var sum uint64
	for _, n := range e.ReceivedPerBin {
		sum += n
	}
	if sum != r.Received || e.Received != r.Received || e.Sent != r.Sent || e.Lost != r.Sent-r.Received {
		t.Errorf("%d frames in the bins, event %+v; sent %d, received %d", sum, e, r.Sent, r.Received)
	}
	if n := len(e.ReceivedPerBin); n < 590 || n > 620 || e.BinNS != 10_000_000 {
		t.Errorf("%d bins of %d ns for 6 s", n, e.BinNS)
	}
	if e.AtS < 0.5 || e.AtS > 2 {
		t.Errorf("the event of the first second was at %.3f s", e.AtS)
	}
}
