package bench

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
	"github.com/linerate/linerate/trial"
)

func TestLatencyLoads(t *testing.T) {
	ndr, pdr := search.Bounds{Goal: search.Goal{Name: "NDR"}, LowerPPS: 500, HasLower: true}, search.Bounds{Goal: search.Goal{Name: "PDR"}, LowerPPS: 1000, HasLower: true}
	none := search.Bounds{Goal: search.Goal{Name: "NDR"}, LowerPPS: 0}
	p := plan.Default().Latency
	p.LoadsPPS = []float64{77}
	for _, tt := range []struct {
		goal   string
		bounds []search.Bounds
		want   []latencyLoad
	}{
		{"", []search.Bounds{ndr, pdr}, []latencyLoad{{0.1, 100}, {0.5, 500}, {0.9, 900}, {1, 1000}, {0, 77}}},
		{"ndr", []search.Bounds{ndr, pdr}, []latencyLoad{{0.1, 50}, {0.5, 250}, {0.9, 450}, {1, 500}, {0, 77}}},
		{"", []search.Bounds{none, pdr}, []latencyLoad{{0.1, 100}, {0.5, 500}, {0.9, 900}, {1, 1000}, {0, 77}}},
		{"NDR", []search.Bounds{none, pdr}, []latencyLoad{{0, 77}}},
		{"", []search.Bounds{none}, []latencyLoad{{0, 77}}},
	} {
		p.ThroughputGoal = tt.goal
		throughput, _ := latencyThroughput(p, tt.bounds)
		if got := latencyLoads(p, throughput); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("goal %q of %d: %v, want %v", tt.goal, len(tt.bounds), got, tt.want)
		}
	}
}

func TestLatencyFloorLoads(t *testing.T) {
	at := func(loads ...float64) (list []result.LatencyAt) {
		for _, l := range loads {
			list = append(list, result.LatencyAt{LoadPPS: l})
		}
		return list
	}
	all := func(result.Cell) bool { return true }
	cells := []result.Cell{{Scenario: "route", LatencyAt: at(100, 500, 1000)}, {Scenario: "conntrack", LatencyAt: at(90, 450, 800)}}
	if got, want := floorLoads(cells, all), []float64{90, 450, 800}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, c := range cells { // every load of a cell has a floor within the factor
		for _, l := range c.LatencyAt {
			near := false
			for _, f := range floorLoads(cells, all) {
				near = near || f <= sameLoad*l.LoadPPS && l.LoadPPS <= sameLoad*f
			}
			if !near {
				t.Errorf("load %.0f has no floor near it", l.LoadPPS)
			}
		}
	}
	cells = append(cells, result.Cell{Scenario: "none", LatencyAt: at(95, 1000)})
	if got, want := floorLoads(cells, all), []float64{450, 800}; len(got) != 1 || got[0] != 450 {
		t.Errorf("beside a cell without a DUT: %v; 800 is within %.2f of 1000, so not %v", got, sameLoad, want)
	}
	if got := floorLoads(cells, func(result.Cell) bool { return false }); len(got) != 0 {
		t.Errorf("no cell of this shape has the loads %v", got)
	}
}

// plant runs commands in the DUT's namespace; %s in them is its device towards B.
func (b bed) plant(t *testing.T, what string, commands ...string) {
	t.Helper()
	var steps []dut.Step
	for _, c := range commands {
		c = strings.ReplaceAll(c, "%s", b.lab.DUT.B.Interface)
		action := journal.Action{Kind: journal.Command, Netns: b.lab.DUT.Netns, Argv: strings.Fields(c)}
		if rules, ok := strings.CutPrefix(c, "nft:"); ok {
			action.Argv, action.Stdin = []string{"nft", "-f", "-"}, rules
		}
		steps = append(steps, dut.Step{Do: action})
	}
	if _, err := dut.Apply(steps, b.journal); err != nil {
		testenv.Need(t, what, err)
	}
}

