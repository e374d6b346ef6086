package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sweep runs a loss sweep over a device that loses what exceeds its capacity.
func sweep(t *testing.T, c SweepConfig, loss func(pps float64) float64) *LossSweep {
	t.Helper()
	s, err := NewLossSweep(c)
	if err != nil {
		t.Fatal(err)
	}
	var log []Trial
	for load, more := s.Next(); more; load, more = s.Next() {
		trial := Trial{LoadPPS: load.PPS, DurationS: load.DurationS, LossRatio: loss(load.PPS)}
		log = append(log, trial)
		s.Add(trial)
	}
	again, _ := NewLossSweep(c)
	for i, trial := range log {
		if load, more := again.Next(); !more || !same(load.PPS, trial.LoadPPS) {
			t.Fatalf("replay parts from the log at trial %d", i+1)
		}
		again.Add(trial)
	}
	if !slices.Equal(again.Points(), s.Points()) {
		t.Error("replay gives other points")
	}
	return s
}

func TestLossSweepOfAKnownCapacity(t *testing.T) {
	const max, capacity = 1e6, 0.55e6
	s := sweep(t, SweepConfig{MaxLoadPPS: max, StepRatio: 0.1, TrialDurationS: 1}, func(pps float64) float64 { return math.Max(0, 1-capacity/pps) })
	points := s.Points()
	// 100, 90, 80, 70, 60 % lose; 50 and 40 % do not.
	if len(points) != 7 || !s.Complete() {
		t.Fatalf("%d points, complete %v: %+v", len(points), s.Complete(), points)
	}
	for i, p := range points {
		ratio := 1 - 0.1*float64(i)
		if want := math.Max(0, 1-capacity/(ratio*max)); math.Abs(p.LoadRatio-ratio) > 1e-9 || math.Abs(p.LossRatio-want) > 1e-9 {
			t.Errorf("point %d: %+v, want %.2f with loss %.4f", i, p, ratio, want)
		}
	}
}

