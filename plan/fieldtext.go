package plan

import (
	"math"
	"time"
)

// fieldTexts say in one line what each field and group of a plan means. The JSON
// schema and --help take them from here; a test holds them complete.
var fieldTexts = map[string]string{
	"schema":      "the version of this file's form: " + SchemaV1,
	"name":        "the plan's name; by default the file's",
	"description": "what the plan measures, in a sentence",
	"testbed":     "where to measure: lab, network namespaces on this machine, sim, a simulated DUT that no frame is sent to, or vm, kernels in virtual machines (by `linerate kernels`)",
	"scenarios":   "what the DUT is made to be, one after the other",

	"workload":             "what passes the DUT: frames, test frames of linerate's own, or the streams of iperf3 or iperf",
	"base_scenario":        "the scenario that the ratios of workloads of streams are given to",
	"iperf3":               "workload iperf3: each number of streams is a cell",
	"iperf3.protocol":      "tcp or udp",
	"iperf3.streams":       "parallel streams (-P), a cell for each number",
	"iperf3.reverse":       "send from B to A (-R)",
	"iperf3.bidir":         "send both ways at once (--bidir)",
	"iperf3.seconds":       "seconds measured (-t)",
	"iperf3.omit_seconds":  "seconds before them that are not measured (-O)",
	"iperf3.payload_bytes": "UDP payload of a datagram, or length of a TCP write (-l); 0: as iperf3 chooses",
	"iperf3.target_l4_bps": "payload bits per second that each stream sends at most (-b); 0: unlimited",
	"iperf3.congestion":    "congestion control of TCP (-C); by default the kernel's",
	"iperf3.repeats":       "how often each cell is measured; the one with the median total counts",
	"iperf":                "workload iperf (iperf 2): UDP streams from A to B, each number of streams is a cell",
	"iperf.streams":        "parallel streams (-P), a cell for each number",
	"iperf.payload_bytes":  "UDP payload of a datagram (-l): 36 makes an IPv4 packet of 64 bytes",
	"iperf.seconds":        "seconds measured (-t)",
	"iperf.target_l4_bps":  "payload bits per second that each stream sends at most (-b); 0: unlimited",
	"iperf.repeats":        "how often each cell is measured; the one with the median total counts",

	"lab":             "the CPUs and links of the lab testbed",
	"lab.dut_cpus":    "CPUs that forward; by default chosen from the machine's",
	"lab.tester_cpus": "CPUs that generate and count frames; by default those that dut_cpus leaves",
	"lab.sink_cpus":   "CPUs that count frames; by default some of tester_cpus, or the DUT's own if none is left",
	"lab.mtu_bytes":   "IP MTU of every link: 1500 carries frames up to 1518 bytes",

	"lab.end_offloads": "on or off: checksum and segmentation offload of the tester's ends under a workload of streams; auto: off where a scenario is not the kernel's stack",

	"sim":                    "the device of testbed sim: a preset, and what is changed of it",
	"sim.preset":             "hard, queue, knee, jitter, background-loss, glitch, collapse, linux-like or slow; by default linux-like",
	"sim.capacity_pps":       "packets per second that the device forwards in each direction",
	"sim.queue_frames":       "frames that may wait in the device at the end of a trial",
	"sim.knee":               "width of the gradual onset of loss around the capacity, as a share of it; 0: a sharp edge",
	"sim.jitter":             "standard deviation of the capacity from second to second, as a share of it",
	"sim.background_loss":    "share of the frames that are lost at any load",
	"sim.glitch_probability": "share of the trials in which a burst of frames is lost",
	"sim.collapse":           "capacity that each frame above the capacity costs, in frames",
	"sim.max_load_pps":       "packets per second that the simulated tester can offer in each direction",
	"sim.seed":               "fixes the noise: two runs with one seed have the same trials",

	"traffic":                     "the frames; every combination of the lists is a cell",
	"traffic.ip_version":          "4, 6 or both",
	"traffic.frame_size":          "bytes with the 4-byte FCS (RFC 2544 section 9.1), or imix (64, 570 and 1518 bytes, 7:4:1)",
	"traffic.flows":               "number of flows; one flow stays on one DUT core, many can spread",
	"traffic.directions":          "uni: A to B; bi: both ways, each at the intended load",
	"traffic.seed":                "fixes the drawing of addresses and ports: two runs with one seed send the same flows",
	"traffic.engine":              "the generator: " + EngineList(),
	"traffic.afxdp_mode":          "how engine afxdp hands frames over: copy, zerocopy, or auto for what the driver can; the record says which was granted",
	"traffic.testpmd_driver":      "how engine testpmd opens its device: afpacket, or afxdp, which sends one way only",
	"traffic.pktgen":              "settings of engine pktgen, by the kernel's names",
	"traffic.pktgen.clone_skb":    "times that each frame is sent before the next is built; a veth takes 0 only",
	"traffic.pktgen.burst":        "times that a frame is handed to the driver at once; 0: once, as a veth needs it",
	"traffic.pktgen.threads":      "sending threads; 0: one for each CPU of the generator",
	"traffic.pktgen.flow_packets": "frames in a row that belong to one flow; 0: one",
	"traffic.batch":               "frames that engine xdp hands over at once when paced: more are cheaper and leave in bursts",

	"traffic.per_flow": "report the least, median and most frames that came of a flow, and Jain's index of fairness",

	"limit":               "the packet-rate limit of scenario limit",
	"limit.pps":           "packets per second that pass",
	"limit.burst_packets": "packets that pass at once after a pause",

	"testpmd":       "DPDK testpmd as the DUT of scenario testpmd",
	"testpmd.cores": "cores that forward, on dut_cpus in turn; each asks for frames all the time",
	"ruleset":       "the rules of scenarios nft-ruleset and iptables-ruleset",
	"ruleset.file":  "rules file of your own, as nft -f or iptables-restore reads it; by default rules are generated",
	"ruleset.rules": "number of generated rules in the chain of forwarded packets",
	"ruleset.hit":   "the generated rule that matches the test frames: last (all are compared), first, or none (all are compared, and the policy accepts)",

	"routes":             "the routing table of scenario routes; destination addresses of flows are drawn from it",
	"routes.prefixes":    "number of prefixes, one after the other from 10.0.0.0 or fd00:6c72:: on",
	"routes.length":      "length of an IPv4 prefix in bits; all of them have to fit into 10.0.0.0/8",
	"routes.length_ipv6": "length of an IPv6 prefix in bits",

	"custom":          "the DUT of scenario custom: commands of your own, run by sh -c in the DUT's network namespace",
	"custom.setup":    "commands that make the DUT, one after the other; docs/scenarios.md names the variables that they find",
	"custom.teardown": "commands that undo what goes beyond the namespace, also after a set-up that failed half way",
	"custom.layer2":   "the DUT passes frames on by MAC address and does not route",
	"custom.timeout":  "a command that has not ended by then is killed",

	"ecmp":                "the equal-cost paths of scenario ecmp, and the failure of one of them",
	"ecmp.paths":          "routers side by side, each a path, a cell for each number; 1: a chain of three routers",
	"ecmp.hash_policy":    "what a path is chosen by: 0, the addresses; 1, the ports too (net.ipv4.fib_multipath_hash_policy)",
	"ecmp.hold_time":      "BGP: a neighbour that is silent for so long is given up",
	"ecmp.fail_path":      "the path that fails in a trial of its own after the search; 0: none",
	"ecmp.fail_at":        "when it fails, counted from the start of that trial",
	"ecmp.fail_how":       "link-down: its links go down; silent: it drops everything, its links stay up",
	"ecmp.trial_duration": "duration of that trial",
	"ecmp.load_pps":       "load of that trial per direction; 0: half of the throughput",

	"trial":             "how one trial is made (RFC 2544 section 23)",
	"trial.drain_quiet": "a trial ends when no test frame has arrived for so long",
	"trial.drain_max":   "but not later than this after the last frame was sent",
	"trial.settle":      "wait after the counters are read",

	"observe":           "what watches the DUT during trials; off to learn what the watching costs",
	"observe.ledger":    "count where frames are lost, by the kernel's counters and drop reasons",
	"observe.threads":   "take the CPU time of the DUT's threads, and who else ran on its CPUs",
	"observe.cpu_speed": "time the CPUs, which tells a slow DUT from a slow machine",

	"cost":                "where the DUT's CPU time of each packet goes, from samples in a trial of its own",
	"cost.enabled":        "make the trial after the search of each cell",
	"cost.frequency_hz":   "samples of each of the DUT's CPUs in a second",
	"cost.trial_duration": "duration of the trial",
	"cost.load_pps":       "load of the trial per direction; 0: the lower bound of the last goal that has one",

	"dut":                      "tuning of the device under test, whatever the scenario; put back after each cell",
	"dut.sysctls":              "sysctls of the DUT's network namespace, by name",
	"dut.gro_flush_timeout":    "time between polls of the DUT's devices while frames come; 0s: a poll at every arrival",
	"dut.napi_defer_hard_irqs": "polls by gro_flush_timeout that may find nothing before the device waits for an arrival again",

	"ab":              "A beside B in adjacent pairs, by `linerate ab`; on when a or b changes something",
	"ab.a":            "what side A changes, as --set takes it",
	"ab.b":            "what side B changes, as --set takes it",
	"ab.pairs":        "pairs for each cell, fixed before the start",
	"ab.aa_pairs":     "pairs with A in both halves: they give the noise floor",
	"ab.alpha":        "chance of calling a change what is none, over all cells together",
	"ab.fail_if":      "exit with 1 if any cell is changed, slower (changed, and B is below A) or not-equivalent; never: do not",
	"ab.least_change": "smallest change of the ratio that matters",

	"kernels": "what testbed vm boots and compares, by `linerate kernels`: packages, .deb and .rpm files or URLs, IMAGE,MODULES, or host",

	"tuning":           "settings of the kernel's pktgen that testbed vm tries, by `linerate kernels`; on when devices is set",
	"tuning.devices":   "what sends: dummy drops every frame, vmxnet3 is an emulated card with a receiver behind its cable",
	"tuning.clone_skb": "values of clone_skb, each with a burst of 1",
	"tuning.burst":     "values of burst, each with clone_skb 0; vm.packets is a multiple of each",

	"vm":                "how testbed vm boots its kernels and counts their instructions",
	"vm.metric":         "what of the kernels is compared: instructions per packet, which are counted, rate, packets per second, which need KVM, or both",
	"vm.accelerator":    "what executes guests whose rates are measured: auto, KVM if it works; kvm, even if it is slow; tcg, QEMU's translator, whose rates are an emulator's",
	"vm.rounds":         "rounds of the rate: in each every kernel is booted anew, the first one twice, and each cell measured in all of them one after the other",
	"vm.trial_duration": "duration of one measurement of a rate",
	"vm.load_pps":       "packets a second that the generator in a guest offers when rates are measured; 0: as many as it can",
	"vm.seeds":          "seeds of each kernel, 1 to so many: each lays out memory and hash tables anew",
	"vm.boots":          "boots with each seed; with one seed all give the same figure",
	"vm.packets":        "packets of one measurement",
	"vm.repetitions":    "measurements of a cell in each boot; their median counts",
	"vm.margin":         "change of the instructions per packet that is none yet",
	"vm.extra_rules":    "rules before the scenario's own that match nothing: a cost that is planted",
	"vm.iptables":       "variant that writes the rules of iptables; a guest gets the program from this machine",
	"vm.memory_bytes":   "memory of the guest",
	"vm.time_limit":     "real time after which a boot is stopped",
	"vm.attribute":      "say in which functions of the kernel the instructions are",
	"vm.attribute_by":   "by counting each instruction in one boot more (plugin), by samples in the first boot (sampling), or by what the emulator can (auto)",

	"sweep":         "one curve over the values of a field; on when field is set",
	"sweep.field":   "the field, as --set takes it, such as dut.gro_flush_timeout",
	"sweep.values":  "its values, in the order of the curve",
	"sweep.repeats": "how often each value is measured; the order is drawn anew each time",

	"repeated":                "how one figure of an A/B comparison or a sweep is taken",
	"repeated.figure":         "forwarding-rate, throughput, or auto: the rate for A/B, the throughput for a sweep",
	"repeated.load_pps":       "fixed load of the forwarding rate per direction; 0: twice the highest throughput found first",
	"repeated.trial_duration": "duration of each trial of the forwarding rate",
	"repeated.seed":           "fixes the order of the measurements and the resampling",
	"repeated.trials":         "trials of the forwarding rate whose mean is one figure",

	"search":                "how the throughput is looked for",
	"search.algorithm":      "mlrsearch (RFC 9971) or binary",
	"search.goals":          "what counts as throughput; all goals share their trials",
	"search.min_load_pps":   "least load to try, packets per second and direction",
	"search.max_load_pps":   "greatest load to try, packets per second and direction; 0: the calibrated ceiling",
	"search.max_trial_time": "greatest sum of trial durations for one cell",

	"search.goals[].name":           "the goal's name in reports: NDR, PDR",
	"search.goals[].loss_ratio":     "L: a trial that loses more is a high-loss trial",
	"search.goals[].exceed_ratio":   "e: share of trial time that may be high-loss at a lower bound",
	"search.goals[].trial_duration": "d: shortest duration of a full trial",
	"search.goals[].duration_sum":   "S: trial time that decides a load",
	"search.goals[].width":          "w: the search ends when (upper-lower)/upper is not above it",
	"search.goals[].require_pps":    "throughput per direction that every cell must reach, or bench exits with 1; 0: none",

	"latency":                 "latency trials after the search of each cell",
	"latency.enabled":         "make them",
	"latency.loads":           "loads as shares of the cell's own throughput, above 0 and at most 2",
	"latency.load_pps":        "loads in packets per second and direction that all cells have in common, to set them side by side",
	"latency.throughput_goal": "the goal whose lower bound is the throughput; by default the last that has one", "latency.trial_duration": "duration of each latency trial",
	"latency.trials_per_load":           "trials at each load; the one with the median P99 counts",
	"tests":                             "what each cell is put through: throughput, frame-loss-rate, back-to-back, system-recovery",
	"frame_loss_rate":                   "loss against load (RFC 2544 section 26.3)",
	"frame_loss_rate.step":              "distance of two loads as a share of the maximum load, 10% at most",
	"frame_loss_rate.trial_duration":    "duration of the trial at each load",
	"back_to_back":                      "the longest burst without loss (RFC 9004)",
	"back_to_back.repeats":              "N: how many times the whole search is made; RFC 2544 asks for 50",
	"back_to_back.max_frames":           "longest burst that is tried",
	"back_to_back.step_frames":          "least distance of two burst lengths: the resolution of the result",
	"back_to_back.verifications":        "how often a burst that lost frames is sent again before its loss is believed",
	"back_to_back.idle":                 "wait between two bursts, so that buffers are empty",
	"system_recovery":                   "how long loss goes on after an overload (RFC 2544 section 26.5)",
	"system_recovery.overload_duration": "how long 110 % of the throughput is offered",
	"system_recovery.recovery_duration": "how long half of that is offered then",
	"system_recovery.repeats":           "how many times it is measured",
	"capture":                           "frames kept as pcapng",
	"capture.frames":                    "frames of each port to keep, in a trial of their own; 0 keeps none",
}

