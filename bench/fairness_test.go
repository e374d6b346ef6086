package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/lab"
	"github.com/linerate/linerate/trial"
)

// TestFairnessAndQueuesOfTwoCPUs spreads flows over two queues of the DUT and compares
// what the queues, the CPUs and the flows say with the frames of the trial.
func TestFairnessAndQueuesOfTwoCPUs(t *testing.T) {
	cpus, err := lab.Place(plan.Lab{})
	if err != nil {
		t.Fatal(err)
	}
	all := append(append([]int{}, cpus.Generators...), cpus.DUT...)
	if len(all) < 2 {
		testenv.Need(t, "two CPUs", fmt.Errorf("there are the CPUs %v", all))
	}
	p := testPlan()
	p.Traffic.PerFlow = true
	two := plan.CPUList{all[0], all[1]}
	p.Lab.DUTCPUs, p.Lab.TesterCPUs, p.Lab.SinkCPUs = two, two, two
	b := openBed(t, p, cellOf("route", 4, 100, plan.Uni))
	var r result.Trial
	for range 10 {
		if r = b.measure(t, 10_000, 300*time.Millisecond); r.Lost == 0 && trial.Disturbed(r) == "" {
			break
		}
	}
	var queued, processed, received uint64
	for _, q := range r.QueueShares {
		queued += q.Frames
		if q.Device == "da" && (q.Frames == 0 || q.BusyRatio <= 0) {
			t.Errorf("queue %d of the DUT's input did nothing", q.Queue)
		}
	}
	for _, c := range r.CPU.PerCore {
		processed += c.ProcessedFrames
	}
	for _, port := range r.Ports {
		for _, c := range port.ReceivedPerCPU {
			received += c.Frames
		}
	}
	// Others on this machine may send and receive frames of their own.
	if queued != r.Sent || received != r.Received || processed < r.Received {
		t.Errorf("of %d frames sent and %d received the queues took %d, the CPUs processed %d, and the sink counted %d by CPU", r.Sent, r.Received, queued, processed, received)
	}
	if len(r.QueueShares) != 4 {
		t.Errorf("%d queues, want two at each device: %+v", len(r.QueueShares), r.QueueShares)
	}
	f := r.FlowFairness
	if f == nil || f.Flows != 100 || r.Lost == 0 && r.Unsent == 0 && (f.MinFrames != 30 || f.MaxFrames != 30 || f.JainIndex != 1) {
		t.Errorf("3,000 frames over 100 flows, %d lost: %+v", r.Lost, f)
	}
}