func TestLossSweepEnds(t *testing.T) {
	c := SweepConfig{MaxLoadPPS: 1000, StepRatio: 0.05, TrialDurationS: 1}
	if s := sweep(t, c, func(float64) float64 { return 0 }); len(s.Points()) != 2 || !s.Complete() {
		t.Errorf("no loss at all: %+v", s.Points())
	}
	if s := sweep(t, c, func(float64) float64 { return 0.01 }); len(s.Points()) != 20 || s.Complete() || s.Points()[19].LoadRatio != 0.05 {
		t.Errorf("background loss: %+v", s.Points())
	}
	// One trial without loss between two with loss does not end it.
	n := 0
	if s := sweep(t, c, func(float64) float64 { n++; return []float64{0.5, 0, 0.1, 0, 0, 0}[min(n-1, 5)] }); len(s.Points()) != 5 {
		t.Errorf("%+v", s.Points())
	}
	for _, c := range []SweepConfig{{}, {MaxLoadPPS: 1, StepRatio: 0.2, TrialDurationS: 1}, {MaxLoadPPS: 1, StepRatio: 0.1}} {
		if _, err := NewLossSweep(c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}

// burstDUT is a queue of some frames that is emptied while a burst arrives.
type burstDUT struct {
	queue, drainPPS, burstPPS float64
}

func (d burstDUT) lost(frames uint64) uint64 {
	arriving := float64(frames) * (1 - math.Min(d.drainPPS/d.burstPPS, 1))
	return uint64(math.Max(0, math.Ceil(arriving-d.queue)))
}

func bursts(t *testing.T, c BurstConfig, lost func(frames uint64) uint64) (*BackToBack, int) {
	t.Helper()
	b, err := NewBackToBack(c)
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for burst, more := b.Next(); more; burst, more = b.Next() {
		if burst.Frames < 1 || burst.Frames > c.MaxFrames {
			t.Fatalf("a burst of %d frames", burst.Frames)
		}
		b.Add(BurstTrial{Frames: burst.Frames, Lost: lost(burst.Frames)})
		if sent++; sent > 10_000 {
			t.Fatal("the search does not end")
		}
	}
	return b, sent
}

func TestBackToBackFindsTheQueue(t *testing.T) {
	for _, d := range []burstDUT{{256, 0.8e6, 4e6}, {256, 0, 4e6}, {1000, 1e6, 4e6}, {5, 0, 1e6}, {1, 0, 1e6}} {
		truth := uint64(d.queue / (1 - d.drainPPS/d.burstPPS))
		b, sent := bursts(t, BurstConfig{MaxFrames: 1 << 20, StepFrames: 1, Repeats: 3, Verifications: 1}, d.lost)
		if got := b.Lengths(); !slices.Equal(got, []uint64{truth, truth, truth}) || !b.Bounded() {
			t.Errorf("%+v: %v, truth %d", d, got, truth)
		}
		// RFC 9004 section 6.4: what is left after the correction is the queue itself.
		implied, corrected := BufferTimes(float64(truth), d.burstPPS, d.drainPPS)
		if held := corrected * d.burstPPS; math.Abs(held-d.queue) > 1 || implied < corrected {
			t.Errorf("%+v: implied %.2e s, corrected %.2e s: a queue of %.1f frames", d, implied, corrected, held)
		}
		if sent > 3*40 {
			t.Errorf("%+v: %d bursts for three searches", d, sent)
		}
	}
}

func TestBackToBackLimits(t *testing.T) {
	never := func(uint64) uint64 { return 0 }
	if b, _ := bursts(t, BurstConfig{MaxFrames: 1000, StepFrames: 1, Repeats: 2}, never); !slices.Equal(b.Lengths(), []uint64{1000, 1000}) || b.Bounded() {
		t.Errorf("no loss: %v, bounded %v", b.Lengths(), b.Bounded())
	}
	always := func(n uint64) uint64 { return n }
	if b, _ := bursts(t, BurstConfig{MaxFrames: 1000, StepFrames: 1, Repeats: 1, Verifications: 2}, always); !slices.Equal(b.Lengths(), []uint64{0}) {
		t.Errorf("nothing but loss: %v", b.Lengths())
	}
	if b, _ := bursts(t, BurstConfig{MaxFrames: 4096, StepFrames: 32, Repeats: 1}, burstDUT{queue: 300, burstPPS: 1e6}.lost); b.Lengths()[0] > 300 || b.Lengths()[0] < 268 {
		t.Errorf("in steps of 32: %v, truth 300", b.Lengths())
	}
	for _, c := range []BurstConfig{{}, {MaxFrames: 1, StepFrames: 2, Repeats: 1}, {MaxFrames: 1, StepFrames: 1}, {MaxFrames: 1, StepFrames: 1, Repeats: 1, Verifications: -1}} {
		if _, err := NewBackToBack(c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}

// TestLossVerification: a glitch in one of 20 bursts must not be taken for the queue's end.
func TestLossVerification(t *testing.T) {
	worst := func(verifications int) float64 {
		r := rand.New(rand.NewPCG(1, 2))
		d := burstDUT{queue: 256, burstPPS: 4e6}
		b, _ := bursts(t, BurstConfig{MaxFrames: 1 << 16, StepFrames: 1, Repeats: 50, Verifications: verifications}, func(n uint64) uint64 {
			if r.Float64() < 0.05 {
				return 1 + d.lost(n)
			}
			return d.lost(n)
		})
		return SpreadOf(b.Lengths()).Mean
	}
	with, without := worst(3), worst(0)
	if with < 255 || with > 256 || without > 240 {
		t.Errorf("mean of 50 searches over a queue of 256: %.1f with verification, %.1f without", with, without)
	}
}

func TestSpread(t *testing.T) {
	s := SpreadOf([]uint64{2, 4, 4, 4, 5, 5, 7, 9})
	if s.Mean != 5 || s.Min != 2 || s.Max != 9 || math.Abs(s.Sigma-math.Sqrt(32.0/7)) > 1e-9 {
		t.Errorf("%+v", s)
	}
	if s := SpreadOf([]float64{3}); s != (Spread{3, 3, 3, 0}) {
		t.Errorf("%+v", s)
	}
}

func TestRecoveryLoads(t *testing.T) {
	if over, under := RecoveryLoads(1e6, 4e6); math.Abs(over-1.1e6) > 1 || math.Abs(under-0.55e6) > 1 {
		t.Errorf("%.0f, then %.0f", over, under)
	}
	if over, under := RecoveryLoads(1e6, 1e6); over != 1e6 || under != 0.5e6 {
		t.Errorf("at the maximum load: %.0f, then %.0f", over, under)
	}
}
