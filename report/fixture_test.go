package report

import (
	"fmt"
	"math"
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// device is a DUT with a knee, for trials that look like those of a real one.
type device struct {
	capacityPPS float64
	// knee is the width of the region in which loss sets in, as a share of the capacity.
	knee       float64
	background float64
	// offerPPS is the most that the generator can send; 0 is no limit.
	offerPPS float64
	// hiccup makes every seventh trial lose some frames.
	hiccup bool
}

var fixtureStart = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

// trial counts what the device would do with one second of a load each way.
func (d device) trial(cell string, number int, loadPPS float64, ways int) result.Trial {
	n := uint64(loadPPS)
	t := result.Trial{Cell: cell, Number: number, Purpose: result.ForSearch, Started: fixtureStart.Add(time.Duration(number) * 1300 * time.Millisecond),
		Epoch: uint16(number), IntendedLoadPPS: loadPPS, IntendedDurationS: 1, ActualDurationS: 1, Directions: ways}
	offered := loadPPS
	if d.offerPPS > 0 {
		offered = min(offered, d.offerPPS)
	}
	loss := d.background
	if x := loadPPS / d.capacityPPS; x > 1-d.knee {
		loss += 0.004*math.Pow(min(1, (x-1+d.knee)/d.knee), 3) + max(0, 1-1/x)
	}
	if d.hiccup && number%7 == 3 {
		loss += 4e-4
	}
	per := func(v float64) uint64 { return uint64(v) * uint64(ways) }
	t.Intended, t.Sent = n*uint64(ways), per(offered)
	t.Unsent = t.Intended - t.Sent
	t.Lost = uint64(float64(t.Sent) * min(loss, 1))
	t.Received = t.Sent - t.Lost
	t.SentBytes, t.ReceivedBytes = t.Sent*60, t.Received*60
	if t.UnsentRatio() > 0.001 {
		t.Warnings = []result.Warning{{Code: "unsent", Text: fmt.Sprintf("The generator sent %.1f %% less than was intended.", 100*t.UnsentRatio())}}
	}
	if d.hiccup && number%7 == 3 {
		t.Warnings = append(t.Warnings, result.Warning{Code: "steal", Text: "The hypervisor took 3.1 % of CPU 1 away during this trial."})
	}
	return t
}

// search visits the loads that a search would: the ceiling, then closer and closer to the knee.
func (d device) search(cell string, ceilingPPS float64, ways int) []result.Trial {
	warm := d.trial(cell, 1, 0.2*ceilingPPS, ways)
	warm.Purpose = result.ForWarmUp
	trials := []result.Trial{warm}
	middle := min(d.capacityPPS, ceilingPPS)
	loads := []float64{ceilingPPS, 0.5 * middle, 1.5 * middle, 0.75 * middle, 1.12 * middle, 0.9 * middle, 1.03 * middle}
	for _, near := range []float64{0.95, 0.97, 0.985, 1.0, 0.99, 0.98} {
		loads = append(loads, near*middle, near*middle, near*middle)
	}
	for i, l := range loads {
		trials = append(trials, d.trial(cell, i+2, min(l, ceilingPPS), ways))
	}
	return trials
}

func goals(ndr, ndrUpper, pdr, pdrUpper float64, trials int) []result.Goal {
	return []result.Goal{
		{Name: "NDR", TrialDurationS: 1, DurationSumS: 5, LowerPPS: ndr, UpperPPS: ndrUpper, ConditionalPPS: ndr, Trials: trials, TrialSeconds: float64(trials), Regular: ndrUpper > 0 && ndr > 0},
		{Name: "PDR", LossRatio: 0.005, TrialDurationS: 1, DurationSumS: 5, LowerPPS: pdr, UpperPPS: pdrUpper, ConditionalPPS: pdr * 0.998, Trials: trials, TrialSeconds: float64(trials), Regular: pdrUpper > 0 && pdr > 0},
	}
}

func latency(p50 uint64) *result.Latency {
	l := &result.Latency{MinNS: p50 / 2, MeanNS: p50 + p50/6, P50NS: p50, P90NS: p50 * 2, P99NS: p50 * 5, P999NS: p50 * 14, MaxNS: p50 * 61}
	// A log-normal body and a thin tail, in buckets of 3 %.
	for edge := float64(l.MinNS); edge < float64(l.MaxNS); edge *= 1.03 {
		z := math.Log(edge/float64(p50)) / 0.45
		n := uint64(24000 * math.Exp(-z*z/2))
		if edge > float64(5*p50) {
			n += uint64(9 * math.Pow(float64(5*p50)/edge, 1.2))
		}
		if n > 0 {
			l.Histogram = append(l.Histogram, result.Bucket{UpToNS: uint64(edge * 1.03), Frames: n})
			l.Frames += n
		}
	}
	return l
}

func busy(cores, nsPerPacket float64) *result.CPU {
	c := &result.CPU{DUTCoresBusy: cores, NSPerPacket: nsPerPacket}
	c.PerCore = []result.Core{
		{CPU: 0, Role: "tester", User: 0.021, System: 0.312, SoftIRQ: 0.41, IRQ: 0.004, Steal: 0.003, Idle: 0.25, Sink: 0.21},
		{CPU: 1, Role: "dut", User: 0.001, System: 0.02, SoftIRQ: cores - 0.03, IRQ: 0.002, Steal: 0.007, Idle: 1 - cores, Foreign: 0.012, ForeignName: "sshd (process 812)"},
	}
	return c
}

var routeSetup = []string{"sysctl -w net.ipv4.ip_forward=1", "ip address add 198.18.0.1/24 dev d0", "ip address add 198.19.0.1/24 dev d1",
	"ip neighbour replace 198.19.0.2 lladdr 02:00:00:00:01:02 dev d1 nud permanent"}

// fixtureCell is a measured cell of 64-byte frames.
func fixtureCell(scenario, backend string, flows int, dir plan.Direction, verdict result.Verdict, evidence ...string) result.Cell {
	id := scenario
	if backend != "" {
		id += "-" + backend
	}
	return result.Cell{ID: fmt.Sprintf("%s/v4/64/%d/%s", id, flows, dir), Scenario: scenario, Backend: backend, IPVersion: 4, FrameSize: 64, Flows: flows,
		Directions: dir, Engine: "xdp", CeilingPPS: 3.1e6, Verdict: verdict, Evidence: evidence, Setup: routeSetup}
}

// fixture is a run in which everything happens that a report must be able to say.
func fixture() (*result.Run, []result.Trial) {
	run := fixtureRun()
	var trials []result.Trial
	add := func(c result.Cell, d device) {
		run.Cells = append(run.Cells, c)
		trials = append(trials, d.search(c.ID, c.CeilingPPS, directions(c.Directions))...)
	}
	for i, load := range []float64{4e6, 2e6, 3e6, 3.5e6, 3.2e6, 3.1e6} {
		t := device{capacityPPS: 3.15e6, knee: 0.02}.trial("calibration/v4/64/10000/uni", i+1, load, 1)
		t.Purpose = result.ForCalibration
		trials = append(trials, t)
	}

	one := fixtureCell("route", "", 1, plan.Uni, result.DUTBound, "CPU 1 of the DUT was 99 % busy at the throughput.", "The ceiling is 3.10 Mpps, 4.2 times the figure.")
	one.Goals, one.CPU, one.Latency = goals(0.722e6, 0.7256e6, 0.739e6, 0.7427e6, 26), busy(0.99, 1341), latency(21000)
	add(one, device{capacityPPS: 0.742e6, knee: 0.05})

	many := fixtureCell("route", "", 10000, plan.Uni, result.DUTBound, "CPU 1 of the DUT was 99 % busy at the throughput.", "The ceiling is 3.10 Mpps, 4.4 times the figure.")
	many.Goals, many.CPU, many.Latency = goals(0.6781e6, 0.6815e6, 0.7052e6, 0.7087e6, 26), busy(0.99, 1404), latency(23000)
	many.Warnings = []result.Warning{{Code: "one-cpu", Text: "All DUT work ran on one CPU."}}
	add(many, device{capacityPPS: 0.708e6, knee: 0.06, hiccup: true})
	disturbed := device{capacityPPS: 0.708e6, knee: 0.06, offerPPS: 0.61e6}.trial(many.ID, 29, 0.7e6, 1)
	disturbed.Discarded = "12.9 % of the frames were not sent"
	trials = append(trials, disturbed)

	both := fixtureCell("route", "", 10000, plan.Bi, result.DUTBound, "CPU 1 of the DUT was 99 % busy at the throughput.")
	both.Goals, both.CPU, both.Latency = goals(0.3402e6, 0.3419e6, 0.3516e6, 0.3533e6, 26), busy(0.99, 1410), latency(31000)
	both.Goals[0].Verdict, both.Goals[1].Verdict = result.GeneratorBound, result.DUTBound
	add(both, device{capacityPPS: 0.353e6, knee: 0.05})

	stateful := fixtureCell("conntrack", "iptables", 10000, plan.Uni, result.DUTBound, "CPU 1 of the DUT was 98 % busy at the throughput.")
	stateful.Goals, stateful.CPU, stateful.Latency = goals(0.4433e6, 0.4455e6, 0.4551e6, 0.4573e6, 26), busy(0.98, 2152), latency(34000)
	stateful.Conntrack = &result.Conntrack{Entries: 10000, Max: 262144}
	stateful.Setup = append(append([]string{}, routeSetup...), "iptables -A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT")
	add(stateful, device{capacityPPS: 0.457e6, knee: 0.05})

	nft := fixtureCell("snat", "nft", 10000, plan.Uni, result.Unstable, "Three trials at 0.440 Mpps lost 0, 0.3 and 2.1 %.", "Steal on CPU 1 was up to 9 %.")
	nft.Goals, nft.CPU = goals(0.3966e6, 0.4e6, 0.4386e6, 0.4408e6, 26), busy(0.97, 2210)
	add(nft, device{capacityPPS: 0.44e6, knee: 0.16, hiccup: true})

	skipped := fixtureCell("snat", "iptables", 10000, plan.Uni, "")
	skipped.Skipped, skipped.CeilingPPS, skipped.Setup = "iptables was not found: install it with 'apt-get install iptables'", 0, nil
	run.Cells = append(run.Cells, skipped)

	fast := fixtureCell("xdp", "", 10000, plan.Uni, result.GeneratorBound, "At 3.05 Mpps the generator left 1.6 % of the frames unsent.", "No DUT core was above 71 %.")
	fast.Goals, fast.CPU, fast.Latency = goals(3.0e6, 0, 3.04e6, 0, 26), busy(0.71, 232), latency(4100)
	add(fast, device{capacityPPS: 9e6, knee: 0.02, offerPPS: 3.0e6})

	background := 1.2e-4
	leaky := fixtureCell("bridge", "", 10000, plan.Uni, result.Undefined, "0.012 % was lost at 0.05, 0.2 and 0.6 Mpps alike.")
	leaky.BackgroundLossRatio = &background
	leaky.Goals, leaky.CPU = goals(0, 0.05e6, 0.8012e6, 0.8052e6, 26), busy(0.99, 1213)
	leaky.Goals[0].Reason = "background loss"
	add(leaky, device{capacityPPS: 0.805e6, knee: 0.04, background: background})

	imix := fixtureCell("route", "", 10000, plan.Uni, result.DUTBound, "CPU 1 of the DUT was 99 % busy at the throughput.")
	imix.ID, imix.FrameSize, imix.CeilingPPS = "route/v4/imix/10000/uni", plan.IMIX, 2.4e6
	imix.Goals, imix.CPU, imix.Latency = goals(0.601e6, 0.604e6, 0.6301e6, 0.6332e6, 26), busy(0.99, 1571), latency(26000)
	add(imix, device{capacityPPS: 0.633e6, knee: 0.06})
	addLatency(run)
	addLedgers(run)
	addTests(run)
	return run, trials
}

func fixtureRun() *result.Run {
	second := plan.Duration(time.Second)
	goal := plan.Goal{Name: "NDR", ExceedRatio: 0.5, TrialDuration: second, DurationSum: 5 * second, Width: 0.005}
	pdr := goal
	pdr.Name, pdr.LossRatio = "PDR", 0.005
	return &result.Run{
		Schema: result.SchemaV1, ID: "20260314-092653-b1a5", Started: fixtureStart, Finished: fixtureStart.Add(291 * time.Second), Outcome: result.Measured,
		Command: []string{"linerate", "bench", "linux-router", "--set", "traffic.flows=1,10000", "--out", "runs/first run"},
		Plan: plan.Plan{Schema: plan.SchemaV1, Name: "linux-router", Description: "Linux as a router, stateful and with NAT", Testbed: "lab", Lab: plan.Default().Lab,
			Scenarios: []plan.Scenario{"route", "conntrack", "snat-nft", "snat-iptables"}, Workload: plan.Frames, IPerf3: plan.Default().IPerf3, IPerf: plan.Default().IPerf,
			Traffic: plan.Traffic{IPVersions: []int{4}, FrameSizes: []plan.FrameSize{64, plan.IMIX}, Flows: []int{1, 10000},
				Directions: []plan.Direction{plan.Uni, plan.Bi}, Seed: 1, Engine: "auto", Batch: 8},
			Limit: plan.Limit{PPS: 100000, BurstPackets: 64},
			ECMP:  plan.Default().ECMP, Testpmd: plan.Default().Testpmd,
			Ruleset: plan.Default().Ruleset, Routes: plan.Default().Routes, Custom: plan.Default().Custom,
			Trial:   plan.Trial{DrainQuiet: second / 5, DrainMax: 2 * second, Settle: second / 20},
			Search:  plan.Search{Algorithm: "mlrsearch", Goals: []plan.Goal{goal, pdr}, MinLoadPPS: 1000, MaxTrialTime: 60 * second},
			Latency: fixtureLatencyPlan(),
			DUT:     plan.Default().DUT, AB: plan.Default().AB, Sweep: plan.Default().Sweep, Repeated: plan.Default().Repeated},
		Testbed: result.Testbed{Kind: "lab", DUTCPUs: []int{1}, TesterCPUs: []int{0}, MTUBytes: 1500, Queues: 1, Links: []string{"a0-d0", "d1-b0"}},
		Environment: result.Environment{Kernel: "6.18.0", KernelCmdline: "quiet root=/dev/vda1", OS: "Debian GNU/Linux 12", Architecture: "x86_64",
			CPUModel: "Intel Xeon Processor (Sapphire Rapids)", CPUs: 2, MemoryBytes: 25275465728, Virtualisation: "kvm", Governor: "not offered",
			Offloads: map[string]string{"a0 tx-checksumming": "off", "d0 generic-receive-offload": "off", "d1 generic-receive-offload": "off"},
			Sysctls:  map[string]string{"net.ipv4.ip_forward": "1", "net.netfilter.nf_conntrack_max": "262144", "net.core.netdev_budget": "300"},
			Versions: map[string]string{"linerate": "0.1.0", "go": "go1.26.8", "nft": "1.0.6"}},
		Calibration: result.Calibration{CeilingPPS: 2.4e6, Ceilings: []result.Ceiling{
			{IPVersion: 4, FrameSize: 64, Flows: 10000, Directions: plan.Uni, Engine: "xdp", PPS: 3.1e6, P50NS: 3200, Bound: result.GeneratorBound},
			{IPVersion: 4, FrameSize: plan.IMIX, Flows: 10000, Directions: plan.Uni, Engine: "xdp", PPS: 2.4e6, P50NS: 3900, Bound: result.ReceiverBound}}},
		Warnings: []result.Warning{{Code: "virtual-machine", Text: "This machine is a virtual machine on shared hardware: the zero-loss NDR is mostly a measure of its neighbours. Lean on the PDR and on the loss curve."}},
	}
}