func (b bed) measureLatency(t *testing.T, pps float64, d time.Duration) result.Trial {
	t.Helper()
	r, err := b.station.bed.Measure(t.Context(), trial.Request{LoadPPS: pps, Duration: d, Variation: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPlantedLatencyIsFound plants a queue that is always full: what it holds divided
// by its rate is the latency of every frame but the first ones. A token bucket counts the
// 14 bytes of the Ethernet header with the packet: 60 bytes of a 64-byte frame.
func TestPlantedLatencyIsFound(t *testing.T) {
	const frameBits, rate, queueFrames = 60 * 8, 4000, 120 // packets per second, frames
	b := openBed(t, testPlan(), cellOf("route", 4, 10, plan.Uni))
	b.plant(t, "tc with the token bucket (sch_tbf)",
		fmt.Sprintf("tc qdisc add dev %%s root tbf rate %dbit burst 120 limit %d", rate*frameBits, queueFrames*60))
	r := b.measureLatency(t, 1.5*rate, time.Second)
	if r.Lost < r.Sent/4 || r.Lost > r.Sent/2 || r.Latency == nil {
		t.Fatalf("sent %d, lost %d: the queue is not as planted", r.Sent, r.Lost)
	}
	const planted = 1e9 * queueFrames / rate // 30 ms
	at := r.LatencyAt()
	// The tail belongs to the machine: a timer that is late by 20 ms is in the P99.
	for name, got := range map[string]uint64{"P50": at.Latency.P50NS, "P90": at.Latency.P90NS} {
		if float64(got) < 0.85*planted || float64(got) > 1.2*planted {
			t.Errorf("%s is %v, planted %v", name, time.Duration(got), time.Duration(planted))
		}
	}
	if at.Latency.MinNS > 5e6 || at.PDVNS < planted/2 {
		t.Errorf("the first frame took %v, PDV is %v: the queue was empty before", time.Duration(at.Latency.MinNS), time.Duration(at.PDVNS))
	}
	t.Logf("planted %v: P50 %v, P99 %v, max %v, PDV %v, IPDV %v to %v", time.Duration(planted), time.Duration(at.Latency.P50NS), time.Duration(at.Latency.P99NS),
		time.Duration(at.Latency.MaxNS), time.Duration(at.PDVNS), time.Duration(at.IPDVMinNS), time.Duration(at.IPDVMaxNS))
}

// TestPlantedOrderIsFound sends every tenth frame through a queue of its own that is
// slower than they come: each waits longer than the one before, and later frames pass it.
func TestPlantedOrderIsFound(t *testing.T) {
	b := openBed(t, testPlan(), cellOf("route", 4, 1, plan.Uni))
	b.plant(t, "nft, and tc with classes (sch_htb)",
		"tc qdisc add dev %s root handle 1: htb default 1",
		"tc class add dev %s parent 1: classid 1:1 htb rate 1gbit burst 100k cburst 100k",
		"tc class add dev %s parent 1: classid 1:2 htb rate 192kbit burst 120 cburst 120",
		"nft:table ip planted {\n chain forward {\n type filter hook forward priority 0\n numgen inc mod 10 == 0 meta priority set 1:2\n }\n}\n")
	r := b.measureLatency(t, 5000, 400*time.Millisecond)
	if r.Sent != 2000 || r.Received != r.Sent || r.Duplicated != 0 {
		t.Errorf("sent %d, received %d, duplicated %d", r.Sent, r.Received, r.Duplicated)
	}
	// The first pass at once, while the tokens of the class last.
	if slow := r.Sent / 10; r.Reordered < slow*9/10 || r.Reordered > slow {
		t.Errorf("%d frames of %d were reordered, %d went the slow way", r.Reordered, r.Sent, slow)
	}
	if at := r.LatencyAt(); at.ReorderedRatio != float64(r.Reordered)/2000 {
		t.Errorf("reordered ratio %g", at.ReorderedRatio)
	}
}

// TestPlantedDuplicatesAreFound lets the DUT send every tenth frame twice.
func TestPlantedDuplicatesAreFound(t *testing.T) {
	b := openBed(t, testPlan(), cellOf("route", 4, 7, plan.Uni))
	b.plant(t, "nft with dup", fmt.Sprintf("nft:table ip planted {\n chain forward {\n type filter hook forward priority 0\n numgen inc mod 10 == 0 dup to %v device \"%%s\"\n }\n}\n", b.lab.DUT.B.Tester4))
	r := b.measureLatency(t, 5000, 400*time.Millisecond)
	if r.Received != 2000 || r.Lost != 0 || r.Duplicated != 200 || r.Reordered != 0 {
		t.Errorf("received %d, lost %d, duplicated %d of 200 planted, reordered %d", r.Received, r.Lost, r.Duplicated, r.Reordered)
	}
}

// TestLatencyOfARun measures the latency of a cell, and of the tester at the same loads.
func TestLatencyOfARun(t *testing.T) {
	run, trials, _, err := runPlan(t, t.Context(), "scenarios=route", "traffic.flows=50", "traffic.per_flow=true", "search.goals=PDR",
		"search.goals.PDR.trial_duration=200ms", "search.goals.PDR.duration_sum=600ms", "search.goals.PDR.width=10%", "search.max_trial_time=10s",
		"latency.enabled=true", "latency.trial_duration=100ms", "latency.load_pps=20000", "latency.trials_per_load=3")
	if err != nil {
		t.Fatal(err)
	}
	c := run.Cells[0]
	if len(c.LatencyAt) != 5 {
		t.Fatalf("%d loads, want 4 shares and one fixed", len(c.LatencyAt))
	}
	made := map[int]result.Trial{}
	for _, r := range trials {
		if r.Purpose == result.ForLatency && r.Discarded == "" {
			made[r.Number] = r
		}
	}
	floors := run.Calibration.Ceilings[0].LatencyFloor
	if len(made) != 3*(5+len(floors)) || len(floors) < 2 {
		t.Errorf("%d latency trials for 5 loads and %d floors", len(made), len(floors))
	}
	for i, at := range c.LatencyAt {
		r, ok := made[at.Trial]
		if !ok || at.Trials != 3 || r.Cell != c.ID || r.IntendedLoadPPS != at.LoadPPS || r.Latency == nil || r.Latency.P99NS != at.Latency.P99NS {
			t.Errorf("load %d: trial %d of %d is not its own: %+v", i, at.Trial, at.Trials, r.IntendedLoadPPS)
			continue
		}
		floor, ok := run.LatencyFloor(c, at.LoadPPS)
		if !ok || floor.LoadPPS > sameLoad*at.LoadPPS || at.LoadPPS > sameLoad*floor.LoadPPS {
			t.Errorf("the floor nearest to %.0f pps is at %.0f pps", at.LoadPPS, floor.LoadPPS)
		}
		if at.IPDVPairs == 0 || at.IPDVPairs > r.Received-50 || at.IPDVMinNS > at.IPDVMedianNS || at.IPDVMedianNS > at.IPDVMaxNS {
			t.Errorf("at %.0f pps: %d pairs of %d frames, IPDV %d, %d, %d", at.LoadPPS, at.IPDVPairs, r.Received, at.IPDVMinNS, at.IPDVMedianNS, at.IPDVMaxNS)
		}
	}
	if f := c.FlowFairness; f == nil || f.Flows != 50 || f.MinFrames > f.MedianFrames || f.MedianFrames > f.MaxFrames || f.JainIndex <= 0 || f.JainIndex > 1 {
		t.Errorf("fairness %+v", f)
	}
	if len(c.QueueShares) != 2 || c.QueueShares[0].Device != "da" || c.QueueShares[0].Frames == 0 || c.QueueShares[0].BusyRatio <= 0 {
		t.Errorf("queues %+v", c.QueueShares)
	}
}
