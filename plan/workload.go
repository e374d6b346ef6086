package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Frames is the workload that the searches are made with: test frames from a
// generator, counted by a sink.
const Frames = "frames"

// The other workloads: real programs in the tester's two ends, whose streams pass the DUT.
const (
	WorkloadIPerf3 = "iperf3"
	WorkloadIPerf  = "iperf"
)

// IPerf3 is the workload iperf3: TCP or UDP streams between two iperf3 processes.
type IPerf3 struct {
	// Protocol is "tcp" or "udp".
	Protocol string `yaml:"protocol" json:"protocol"`
	// Streams has an entry for each cell: its number of parallel streams (-P).
	Streams []int `yaml:"streams" json:"streams"`
	// Reverse sends from B to A (-R), Bidir both ways at once (--bidir); else A to B.
	Reverse bool `yaml:"reverse" json:"reverse"`
	Bidir   bool `yaml:"bidir" json:"bidir"`
	// Seconds are measured after OmitSeconds that are not (-t, -O).
	Seconds     int `yaml:"seconds" json:"seconds"`
	OmitSeconds int `yaml:"omit_seconds" json:"omit_seconds"`
	// PayloadBytes is the UDP payload of a datagram or the length of a TCP write (-l); 0
	// leaves it to iperf3.
	PayloadBytes int `yaml:"payload_bytes" json:"payload_bytes"`
	// TargetL4BPS is what each stream sends at most, in bits of payload per second (-b);
	// 0 is unlimited.
	TargetL4BPS float64 `yaml:"target_l4_bps" json:"target_l4_bps"`
	// Congestion is the congestion control of TCP (-C); empty for the kernel's own choice.
	Congestion string `yaml:"congestion" json:"congestion"`
	// Repeats is how often each cell is measured; the one with the median total counts.
	Repeats int `yaml:"repeats" json:"repeats"`
}

// IPerf is the workload iperf: UDP streams from A to B between two processes of iperf 2.
type IPerf struct {
	Streams []int `yaml:"streams" json:"streams"`
	// PayloadBytes is the UDP payload of a datagram (-l): 36 makes an IPv4 packet of 64 bytes.
	PayloadBytes int     `yaml:"payload_bytes" json:"payload_bytes"`
	Seconds      int     `yaml:"seconds" json:"seconds"`
	TargetL4BPS  float64 `yaml:"target_l4_bps" json:"target_l4_bps"`
	Repeats      int     `yaml:"repeats" json:"repeats"`
}

func defaultIPerf3() IPerf3 {
	return IPerf3{Protocol: "tcp", Streams: []int{1, 2, 3, 4, 5}, Seconds: 10, Repeats: 1}
}

func defaultIPerf() IPerf {
	return IPerf{Streams: []int{8}, PayloadBytes: 36, Seconds: 10, Repeats: 1}
}

// ofStreams is a workload of streams as cells need it.
type ofStreams struct {
	name       string
	streams    []int
	udp        bool
	payload    int
	directions Direction
}

// streamsOf is the plan's workload of streams; ok is false for frames.
func (p Plan) streamsOf() (w ofStreams, ok bool) {
	switch p.Workload {
	case WorkloadIPerf3:
		w = ofStreams{name: WorkloadIPerf3 + "-" + p.IPerf3.Protocol, streams: p.IPerf3.Streams, udp: p.IPerf3.Protocol == "udp", payload: p.IPerf3.PayloadBytes, directions: Uni}
		switch {
		case p.IPerf3.Bidir:
			w.name, w.directions = w.name+"-bidir", Bi
		case p.IPerf3.Reverse:
			w.name += "-reverse"
		}
		return w, true
	case WorkloadIPerf:
		return ofStreams{name: WorkloadIPerf + "-udp", streams: p.IPerf.Streams, udp: true, payload: p.IPerf.PayloadBytes, directions: Uni}, true
	}
	return w, false
}

// OfStreams tells whether the plan's workload is streams of programs and not test frames.
func (p Plan) OfStreams() bool {
	_, ok := p.streamsOf()
	return ok
}

// Datagrams tells whether the plan's workload is streams of UDP.
func (p Plan) Datagrams() bool {
	w, _ := p.streamsOf()
	return w.udp
}

// StreamsBudget is how often the plan measures each cell of streams and how many
// seconds each time takes; 0 for workload frames.
func (p Plan) StreamsBudget() (repeats int, seconds float64) {
	switch p.Workload {
	case WorkloadIPerf3:
		return p.IPerf3.Repeats, float64(p.IPerf3.Seconds + p.IPerf3.OmitSeconds)
	case WorkloadIPerf:
		return p.IPerf.Repeats, float64(p.IPerf.Seconds)
	}
	return 0, 0
}

// Lengths of headers without options, in bytes, and what iperf3 puts into a datagram
// unless told (docs of iperf3, -l).
const (
	ipv4Header, ipv6Header, udpHeader = 20, 40, 8
	iperf3UDPPayload                  = 1460
)

// frameSize is the largest frame of a workload's streams, with FCS: that of a datagram, or
// of a full TCP segment.
func (w ofStreams) frameSize(ipVersion, mtu int) FrameSize {
	full := FrameSize(mtu + EthernetBytes)
	if !w.udp {
		return full
	}
	payload, header := w.payload, ipv4Header
	if payload == 0 {
		payload = iperf3UDPPayload
	}
	if ipVersion == 6 {
		header = ipv6Header
	}
	return max(MinFrameSize, min(full, FrameSize(payload+udpHeader+header+EthernetBytes)))
}

