package bench

import (
	"testing"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/plan"
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
