package bench

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/lab"
	"github.com/linerate/linerate/trial"
)

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestMeasurerContract holds every trial.Measurer to the same promises, on a
// device that forwards some 50,000 packets per second.
func TestMeasurerContract(t *testing.T) {
	const capacityPPS = 50_000
	cell := cellOf("limit", 4, 50, plan.Bi)
	p := testPlan()
	if err := p.Set([]string{"limit.pps=100000", "limit.burst_packets=64", "sim.preset=hard", "sim.capacity_pps=50000"}); err != nil {
		t.Fatal(err)
	}
	t.Run("sim", func(t *testing.T) {
		p := p
		p.Testbed = "sim"
		measurerContract(t, p, cell, capacityPPS)
	})
	t.Run("lab", func(t *testing.T) {
		// The lab's limit is one for both directions, the simulated capacity one for each.
		measurerContract(t, p, cell, capacityPPS)
	})
}

func measurerContract(t *testing.T, p plan.Plan, cell plan.Cell, capacityPPS float64) {
	m := openTester(t, p, cell)
	make := func(pps float64, d time.Duration) result.Trial {
		t.Helper()
		var r result.Trial
		for range 5 { // a trial that the machine spoilt is made again
			var err error
			if r, err = m.Measure(t.Context(), trial.Request{LoadPPS: pps, Duration: d}); err != nil {
				t.Fatal(err)
			}
			checkSums(t, r)
			if trial.Disturbed(r) == "" && (pps > capacityPPS || r.Lost == 0) {
				break
			}
		}
		return r
	}
	low := make(capacityPPS/5, 300*time.Millisecond)
	if low.Intended != 6000 || low.Lost != 0 || low.Received != 6000 {
		t.Errorf("at a fifth of the capacity: intended %d, received %d, lost %d; want 6,000 in both directions and no loss", low.Intended, low.Received, low.Lost)
	}
	if low.SentBytes != low.Sent*60 || low.ReceivedBytes != low.SentBytes {
		t.Errorf("%d frames of 64 bytes with FCS were sent with %d bytes and received with %d", low.Sent, low.SentBytes, low.ReceivedBytes)
	}
	high := make(4*capacityPPS, 300*time.Millisecond)
	if high.Lost == 0 || high.LossRatio() < 0.6 || high.LossRatio() > 0.8 {
		t.Errorf("at four times the capacity: loss ratio %.3f of %d frames, want about 0.75: loss is data", high.LossRatio(), high.Intended)
	}
	if after := make(capacityPPS/5, 300*time.Millisecond); after.Lost != 0 || after.Late != 0 {
		t.Errorf("after an overload: %d lost, %d late", after.Lost, after.Late)
	} else if after.Epoch <= high.Epoch || high.Epoch <= low.Epoch || !after.Started.After(high.Started) {
		t.Errorf("epochs %d, %d, %d from %v, %v, %v: each trial has to have a new one, later", low.Epoch, high.Epoch, after.Epoch, low.Started, high.Started, after.Started)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Measure(ended, trial.Request{LoadPPS: 1000, Duration: time.Minute}); !errors.Is(err, context.Canceled) {
		t.Errorf("a trial under an ended context: %v", err)
	}
}

// openTester opens the testbed of a plan for one cell, without the loop.
func openTester(t *testing.T, p plan.Plan, cell plan.Cell) tester {
	t.Helper()
	if p.Testbed == "lab" {
		return openBed(t, p, cell).station
	}
	b, err := newTestbed(lab.NewID(), Options{Plan: p})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.open(); err != nil {
		t.Fatal(err)
	}
	s, err := b.openStation(cell)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.learn(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.close(), b.close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// checkSums fails unless the counts of a trial add up, over all and by port.
func checkSums(t *testing.T, r result.Trial) {
	t.Helper()
	var ports result.PortCounts
	for _, p := range r.Ports {
		ports.Sent += p.Sent
		ports.Unsent += p.Unsent
		ports.Received += p.Received
	}
	if r.Intended != r.Sent+r.Unsent || r.Sent != r.Received+r.Lost || ports.Sent != r.Sent || ports.Unsent != r.Unsent || ports.Received != r.Received {
		t.Errorf("counts do not add up: intended %d, sent %d, unsent %d, received %d, lost %d, ports %+v", r.Intended, r.Sent, r.Unsent, r.Received, r.Lost, r.Ports)
	}
	if r.Directions != 2 || len(r.Ports) != 2 || r.IntendedDurationS != 0.3 || r.ActualDurationS <= 0 {
		t.Errorf("%d directions over %d ports, %.3f s intended and %.3f s in fact", r.Directions, len(r.Ports), r.IntendedDurationS, r.ActualDurationS)
	}
	l := r.Latency
	if l == nil || l.Frames != r.Received || l.MinNS > l.MeanNS || l.MeanNS > l.MaxNS || l.P50NS > l.P90NS || l.P90NS > l.P99NS || l.P99NS > l.P999NS || l.P999NS > l.MaxNS {
		t.Fatalf("latency %+v of %d frames", l, r.Received)
	}
	var counted uint64
	for _, b := range l.Histogram {
		counted += b.Frames
	}
	if counted != r.Received {
		t.Errorf("the histogram holds %d frames, %d were received", counted, r.Received)
	}
}
