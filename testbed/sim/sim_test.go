package sim

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/linerate/linerate/plan"
)

func TestPresetsAreThoseOfThePlan(t *testing.T) {
	names := slices.Sorted(slices.Values(plan.SimPresets()))
	if !slices.Equal(names, Presets()) {
		t.Errorf("a plan knows %v, there are %v", names, Presets())
	}
	if _, err := Preset("soft"); err == nil {
		t.Error("a preset that does not exist was found")
	}
	empty, _ := Preset("")
	if named, _ := Preset(DefaultPreset); empty != named {
		t.Errorf("no preset is %+v, %s is %+v", empty, DefaultPreset, named)
	}
}

// Each field of a plan changes one parameter of a preset, also to 0.
func TestOverridesTakeEffect(t *testing.T) {
	base, err := Preset("linux-like")
	if err != nil {
		t.Fatal(err)
	}
	share := func(v plan.Ratio) *plan.Ratio { return &v }
	tests := []struct {
		field string
		set   plan.Sim
		want  float64
	}{
		{"CapacityPPS", plan.Sim{CapacityPPS: new(5e5)}, 5e5},
		{"QueueFrames", plan.Sim{QueueFrames: new(0)}, 0},
		{"Knee", plan.Sim{Knee: share(0)}, 0},
		{"Jitter", plan.Sim{Jitter: share(0.02)}, 0.02},
		{"BackgroundLoss", plan.Sim{BackgroundLoss: share(1e-4)}, 1e-4},
		{"GlitchProbability", plan.Sim{GlitchProbability: share(0)}, 0},
		{"Collapse", plan.Sim{Collapse: share(0.3)}, 0.3},
		{"MaxLoadPPS", plan.Sim{MaxLoadPPS: new(2e6)}, 2e6},
	}
	for _, tt := range tests {
		tt.set.Preset = "linux-like"
		got, err := FromPlan(tt.set)
		if err != nil {
			t.Fatal(err)
		}
		want := base
		reflect.ValueOf(&want).Elem().FieldByName(tt.field).SetFloat(tt.want)
		if got != want {
			t.Errorf("%s: got %+v, want %+v", tt.field, got, want)
		}
		if want == base {
			t.Errorf("%s: the test sets the value of the preset", tt.field)
		}
	}
	if fields := reflect.TypeFor[plan.Sim]().NumField(); fields != len(tests)+2 { // and preset and seed
		t.Errorf("a plan has %d fields, %d are tested", fields, len(tests)+2)
	}
}

// lostIn is the loss of one trial in one direction.
func lostIn(m Model, pps, seconds float64) uint64 {
	return m.Trial(rand.New(rand.NewPCG(1, 1)), pps, seconds, 1)[0].Lost
}

// The loss of each trouble alone, by hand.
func TestLossByHand(t *testing.T) {
	hard := Model{CapacityPPS: 1000}
	with := func(change func(*Model)) Model {
		m := hard
		change(&m)
		return m
	}
	tests := []struct {
		name         string
		m            Model
		pps, seconds float64
		want         uint64
	}{
		{"at the capacity", hard, 1000, 1, 0},
		{"above it", hard, 1300, 1, 300},
		{"for longer", hard, 1300, 2.5, 750},
		{"a queue holds what is too much", with(func(m *Model) { m.QueueFrames = 250 }), 1300, 1, 50},
		{"and holds it once", with(func(m *Model) { m.QueueFrames = 250 }), 1300, 10, 2750},
		{"collapse", with(func(m *Model) { m.Collapse = 0.5 }), 1300, 1, 450},
		{"collapse down to its floor", with(func(m *Model) { m.Collapse, m.CollapseFloor = 1, 0.5 }), 3000, 1, 2500},
		{"a knee at the capacity", with(func(m *Model) { m.Knee = 0.1 }), 1000, 1, 69}, // 100 ln 2
		{"a knee far below", with(func(m *Model) { m.Knee = 0.01 }), 800, 1, 0},
		{"a glitch in every trial", with(func(m *Model) { m.GlitchProbability, m.GlitchLoss = 1, 0.02 }), 500, 1, 10},
		{"all is lost by background loss", with(func(m *Model) { m.BackgroundLoss = 1 }), 500, 1, 500},
	}
	for _, tt := range tests {
		if got := lostIn(tt.m, tt.pps, tt.seconds); got != tt.want {
			t.Errorf("%s: lost %d of %.0f pps in %.1f s, want %d", tt.name, got, tt.pps, tt.seconds, tt.want)
		}
	}
}