// MaxFlows is the largest number of flows of a cell.
const MaxFlows = 1_000_000

// intRange holds the values of a whole-number field, both ends included, and their unit.
type intRange struct {
	min, max int64
	unit     string
}

// intRanges bound the whole-number fields. An MTU below 68 is not IPv4 (RFC 791
// section 3.2); the largest rate is above the line rate of 400 Gbit/s at 64 bytes
// (595 Mpps); nftables holds a burst in 32 bits.
var intRanges = map[string]intRange{
	"lab.mtu_bytes":               {68, 65535, "bytes"},
	"traffic.flows":               {1, MaxFlows, "flows"},
	"traffic.pktgen.clone_skb":    {0, 1_000_000, "times"},
	"traffic.pktgen.burst":        {0, 65_536, "times"},
	"traffic.pktgen.threads":      {0, 4096, "threads"},
	"traffic.pktgen.flow_packets": {0, 1_000_000, "frames"},
	"testpmd.cores":               {1, 64, "cores"},
	"limit.pps":                   {1, 1_000_000_000, "packets per second"},
	"limit.burst_packets":         {1, math.MaxUint32, "packets"},
	"ruleset.rules":               {0, 100_000, "rules"},
	"routes.prefixes":             {1, MaxPrefixes, "prefixes"},
	"routes.length":               {9, 32, "bits"},
	"routes.length_ipv6":          {52, 128, "bits"}, // at 52 a million fit into the block
	"ecmp.paths":                  {1, 8, "paths"},
	"ecmp.hash_policy":            {0, 1, "(a value of the sysctl)"},
	"ecmp.fail_path":              {0, 8, "(the number of a path)"},
	"sim.queue_frames":            {0, 1_000_000_000, "frames"},
	"latency.trials_per_load":     {1, 1000, "trials"},
	"back_to_back.repeats":        {1, 1000, "repeats"},
	"back_to_back.max_frames":     {1, 100_000_000, "frames"},
	"back_to_back.step_frames":    {1, 1_000_000, "frames"},
	"back_to_back.verifications":  {0, 10, "times"},
	"system_recovery.repeats":     {1, 1000, "repeats"},
	"capture.frames":              {0, 100_000, "frames"},
	// The kernel's shortest period is 10 µs (perf_swevent_start_hrtimer, kernel/events/core.c, 6.18).
	"cost.frequency_hz": {10, 50_000, "Hz"},
	// 128 is the limit of iperf3 (MAX_STREAMS, iperf.h, 3.12); 65507 bytes are what an IPv4
	// datagram carries.
	"iperf3.streams":       {1, 128, "streams"},
	"iperf3.seconds":       {1, 86400, "seconds"},
	"iperf3.omit_seconds":  {0, 600, "seconds"},
	"iperf3.payload_bytes": {0, 1 << 20, "bytes"},
	"iperf3.repeats":       {1, 1000, "repeats"},
	"iperf.streams":        {1, 128, "streams"},
	"iperf.payload_bytes":  {16, 65507, "bytes"},
	"iperf.seconds":        {1, 86400, "seconds"},
	"iperf.repeats":        {1, 1000, "repeats"},
	// 256 is the kernel's limit (TEST_XDP_MAX_BATCH, net/bpf/test_run.c).
	"traffic.batch": {1, 256, "frames"},
	// Six pairs are the fewest that can give p < 0.05 (2/2^6).
	"ab.pairs":        {6, 1000, "pairs"},
	"ab.aa_pairs":     {3, 1000, "pairs"},
	"sweep.repeats":   {2, 1000, "repeats"},
	"repeated.trials": {1, 1000, "trials"},
	// Six rounds are the fewest that can give p < 0.05 (2/2^6).
	"vm.rounds":                {6, 1000, "rounds"},
	"vm.seeds":                 {1, 100, "seeds"},
	"vm.boots":                 {1, 100, "boots"},
	"tuning.clone_skb":         {0, 1_000_000, "times"},
	"tuning.burst":             {1, 65_536, "frames"},
	"vm.packets":               {1000, 1_000_000, "packets"},
	"vm.repetitions":           {1, 100, "repetitions"},
	"vm.extra_rules":           {0, 200, "rules"},
	"vm.memory_bytes":          {256 << 20, 16 << 30, "bytes"},
	"dut.napi_defer_hard_irqs": {1, math.MaxInt32, "polls"},
}

