package dut

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/linerate/linerate/testbed"
)

// multipath is the topology of scenario ecmp: the router that side A is connected to is
// the source of the paths, another one, to which side B is moved, their target, and
// between them stands one router for each path.
//
//	       +- s1 -- l1 [r1] r1 -- t1 -+
//	a - da [dut]                    [t] db - b
//	       +- s2 -- l2 [r2] r2 -- t2 -+
type multipath struct {
	Scenario
	target string // namespace
	paths  []way
}

// way is one path: the router in its middle and the ends of its two links in order.
type way struct {
	name, router                string // router is a namespace
	source, left, right, target end
}

// end is one end of a link between two routers.
type end struct {
	testbed.Device
	address netip.Prefix
}

func newMultipath(s Scenario) multipath {
	m := multipath{Scenario: s, target: s.beside("t")}
	for i := 1; i <= s.Cell.PathCount; i++ {
		w := way{name: fmt.Sprintf("r%d", i)}
		w.router = s.beside(w.name)
		w.source, w.left = s.link(i, 0, [2]string{"s", "l"}, [2]string{s.DUT.Netns, w.router})
		w.right, w.target = s.link(i, 1, [2]string{"r", "t"}, [2]string{w.router, m.target})
		// What comes from A is received by left and target, what comes from B by right and source.
		w.left.Stage, w.right.Stage, w.source.Stage, w.target.Stage = 1, 1, 2, 2
		m.paths = append(m.paths, w)
	}
	return m
}

// beside is the name of a namespace beside the DUT's own: "lr-ID-t" beside "lr-ID-dut".
func (s Scenario) beside(part string) string {
	if lab, ok := strings.CutSuffix(s.DUT.Netns, "dut"); ok {
		return lab + part
	}
	return s.DUT.Netns + "-" + part
}

// link is the first or second link of a path. Its addresses are of the blocks for
// documentation, so that they cannot meet those of the flows (RFC 5737, RFC 3849).
func (s Scenario) link(path, which int, names, namespaces [2]string) (near, far end) {
	number := 2*(path-1) + which
	base, bits := netip.AddrFrom4([4]byte{192, 0, 2, byte(4 * number)}), 30
	if s.Cell.IPVersion == 6 {
		base, bits = netip.AddrFrom16([16]byte{0: 0x20, 1: 0x01, 2: 0x0d, 3: 0xb8, 7: byte(number)}), 64
	}
	suffix := strings.TrimPrefix(s.DUT.A.Interface, "da")
	ends := [2]end{}
	for i := range ends {
		base = base.Next()
		ends[i] = end{address: netip.PrefixFrom(base, bits), Device: testbed.Device{
			Netns: namespaces[i], Interface: fmt.Sprintf("%s%d%s", names[i], path, suffix), Path: path,
			MAC: net.HardwareAddr{0x02, 0x00, 0x5e, 0x11, byte(path), byte(2*which + i)},
		}}
	}
	ends[0].Peer, ends[1].Peer = ends[1].Interface, ends[0].Interface
	return ends[0], ends[1]
}

// shape is the DUT with all its routers.
func (m multipath) shape() testbed.DUT {
	d := m.DUT
	d.B.Netns, d.Inner, d.Paths = m.target, nil, nil
	for _, w := range m.paths {
		for _, e := range w.ends() {
			d.Inner = append(d.Inner, e.Device)
		}
		d.Paths = append(d.Paths, testbed.Path{Name: w.name, Entry: w.source.Device})
	}
	return d
}

func (w way) ends() []end { return []end{w.source, w.left, w.right, w.target} }

// networks are the addresses behind side A and side B.
func (m multipath) networks() (a, b netip.Prefix) {
	if m.Cell.IPVersion == 6 {
		return m.DUT.A.Net6, m.DUT.B.Net6
	}
	return m.DUT.A.Net4, m.DUT.B.Net4
}
