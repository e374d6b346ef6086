package bench

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/observe/cost"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/trial"
)

// costOf samples a DUT under more load than it can carry, and repeats a trial that was
// disturbed. A virtual CPU that never sleeps takes its samples on time.
func costOf(t *testing.T, p plan.Plan, scenario plan.Scenario) (c *result.Cost, busyNS float64) {
	t.Helper()
	b := openBed(t, p, cellOf(scenario, 4, 1, plan.Uni))
	symbols, err := cost.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	probe, err := b.station.sampling(3989)
	testenv.Need(t, "perf events", err)
	if err := probe.Close(); err != nil {
		t.Fatal(err)
	}
	disturbed := "not tried"
	for i := 0; i < 5 && disturbed != ""; i++ {
		w := &watchedBed{Measurer: b.station, open: func() (*cost.Watch, error) { return b.station.sampling(3989) }}
		one, err := w.Measure(context.Background(), requestOf(2_000_000, 2*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if c, _, err = w.taken.Cost(one.Received, symbols); err != nil {
			t.Fatal(err)
		}
		busyNS, disturbed = one.CPU.NSPerPacket, trial.Disturbed(one)
	}
	if disturbed != "" {
		t.Logf("every trial was disturbed, the last: %s", disturbed)
	}
	t.Logf("%s: %.0f ns per packet of %d samples, %.0f by switches", scenario, c.SampledNSPerPacket, c.DUTSamples, busyNS)
	return c, busyNS
}

// subsystem is a part's cost; none has no samples.
func subsystem(c *result.Cost, name string) result.CostPart {
	for _, p := range c.Subsystems {
		if p.Name == name {
			return p
		}
	}
	return result.CostPart{Name: name}
}

// TestCostFindsWhatTheScenarioDoes: connection tracking costs where it is, and nothing
// where it is not; and the samples add up to the CPU time that the DUT's threads had.
func TestCostFindsWhatTheScenarioDoes(t *testing.T) {
	const tracking = "connection tracking"
	for _, tt := range []struct {
		scenario plan.Scenario
		tracks   bool
	}{{"route", false}, {"conntrack", true}} {
		t.Run(string(tt.scenario), func(t *testing.T) {
			c, busyNS := costOf(t, testPlan(), tt.scenario)
			if got := subsystem(c, tracking); (got.Samples > 0) != tt.tracks || tt.tracks && got.NSPerPacket < 0.03*c.SampledNSPerPacket {
				t.Errorf("%s has %d samples and %.1f of %.0f ns", tracking, got.Samples, got.NSPerPacket, c.SampledNSPerPacket)
			}
			for _, name := range []string{"driver (veth)", "IP", "route look-up (FIB)", "packet memory"} {
				if subsystem(c, name).Samples == 0 {
					t.Errorf("no sample in %s", name)
				}
			}
			if d := c.SampledNSPerPacket/busyNS - 1; math.Abs(d) > 0.1 {
				t.Errorf("the samples add up to %.0f ns per packet, the DUT's threads had %.0f: %+.1f %%", c.SampledNSPerPacket, busyNS, 100*d)
			}
			sum := 0.0
			for _, f := range c.Functions {
				sum += f.NSPerPacket
			}
			if math.Abs(sum/c.SampledNSPerPacket-1) > 1e-6 {
				t.Errorf("the functions add up to %g of %g ns", sum, c.SampledNSPerPacket)
			}
		})
	}
}

// TestCostOfRulesGrows plants rules that look at an address and do not match: what
// nftables costs has to grow with their number, and the rest has not.
func TestCostOfRulesGrows(t *testing.T) {
	const rules = "nftables and iptables"
	before := result.CostPart{}
	for i, n := range []int{1, 20, 200} {
		p := testPlan()
		p.Ruleset.Rules, p.Ruleset.Hit = n, plan.HitNone
		c, _ := costOf(t, p, "nft-ruleset")
		now := subsystem(c, rules)
		t.Logf("%d rules: %.0f ns, from %.0f to %.0f, of %.0f", n, now.NSPerPacket, now.LowNSPerPacket, now.HighNSPerPacket, c.SampledNSPerPacket)
		if i > 0 && now.LowNSPerPacket <= before.HighNSPerPacket {
			t.Errorf("%d rules cost from %.0f ns, fewer of them up to %.0f", n, now.LowNSPerPacket, before.HighNSPerPacket)
		}
		if n == 200 && now.NSPerPacket < 0.5*c.SampledNSPerPacket {
			t.Errorf("200 rules are only %.0f of %.0f ns", now.NSPerPacket, c.SampledNSPerPacket)
		}
		before = now
	}
}
