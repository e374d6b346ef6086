package engine

import (
	"net/netip"
	"slices"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/pktgen"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/sink"
)

func openPktgen(c Config) (generator.Generator, error) {
	p := c.Traffic.Pktgen
	g, err := pktgen.New(c.Config, pktgen.Options{CloneSKB: p.CloneSKB, Burst: p.Burst, Threads: p.Threads, FlowPackets: p.FlowPackets})
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Flows are the flows that an engine sends instead of those that were drawn, as many and
// from the first of them on: pktgen steps through ports, and sends between two addresses,
// or through destination addresses if it is to send several frames of a flow in a row;
// testpmd sends the first flow in the place of all.
func Flows(name string, t plan.Traffic, drawn []frame.Flow) []frame.Flow {
	if sendsOneFlow(name) {
		return slices.Repeat(drawn[:1], len(drawn))
	}
	if !marksAsPktgen(name) || len(drawn) > lastPort-firstPort+1 {
		return drawn // which pktgen refuses if it cannot send them
	}
	flows := slices.Repeat(drawn[:1], len(drawn))
	if b := drawn[0].Destination.As16(); t.Pktgen.FlowPackets > 1 && drawn[0].Destination.Is4() && len(drawn) < lastHost {
		for i := range flows {
			b[15] = byte(i + 1)
			flows[i].Destination = netip.AddrFrom16(b).Unmap()
		}
		return flows
	}
	for i := range flows {
		flows[i].SourcePort = firstPort + uint16(i)
	}
	return flows
}

// lastHost is the last of a /24 that is no broadcast address.
const lastHost = 254

// firstPort and lastPort bound the source ports that pktgen's flows have (RFC 4814 section 4.5).
const firstPort, lastPort = 1024, 65535

// Learner is the engine that makes an engine's flows known to the DUT. That takes frames
// with flow numbers.
func Learner(name string, sizes frame.Sizes) string {
	if marksAsPktgen(name) || unmarked(name) {
		return Choose(plan.EngineAuto, sizes)
	}
	return name
}

// Mark is what a sink has to expect of an engine whose threads have so many CPUs.
func Mark(name string, t plan.Traffic, cpus int) sink.Pktgen {
	threads := cpus
	if t.Pktgen.Threads > 0 {
		threads = t.Pktgen.Threads
	}
	switch {
	case unmarked(name):
		return sink.PktgenUnmarked
	case !marksAsPktgen(name):
		return sink.PktgenForeign
	case threads == 1 && t.Pktgen.CloneSKB == 0 && t.Pktgen.Burst <= 1:
		return sink.PktgenOrder
	}
	return sink.PktgenFrames
}

func marksAsPktgen(name string) bool {
	info, found := plan.EngineNamed(name)
	return found && info.Pktgen
}
