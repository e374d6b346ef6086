package pktgen

import (
	"fmt"
	"net/netip"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
)

// flowRange is what pktgen can make of a list of flows: a source port, a destination port
// or a destination address that runs up by one from flow to flow, or none of them.
type flowRange struct {
	first, last frame.Flow
	flows       int
	step        func(f frame.Flow, n int) frame.Flow
}

// steps are the ways from one flow to the n-th behind it.
var steps = []func(f frame.Flow, n int) frame.Flow{
	func(f frame.Flow, n int) frame.Flow { f.SourcePort += uint16(n); return f },
	func(f frame.Flow, n int) frame.Flow { f.DestinationPort += uint16(n); return f },
	func(f frame.Flow, n int) frame.Flow { f.Destination = addressBehind(f.Destination, n); return f },
}

// addressBehind is the n-th IPv4 address behind another; pktgen has no range of IPv6 addresses.
func addressBehind(a netip.Addr, n int) netip.Addr {
	if !a.Is4() {
		return a
	}
	b := a.As4()
	v := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	v += uint32(n)
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)})
}

// ports is how many flows a range of ports can tell apart.
const ports = 1 << 16

// rangeOf finds the range that the flows are, for frames of which packets in a row belong to one flow.
func rangeOf(flows []frame.Flow, packets int) (flowRange, error) {
	r := flowRange{first: flows[0], last: flows[len(flows)-1], flows: len(flows), step: steps[0]}
	if r.flows > ports {
		return r, fmt.Errorf("%d flows are more than one range of ports has; send fewer, or use another engine", r.flows)
	}
	if r.flows == 1 {
		return r, nil
	}
	odd := 0
	for _, step := range steps {
		i := 1
		for i < len(flows) && flows[i] == step(r.first, i) {
			i++
		}
		if i == len(flows) {
			r.step = step
			return r, r.keeps(packets)
		}
		odd = max(odd, i)
	}
	return r, fmt.Errorf("flow %d is %v: pktgen steps through one range of ports between two addresses, or of destination addresses, and flow 0 is %v; use another engine, or fewer flows", odd, flows[odd], r.first)
}

// keeps tells whether pktgen can keep packets of one flow together.
func (r flowRange) keeps(packets int) error {
	if packets > 1 && r.first.Destination == r.last.Destination {
		return fmt.Errorf("%d frames in a row of one flow (flow_packets) take flows that differ by their destination addresses, which pktgen keeps for a flow, and these have one; send one frame of a flow at a time", packets)
	}
	return nil
}

// part is the share of one of several threads: a range in one piece.
func (r flowRange) part(s generator.Share) flowRange {
	from, to := r.flows*s.Index/s.Of, r.flows*(s.Index+1)/s.Of
	p := flowRange{first: r.step(r.first, from), flows: to - from, step: r.step}
	p.last = r.step(r.first, to-1)
	return p
}