func TestTesterIsShort(t *testing.T) {
	o := Model{CapacityPPS: 1000, MaxLoadPPS: 800}.Trial(rand.New(rand.NewPCG(1, 1)), 1200, 2, 2)
	for _, d := range o {
		if d.Intended != 2400 || d.Sent != 1600 || d.Lost != 0 {
			t.Errorf("%+v; want 2,400 intended, 1,600 sent, none lost", d)
		}
	}
}

// The share of trials with loss, and its amount, follow the parameters.
func TestNoise(t *testing.T) {
	const trials = 4000
	count := func(m Model, pps, seconds float64) (lossy int, lost float64) {
		r := rand.New(rand.NewPCG(5, 5))
		for range trials {
			if n := m.Trial(r, pps, seconds, 1)[0].Lost; n > 0 {
				lossy++
				lost += float64(n)
			}
		}
		return lossy, lost / trials
	}
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s: %.4g, want %.4g ± %.4g", what, got, want, tolerance)
		}
	}
	lossy, _ := count(Model{CapacityPPS: 1e6, GlitchProbability: 0.1, GlitchLoss: 0.01}, 1000, 1)
	near("trials with a glitch", float64(lossy), 0.1*trials, 80)
	_, lost := count(Model{CapacityPPS: 1e6, BackgroundLoss: 1e-3}, 1e5, 1)
	near("frames lost of 100,000 by background loss", lost, 100, 1)
	// One standard deviation below the capacity, one second in six has less.
	lossy, _ = count(Model{CapacityPPS: 1e6, Jitter: 0.01}, 0.99e6, 1)
	near("trials of 1 s with loss", float64(lossy), 0.1587*trials, 90)
	lossy, _ = count(Model{CapacityPPS: 1e6, Jitter: 0.01}, 0.99e6, 5)
	near("trials of 5 s with loss", float64(lossy), (1-math.Pow(1-0.1587, 5))*trials, 120)
}

func TestTruth(t *testing.T) {
	tests := []struct {
		name          string
		m             Model
		loss, seconds float64
		want          float64
	}{
		{"NDR of a hard limit", Model{CapacityPPS: 1e6}, 0, 1, 1e6 + 1},
		{"PDR of a hard limit", Model{CapacityPPS: 1e6}, 0.005, 1, 1e6 / 0.995},
		{"a queue counts once", Model{CapacityPPS: 1e6, QueueFrames: 5000}, 0, 5, 1e6 + 1000},
		{"a queue longer than a second", Model{CapacityPPS: 2000, QueueFrames: 10_000}, 0, 1, 12_001},
		{"PDR above background loss", Model{CapacityPPS: 1e6, BackgroundLoss: 0.001}, 0.005, 1, 1e6 / 0.996},
		{"collapse", Model{CapacityPPS: 1e6, Collapse: 1}, 0.005, 1, 1e6 / 0.9975},
	}
	for _, tt := range tests {
		if got, defined := tt.m.TruthPPS(tt.loss, tt.seconds); !defined || math.Abs(got/tt.want-1) > 2e-6 {
			t.Errorf("%s: %.2f pps, %t; want %.2f", tt.name, got, defined, tt.want)
		}
	}
	if got, defined := (Model{CapacityPPS: 1e6, BackgroundLoss: 1e-6}).TruthPPS(0, 1); defined {
		t.Errorf("with background loss there is an NDR of %.0f pps", got)
	}
	// Just below the truth no frame is lost, just above it one is.
	for _, name := range []string{"hard", "queue", "knee", "collapse", "slow"} {
		m, _ := Preset(name)
		truth, _ := m.TruthPPS(0, 1)
		if below, above := lostIn(m, truth*0.99999, 1), lostIn(m, truth*1.0001+1, 1); below != 0 || above == 0 {
			t.Errorf("%s: lost %d below its NDR of %.0f pps and %d above it", name, below, truth, above)
		}
	}
}