type durationRange struct{ min, max time.Duration }

// durationRanges bound the durations. The upper ends are there for slips of the
// unit: 200m is over three hours, not 200 ms.
var durationRanges = map[string]durationRange{
	"custom.timeout":                {100 * time.Millisecond, time.Hour},
	"trial.drain_quiet":             {time.Millisecond, time.Minute},
	"trial.drain_max":               {time.Millisecond, 10 * time.Minute},
	"trial.settle":                  {0, 10 * time.Minute},
	"dut.gro_flush_timeout":         {0, time.Second},
	"vm.trial_duration":             {100 * time.Millisecond, time.Minute},
	"vm.time_limit":                 {time.Second, 24 * time.Hour},
	"ecmp.hold_time":                {3 * time.Second, 10 * time.Minute},
	"ecmp.fail_at":                  {100 * time.Millisecond, 10 * time.Minute},
	"ecmp.trial_duration":           {time.Second, 10 * time.Minute},
	"repeated.trial_duration":       {10 * time.Millisecond, time.Hour},
	"search.max_trial_time":         {time.Millisecond, 7 * 24 * time.Hour},
	"search.goals[].trial_duration": {time.Millisecond, 24 * time.Hour},
	"search.goals[].duration_sum":   {time.Millisecond, 24 * time.Hour},
	"latency.trial_duration":        {time.Millisecond, 24 * time.Hour},
	"cost.trial_duration":           {100 * time.Millisecond, time.Hour},

	"frame_loss_rate.trial_duration":    {time.Millisecond, 24 * time.Hour},
	"back_to_back.idle":                 {0, 10 * time.Minute},
	"system_recovery.overload_duration": {time.Millisecond, 24 * time.Hour},
	"system_recovery.recovery_duration": {time.Millisecond, 24 * time.Hour},
}

