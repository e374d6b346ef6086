package bench

import (
	"context"
	"math"
	"os/exec"
	"testing"
	"time"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/trial"
	"golang.org/x/sys/unix"
)

// TestOtherTestsOfAKnownLimit: a token bucket of 64 packets that is filled at 100 kpps
// has a known loss at every load, a known longest burst, and recovers at once.
func TestOtherTestsOfAKnownLimit(t *testing.T) {
	run, trials, _, err := runPlan(t, context.Background(), "scenarios=limit", "traffic.flows=10", "search.max_load_pps=300000",
		"search.goals=PDR", "search.goals.PDR.duration_sum=1s", "search.goals.PDR.trial_duration=500ms", "search.goals.PDR.width=2%", "search.max_trial_time=8s",
		"tests=throughput,frame-loss-rate,back-to-back,system-recovery", "frame_loss_rate.trial_duration=300ms",
		"back_to_back.repeats=3", "system_recovery.overload_duration=300ms", "system_recovery.recovery_duration=300ms", "system_recovery.repeats=3")
	if err != nil {
		t.Fatal(err)
	}
	c := run.Cells[0]
	// The loads from 300 to 120 kpps lose what is above 100 kpps; 90 and 60 lose nothing.
	if n := len(c.FrameLossRate); n < 9 || n > 10 {
		t.Errorf("%d loads: %+v", n, c.FrameLossRate)
	}
	for i, p := range c.FrameLossRate {
		if want := math.Max(0, 1-100_000/p.LoadPPS); math.Abs(p.LossRatio-want) > 0.02 || math.Abs(p.LoadRatio-(1-0.1*float64(i))) > 1e-9 {
			t.Errorf("load %d: %+v, want a loss of %.3f", i, p, want)
		}
	}
	b := c.BackToBack
	// The bucket fills while the DUT works on the burst: by 10 tokens in 100 µs. What
	// the correction of RFC 9004 leaves is the bucket.
	if b == nil || !b.Bounded || b.Repeats != 3 || len(b.LengthsFrames) != 3 || b.MinFrames < 64 || b.MaxFrames > 84 {
		t.Fatalf("bursts into a bucket of 64: %+v", b)
	}
	if held := b.CorrectedBufferNS / 1e9 * b.BurstPPS; held < 58 || held > 76 {
		t.Errorf("a bucket of 64 is found to hold %.1f: %+v", held, b)
	}
	s := c.SystemRecovery
	// A machine that stalls loses frames later too, but not each time.
	if s == nil || s.Unrecovered != 0 || len(s.TimesNS) != 3 || s.MinNS > s.ResolutionNS || s.OverloadPPS < 105_000 || s.RecoveryPPS > 60_000 {
		t.Errorf("recovery: %+v", s)
	}
	t.Logf("bursts %+v, recovery %+v", b, s)
	counted := map[result.Purpose]int{}
	for _, r := range trials {
		if r.Discarded == "" {
			counted[r.Purpose]++
		}
		if r.Purpose == result.ForRecovery && (r.Step == nil || r.Lost == 0) {
			t.Errorf("an overload without loss: %+v", r)
		}
	}
	if counted[result.ForLossRate] != len(c.FrameLossRate) || counted[result.ForRecovery] != 3 || counted[result.ForBursts] < 3*5 {
		t.Errorf("trials by purpose: %v", counted)
	}
}

// TestBurstsFillTheRing: what limits a burst into a veth is its ring of 256 frames.
func TestBurstsFillTheRing(t *testing.T) {
	run, _, _, err := runPlan(t, context.Background(), "scenarios=route", "traffic.flows=10", "search.goals=PDR",
		"search.goals.PDR.duration_sum=1s", "search.goals.PDR.trial_duration=500ms", "search.goals.PDR.width=3%", "search.max_trial_time=12s",
		"tests=throughput,back-to-back", "back_to_back.repeats=5", "back_to_back.max_frames=65536")
	if err != nil {
		t.Fatal(err)
	}
	b := run.Cells[0].BackToBack
	if b == nil || !b.Bounded {
		t.Fatalf("%+v", b)
	}
	held := b.CorrectedBufferNS / 1e9 * b.BurstPPS
	t.Logf("%+v: a buffer of %.0f frames", b, held)
	// A burst that fits into the ring loses nothing, however slow the DUT is. The DUT
	// forwards a burst at another rate than a steady load, so the correction is rough.
	if b.MinFrames < 256 || b.MeanFrames > 2000 || held < 50 || held > 512 {
		t.Errorf("bursts of at least %.0f frames, a buffer of %.0f; the ring has 256", b.MinFrames, held)
	}
}

// TestLastLossAfterAStep plants a rule that drops after the step of the load too, and
// takes it away at a known time.
func TestLastLossAfterAStep(t *testing.T) {
	const rule = `table ip planted {
	chain forward {
		type filter hook forward priority 0;
		limit rate over 5000/second burst 5 packets drop
	}
}
`
	_, err := exec.LookPath("nft")
	testenv.Need(t, "nft", err)
	b := openBed(t, testPlan(), cellOf("route", 4, 10, plan.Uni))
	load := trial.Request{LoadPPS: 40_000, Duration: 600 * time.Millisecond, Step: generator.Step{PPS: 20_000, After: 200 * time.Millisecond}}
	for range 3 {
		plant := dut.Step{
			Do:   journal.Action{Kind: journal.Command, Netns: b.lab.DUT.Netns, Argv: []string{"nft", "-f", "-"}, Stdin: rule},
			Undo: journal.Action{Kind: journal.Command, Netns: b.lab.DUT.Netns, Argv: []string{"nft", "delete", "table", "ip", "planted"}},
		}
		if err := plant.Do.Run(); err != nil {
			t.Fatal(err)
		}
		removed := make(chan [2]int64, 1)
		timer := time.AfterFunc(450*time.Millisecond, func() {
			from := monotonic()
			if err := plant.Undo.Run(); err != nil {
				t.Error(err)
			}
			removed <- [2]int64{from, monotonic()}
		})
		defer timer.Stop()
		r, err := b.station.bed.Measure(context.Background(), load)
		if err != nil {
			t.Fatal(err)
		}
		window := <-removed
		if trial.Disturbed(r) != "" {
			continue
		}
		if r.Step == nil || r.Step.LossToTheEnd || r.Lost == 0 {
			t.Fatalf("%+v, step %+v", r, r.Step)
		}
		last := int64(r.Step.AtNS) + int64(r.Step.LastLossNS)
		// Three of four frames are dropped until the rule goes: the last loss is close to that.
		if early, late := window[0]-2e6, window[1]+2e6; last < early || last > late {
			t.Errorf("the rule went between %d and %d ns, the last loss was found at %d", window[0], window[1], last)
		}
		return
	}
	t.Error("all trials were disturbed")
}

func monotonic() int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return ts.Nano()
}
