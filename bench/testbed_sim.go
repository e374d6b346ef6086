package bench

import (
	"context"
	"fmt"
	"math"

	"github.com/linerate/linerate/capture"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/sim"
	"github.com/linerate/linerate/trial"
)

// simTestbed is a simulated device. It changes nothing on the machine and needs
// neither root nor Linux's help.
type simTestbed struct {
	*sim.Testbed
	plan plan.Plan
	// rounds counts the plans that it has followed.
	rounds uint64
}

func newSimTestbed(p plan.Plan) (*simTestbed, error) {
	t, err := sim.New(p.Sim)
	if err != nil {
		return nil, err
	}
	return &simTestbed{Testbed: t, plan: p}, nil
}

func (b *simTestbed) open() error { return nil }

// follow makes the device that of another plan: a variant may be another device. What
// it draws at random goes on, so that measuring one device twice gives two figures.
func (b *simTestbed) follow(p plan.Plan) error {
	b.plan = p
	b.rounds++
	return b.Become(p.Sim, b.rounds)
}

func (b *simTestbed) clear() error { return nil }
func (b *simTestbed) close() error { return nil }

func (b *simTestbed) describe() (result.Testbed, []result.Warning) {
	described := result.Testbed{
		Kind: b.plan.Testbed, DUTCPUs: []int{}, TesterCPUs: []int{}, MTUBytes: b.plan.Lab.MTUBytes,
		Links: []string{"none: the device and its tester are simulated"},
	}
	return described, []result.Warning{{Code: "simulated", Text: "this is a simulation: no frame was sent, and no device was measured. " +
		"Scenarios, flows and frame sizes make no difference to the simulated device: but for none, which has no device, cells differ by chance only"}}
}

// environment is empty: the machine that computes a simulation has no part in it.
func (b *simTestbed) environment() (result.Environment, []result.Warning, error) {
	return result.Environment{Offloads: map[string]string{}, Sysctls: map[string]string{}, Versions: map[string]string{}}, nil, nil
}

func (b *simTestbed) makeDUT(plan.Cell) (madeDUT, string, error) {
	return madeDUT{undo: func() error { return nil }}, "", nil
}

func (b *simTestbed) openStation(c plan.Cell) (tester, error) {
	return &simStation{b.Station(c, b.plan.Trial)}, nil
}

// simulation is the record of the model, with its truth for the goals of the plan.
func (b *simTestbed) simulation() *result.Sim {
	m := b.Model
	s := &result.Sim{
		Preset: b.plan.Sim.Preset, Seed: b.plan.Sim.Seed,
		CapacityPPS: m.CapacityPPS, QueueFrames: uint64(m.QueueFrames), Knee: m.Knee, Jitter: m.Jitter, BackgroundLoss: m.BackgroundLoss,
		GlitchProbability: m.GlitchProbability, Collapse: m.Collapse, MaxLoadPPS: m.MaxLoadPPS,
	}
	if s.Preset == "" {
		s.Preset = sim.DefaultPreset
	}
	for _, g := range b.plan.Search.Goals {
		pps, defined := m.TruthPPS(float64(g.LossRatio), g.TrialDuration.Seconds())
		if !defined {
			continue
		}
		switch g.Name {
		case "NDR":
			s.Truth.NDRPPS = &pps
		case "PDR":
			s.Truth.PDRPPS = &pps
		}
	}
	return s
}

// simStation is a trial.Measurer in virtual time.
type simStation struct{ station *sim.Station }

// Measure makes a trial, which takes no time.
func (s *simStation) Measure(ctx context.Context, r trial.Request) (result.Trial, error) {
	switch {
	case r.Step.After > 0:
		return s.station.MeasureStep(ctx, r.LoadPPS, r.Step.After, r.Step.PPS, r.Duration-r.Step.After)
	case r.Frames > 0 && r.LoadPPS == 0:
		return s.station.MeasureBurst(ctx, r.Frames)
	}
	return s.station.Measure(ctx, r.LoadPPS, r.Duration)
}

func (s *simStation) learn(ctx context.Context) error  { return ctx.Err() }
func (s *simStation) engineName() string               { return "sim" }
func (s *simStation) hasten()                          {}
func (s *simStation) tap(int) ([]*capture.Port, error) { return nil, nil }
func (s *simStation) mostPPS() float64                 { return math.Inf(1) }
func (s *simStation) close() error                     { return nil }

func (s *simStation) silent(t result.Trial) error {
	if t.Received == 0 {
		return fmt.Errorf("no frame fits into a trial of %.2f s at %.3g pps; set a greater sim.max_load_pps", t.IntendedDurationS, s.station.MaxLoadPPS())
	}
	return nil
}
