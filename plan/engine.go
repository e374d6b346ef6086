package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// EngineInfo describes one generator: what traffic.engine may name, and what it can do.
// The generators are opened by package generator/engine, whose tests hold both to agree.
type EngineInfo struct {
	Name string
	// Description is one line for --help and docs.
	Description string
	// MaxFrameBytes is the largest frame that it sends, FCS included.
	MaxFrameBytes int
	// Chosen tells whether "auto" may choose it; the first of the list that can send the
	// plan's sizes is taken.
	Chosen bool
	// Pktgen tells that its frames carry the mark of the kernel's packet generator instead
	// of linerate's: they have no flow number, so that nothing can be said of single flows.
	Pktgen bool
	// OneFlow tells that its frames are of one flow, whatever traffic.flows says.
	OneFlow bool
	// Unmarked tells that its frames carry no mark: the sink knows them by their addresses and ports.
	Unmarked bool
	// Unpaced tells that it sends as fast as it goes or not at all, so that no load can be
	// searched: a cell has the rate that arrived instead.
	Unpaced bool
	// PastTaps tells that its frames leave without passing the packet sockets that look at a device.
	PastTaps bool
	// Batch tells whether traffic.batch steers it.
	Batch bool
}

// liveFrameBytes is what fits into one page as a live frame (generator/xdp).
const liveFrameBytes = 3200

// afxdpFrameBytes is what fits into one page of shared memory, FCS included (generator/afxdp).
const afxdpFrameBytes = 4096 + 4

// testpmdFrameBytes is what fits into a slot of the ring of DPDK's driver (generator/testpmd).
const testpmdFrameBytes = 1518

var engineInfos = []EngineInfo{
	{Name: "xdp", Description: "an XDP program run on live frames: the fastest", MaxFrameBytes: liveFrameBytes, Chosen: true, Batch: true},
	{Name: "afpacket", Description: "AF_PACKET sockets: jumbo frames, any device", MaxFrameBytes: int(MaxFrameSize), Chosen: true},
	{Name: "afxdp", Description: "AF_XDP sockets, with or without copying; a transmit queue for each thread", MaxFrameBytes: afxdpFrameBytes, PastTaps: true},
	{Name: "pktgen", Description: "the kernel's packet generator, where its module is loaded", MaxFrameBytes: int(MaxFrameSize), Pktgen: true, PastTaps: true},
	{Name: "testpmd", Description: "DPDK's testpmd, for comparison: one flow of IPv4, as fast as it goes and never paced", MaxFrameBytes: testpmdFrameBytes, OneFlow: true, Unmarked: true, Unpaced: true},
}

// EngineAuto stands for the first engine that can send the plan's sizes.
const EngineAuto = "auto"

// Engines are all generators, in the order of --help.
func Engines() []EngineInfo { return slices.Clone(engineInfos) }

// EngineChoices are the values of traffic.engine: "auto" and the name of each generator.
func EngineChoices() []string {
	names := []string{EngineAuto}
	for _, e := range engineInfos {
		names = append(names, e.Name)
	}
	return names
}

// Source is the engine with all of its settings, to tell one source of frames from another. A
// setting that is left out is the first of its choices.
func (t Traffic) Source() string {
	chosen := func(field, value string) string { return cmp.Or(value, textChoices[field][0]) }
	return fmt.Sprintf("%s %d %s %s %+v", t.Engine, t.Batch, chosen("traffic.afxdp_mode", t.AFXDPMode), chosen("traffic.testpmd_driver", t.TestpmdDriver), t.Pktgen)
}

// EngineNamed is the generator of a name.
func EngineNamed(name string) (info EngineInfo, found bool) {
	i := slices.IndexFunc(engineInfos, func(e EngineInfo) bool { return e.Name == name })
	if i < 0 {
		return EngineInfo{}, false
	}
	return engineInfos[i], true
}

// EngineList is the choices as a sentence has them: "auto, xdp or afpacket".
func EngineList() string {
	names := EngineChoices()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// unpaced checks that a plan asks of an engine that cannot be paced only what it can do.
func (c *checker) unpaced(p Plan) {
	if info, _ := EngineNamed(p.Traffic.Engine); !info.Unpaced || p.OfStreams() {
		return
	}
	const why = "engine %s cannot be paced: it sends as fast as it goes, and only the rate that arrives can be measured"
	for i, t := range p.Tests {
		if t != Throughput {
			c.add(fmt.Sprintf("tests[%d]", i), "traffic.engine", "leave it out, or use another engine", why+", not %s", p.Traffic.Engine, t)
		}
	}
	if p.Repeated.Figure == FigureForwardingRate || p.AB.On() && p.Figure() == FigureForwardingRate {
		c.add("repeated.figure", "traffic.engine", "set repeated.figure to throughput", why+" and no forwarding rate at a fixed load", p.Traffic.Engine)
	}
}

// engine checks the generator, and that the settings of others are left alone.
func (c *checker) engine(t Traffic) {
	c.choice("traffic.engine", t.Engine)
	c.pktgen(t.Pktgen)
	c.whole("traffic.batch", "traffic.batch", t.Batch)
	if info, found := EngineNamed(t.Engine); found && !info.Batch && t.Batch != Default().Traffic.Batch {
		c.add("traffic.batch", "traffic.engine", "leave it out, or use engine xdp", "engine %s decides itself how many frames it hands over at once, whatever this says", t.Engine)
	}
	if t.AFXDPMode != "" {
		c.choice("traffic.afxdp_mode", t.AFXDPMode)
	}
	if t.TestpmdDriver != "" {
		c.choice("traffic.testpmd_driver", t.TestpmdDriver)
	}
	if t.Engine == "testpmd" && t.TestpmdDriver == "afxdp" && slices.Contains(t.Directions, Bi) {
		c.add("traffic.testpmd_driver", "traffic.directions", "set traffic.directions to uni, or traffic.testpmd_driver to afpacket", "testpmd puts an XDP program on the device that it opens by AF_XDP, where the sink of the other direction has its own: it can send one way only")
	}
}