// textChoices are the values of the text fields that take one of a few words.
var textChoices = map[string][]string{
	"schema":         {SchemaV1},
	"testbed":        {"lab", "sim", "vm"},
	"sim.preset":     {"hard", "queue", "knee", "jitter", "background-loss", "glitch", "collapse", "linux-like", "slow"},
	"traffic.engine": EngineChoices(),

	"traffic.afxdp_mode":     {"auto", "copy", "zerocopy"},
	"traffic.testpmd_driver": {"afpacket", "afxdp"},

	"search.algorithm": {"mlrsearch", "binary"},
	"tests":            {string(Throughput), string(LossRate), string(Bursts), string(Recovery)},
	"ecmp.fail_how":    {FailLinkDown, FailSilent},
	"tuning.devices":   {DeviceDummy, DeviceCard},
	"vm.iptables":      {IptablesNft, IptablesLegacy},
	"ab.fail_if":       {"never", "changed", "slower", "not-equivalent"},
	"vm.metric":        {MetricInstructions, MetricRate, MetricBoth},
	"vm.accelerator":   {AcceleratorAuto, AcceleratorKVM, AcceleratorTCG},
	"repeated.figure":  {FigureAuto, FigureForwardingRate, FigureThroughput},

	"workload":         {Frames, WorkloadIPerf3, WorkloadIPerf},
	"lab.end_offloads": {offloadsAuto, offloadsOn, offloadsOff},
	"iperf3.protocol":  {"tcp", "udp"},

	"vm.attribute_by": {ByEither, ByPlugin, BySampling},
	"ruleset.hit":     {HitLast, HitFirst, HitNone},
}

// laterTestbeds are testbeds by design that this version does not have.
var laterTestbeds = []string{"wire"}