func TestLatencyGrowsWithTheLoad(t *testing.T) {
	m, _ := Preset("queue")
	var last uint64
	for _, share := range []float64{0.1, 0.9, 0.99, 0.999, 1.001, 1.1, 2} {
		l := latencyOf(m.waitingAt(share*m.CapacityPPS, 1), deviceLatencyNS, 1_000_000)
		if l.MeanNS < last {
			t.Errorf("at %.1f %% of the capacity the mean latency falls from %d to %d ns", 100*share, last, l.MeanNS)
		}
		last = l.MeanNS
		var frames uint64
		sum := 0.0
		for _, b := range l.Histogram {
			frames += b.Frames
			sum += float64(b.Frames) * float64(b.UpToNS)
		}
		// The upper edges are up to 3.1 % above the values.
		if mean := sum / float64(frames); frames != l.Frames || mean < float64(l.MeanNS)*0.98 || mean > float64(l.MeanNS)*1.04 {
			t.Errorf("at %.1f %%: %d frames in the histogram with a mean of %.0f ns, the record says %d and %d ns", 100*share, frames, mean, l.Frames, l.MeanNS)
		}
	}
	// A full queue takes the time that the device needs for it.
	if full := uint64(math.Round(deviceLatencyNS + 4096/presetCapacityPPS*1e9)); last > full || last < full*97/100 {
		t.Errorf("under overload %d ns, a full queue takes %d ns", last, full)
	}
}

func TestVirtualTime(t *testing.T) {
	b, err := New(plan.Sim{Preset: "hard", Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	timing := plan.Trial{DrainQuiet: plan.Duration(200 * time.Millisecond), Settle: plan.Duration(time.Second)}
	s := b.Station(plan.Cell{Scenario: "route", IPVersion: 4, FrameSize: 64, Flows: 1, Directions: plan.Uni}, timing)
	first, err := s.Measure(t.Context(), 1e5, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Measure(t.Context(), 2e6, 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if !first.Started.Equal(began) || second.Started.Sub(first.Started) != 3*time.Second+HandlingTime {
		t.Errorf("trials started at %v and %v", first.Started, second.Started)
	}
	if want := 7*time.Second + 2*HandlingTime + 200*time.Millisecond; b.Elapsed() != want {
		t.Errorf("%v went by, want %v: only a trial with loss waits for frames that do not come", b.Elapsed(), want)
	}
	if second.Lost == 0 || second.DUTInputDrops != second.Lost {
		t.Errorf("lost %d, of them %d at the device's queue", second.Lost, second.DUTInputDrops)
	}
}

func TestIMIXBytes(t *testing.T) {
	b, err := New(plan.Sim{Preset: "hard"})
	if err != nil {
		t.Fatal(err)
	}
	s := b.Station(plan.Cell{Scenario: "route", IPVersion: 4, FrameSize: plan.IMIX, Flows: 1, Directions: plan.Uni}, plan.Trial{})
	// Twelve frames are seven of 64, four of 570 and one of 1518 bytes, and the next is one of 64.
	if got, want := s.bytes(13), uint64(7*60+4*566+1514+60); got != want {
		t.Errorf("13 frames have %d bytes without FCS, want %d", got, want)
	}
}