// streamCells are the cells of a workload of streams: scenario by scenario, then by IP
// version and number of streams.
func (p Plan) streamCells(w ofStreams) []Cell {
	var cells []Cell
	for _, s := range p.Scenarios {
		for _, version := range p.Traffic.IPVersions {
			for _, n := range w.streams {
				cells = append(cells, Cell{
					Scenario: s.Name(), Backend: s.Backend(), IPVersion: version, Directions: w.directions,
					FrameSize: w.frameSize(version, p.Lab.MTUBytes), Flows: n, Workload: w.name,
				})
			}
		}
	}
	return p.multipath(cells)
}

// StreamsTitle names the streams of a cell for people: "iperf3 TCP reverse, 5 streams".
func (c Cell) StreamsTitle() string {
	program, how, _ := strings.Cut(c.Workload, "-")
	protocol, way, _ := strings.Cut(how, "-")
	text := strings.TrimSpace(program + " " + strings.ToUpper(protocol) + " " + way)
	if c.Flows == 1 {
		return text + ", 1 stream"
	}
	return fmt.Sprintf("%s, %d streams", text, c.Flows)
}

// EndOffloads is "on" or "off" for this plan: what "auto" stands for is off where a
// scenario takes frames as they are on the wire, past the kernel's stack. A frame whose
// checksum was left to an offload would be dropped behind it.
func (p Plan) EndOffloads() string {
	if p.Lab.EndOffloads != offloadsAuto {
		return p.Lab.EndOffloads
	}
	for _, s := range p.Scenarios {
		if slices.Contains(pastTheStack, s.Name()) {
			return offloadsOff
		}
	}
	return offloadsOn
}

// pastTheStack are the scenarios that take frames from a device before the kernel's stack.
var pastTheStack = []string{"testpmd", "ovs", "xdp", "xdp-bridge"}

// The values of Lab.EndOffloads.
const (
	offloadsAuto = "auto"
	offloadsOn   = "on"
	offloadsOff  = "off"
)

func (c *checker) workload(p Plan) {
	c.choice("workload", p.Workload)
	c.choice("lab.end_offloads", p.Lab.EndOffloads)
	c.iperf3(p.IPerf3)
	streams := func(path string, list []int) {
		listRule(c, path, list, "number of streams", plainText[int], func(at string, n int) { c.whole(at, path, n) })
	}
	streams("iperf3.streams", p.IPerf3.Streams)
	streams("iperf.streams", p.IPerf.Streams)
	c.whole("iperf.payload_bytes", "iperf.payload_bytes", p.IPerf.PayloadBytes)
	c.whole("iperf.seconds", "iperf.seconds", p.IPerf.Seconds)
	c.whole("iperf.repeats", "iperf.repeats", p.IPerf.Repeats)
	c.target("iperf.target_l4_bps", p.IPerf.TargetL4BPS)
	if !p.OfStreams() {
		return
	}
	if b := p.BaseScenario; b != "" && !slices.Contains(p.Scenarios, b) {
		c.add("base_scenario", "scenarios", "write one of the plan's scenarios", "%s is not among the plan's scenarios: there is nothing to take ratios to", shown(string(b)))
	}
	if p.Testbed != "lab" {
		c.add("workload", "testbed", "set testbed to lab, or workload to frames", "%s runs real programs, and testbed %s has no ends to run them in", p.Workload, p.Testbed)
	}
	for _, other := range []struct {
		on   bool
		path string
	}{{p.AB.On(), "ab"}, {p.Sweep.On(), "sweep"}, {p.Latency.Enabled, "latency.enabled"}, {p.Capture.Frames > 0, "capture.frames"}, {p.Cost.Enabled, "cost.enabled"}} {
		if other.on {
			c.add("workload", other.path, "leave "+other.path+" out, or set workload to frames", "%s has no test frames, which %s needs", p.Workload, other.path)
		}
	}
}

// mostTargetL4BPS is there for slips of the unit.
const mostTargetL4BPS = 1e12

func (c *checker) target(path string, bps float64) {
	if !(bps >= 0 && bps <= mostTargetL4BPS) {
		c.add(path, "", "", "%s is out of range: 0 (unlimited) to 1e12 bits per second", number(bps))
	}
}

func (c *checker) iperf3(i IPerf3) {
	c.choice("iperf3.protocol", i.Protocol)
	c.whole("iperf3.seconds", "iperf3.seconds", i.Seconds)
	c.whole("iperf3.omit_seconds", "iperf3.omit_seconds", i.OmitSeconds)
	c.whole("iperf3.payload_bytes", "iperf3.payload_bytes", i.PayloadBytes)
	c.whole("iperf3.repeats", "iperf3.repeats", i.Repeats)
	c.target("iperf3.target_l4_bps", i.TargetL4BPS)
	if i.Reverse && i.Bidir {
		c.add("iperf3.bidir", "iperf3.reverse", "set one of them to false", "both ways at once and reverse exclude each other")
	}
	if strings.ContainsFunc(i.Congestion, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-' }) || strings.HasPrefix(i.Congestion, "-") {
		c.add("iperf3.congestion", "", "write cubic, bbr, reno or another of net.ipv4.tcp_available_congestion_control", "%s does not name a congestion control", shown(i.Congestion))
	}
}
