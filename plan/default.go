package plan

import "time"

// Default is the plan that a YAML plan starts from: what it leaves out, it takes
// from here. It measures one cell of the lab: a router, 64-byte IPv4 frames, one
// flow, one direction. The trial's drain is that of RFC 2544 section 23 with the
// two seconds as a maximum; the goals are those of DefaultGoals.
func Default() Plan {
	return Plan{
		Schema:    SchemaV1,
		Name:      "default",
		Testbed:   "lab",
		Lab:       Lab{MTUBytes: 1500, EndOffloads: offloadsAuto},
		Scenarios: []Scenario{"route"},
		Workload:  Frames,
		IPerf3:    defaultIPerf3(),
		IPerf:     defaultIPerf(),
		Traffic: Traffic{
			IPVersions: []int{4},
			FrameSizes: []FrameSize{MinFrameSize},
			Flows:      []int{1},
			Directions: []Direction{Uni},
			Seed:       1,
			Engine:     EngineAuto,
			Batch:      8,
		},
		Limit:   Limit{PPS: 100_000, BurstPackets: 64},
		Testpmd: Testpmd{Cores: 1},
		Ruleset: defaultRuleset(),
		Routes:  defaultRoutes(),
		Custom:  Custom{Timeout: Duration(time.Minute)},
		ECMP:    defaultECMP(),
		Trial: Trial{
			DrainQuiet: Duration(200 * time.Millisecond),
			DrainMax:   Duration(2 * time.Second),
		},
		Search: Search{
			Algorithm:    "mlrsearch",
			Goals:        DefaultGoals(),
			MinLoadPPS:   1000,
			MaxTrialTime: Duration(24 * time.Second),
		},
		Latency:        defaultLatency(),
		Tests:          []Test{Throughput},
		FrameLossRate:  defaultFrameLossRate(),
		BackToBack:     defaultBackToBack(),
		SystemRecovery: defaultSystemRecovery(),
		Observe:        defaultObserve(),
		Cost:           defaultCost(),
		DUT:            DUT{NAPIDeferHardIRQs: 2},
		AB:             defaultAB(),
		Sweep:          defaultSweep(),
		Repeated:       defaultRepeated(),
		VM:             defaultVM(),
	}
}

// DefaultGoals are NDR (no loss at all) and PDR (at most 0.5 % loss), both with
// trials of 1 s, 5 s of trial time for a decision, an exceed ratio of 0.5 and a
// width of 0.5 % (the attributes of RFC 9971 section 6).
func DefaultGoals() []Goal {
	return []Goal{goalOf("NDR", 0), goalOf("PDR", 0.005)}
}

func goalOf(name string, loss Ratio) Goal {
	return Goal{
		Name:          name,
		LossRatio:     loss,
		ExceedRatio:   0.5,
		TrialDuration: Duration(time.Second),
		DurationSum:   Duration(5 * time.Second),
		Width:         0.005,
	}
}

// defaultGoal is what a goal of the given name starts from. Only the default
// goals know their loss ratio, so known is false for any other name.
func defaultGoal(name string) (goal Goal, known bool) {
	for _, g := range DefaultGoals() {
		if g.Name == name {
			return g, true
		}
	}
	return goalOf("", 0), false
}
