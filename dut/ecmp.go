package dut

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
)

// ecmp makes the DUT of several routers with equal-cost paths between them (RFC 2992),
// by static routes or by BGP.
var ecmp = kind{
	steps: multipathSteps,
	shape: func(s Scenario) testbed.DUT { return newMultipath(s).shape() },
	check: func(s Scenario) error { return newMultipath(s).check() },
	event: failure,
	convergence: func(s Scenario) time.Duration {
		if s.Cell.Backend == birdBackend {
			return sessionsTime
		}
		return 0
	},
}

// sessionsTime is what sessions of BGP take until they are Established and the routes are
// there: BIRD waits the second of its connect delay time, at most another one to try again, and
// the routes need some of a third.
const sessionsTime = 3 * time.Second

// birdBackend is the backend with BGP; the other one has static routes.
const birdBackend = "bird"

func multipathSteps(s Scenario) ([]Step, error) {
	tools := []string{"ip", "ethtool"}
	if s.Cell.Backend == birdBackend {
		tools = append(tools, "bird", "birdc")
	}
	if s.Plan.ECMP.FailPath > 0 && s.Plan.ECMP.FailHow == plan.FailSilent {
		tools = append(tools, "nft")
	}
	if err := requireTools(tools...); err != nil {
		return nil, err
	}
	m := newMultipath(s)
	var steps []Step
	for _, ns := range m.namespaces()[1:] {
		steps = append(steps, Step{
			Do:   journal.Action{Kind: journal.Command, Argv: []string{"ip", "netns", "add", ns}},
			Undo: journal.Action{Kind: journal.DeleteNetns, Netns: ns},
		})
		steps = append(steps, m.quiet(ns)...)
	}
	steps = append(steps, m.links()...)
	steps = append(steps, m.moveSideB()...)
	steps = append(steps, m.hashing()...)
	if s.Cell.Backend == birdBackend {
		return append(steps, m.birds()...), nil
	}
	return append(steps, m.staticRoutes()...), nil
}

// namespaces are those of all routers, the source's first.
func (m multipath) namespaces() []string {
	list := []string{m.DUT.Netns}
	for _, w := range m.paths {
		list = append(list, w.router)
	}
	return append(list, m.target)
}

// quiet makes a new namespace forward and send nothing by itself, as the lab does with
// its own.
func (m multipath) quiet(ns string) []Step {
	settings := [][2]string{{"net.ipv4.ip_forward", "1"}, {"net.ipv4.conf.all.rp_filter", "0"}, {"net.ipv4.conf.default.rp_filter", "0"}}
	switch {
	case m.Cell.IPVersion == 6:
		settings = [][2]string{
			{"net.ipv6.conf.all.forwarding", "1"}, {"net.ipv6.conf.default.addr_gen_mode", "1"}, {"net.ipv6.conf.default.accept_dad", "0"},
			{"net.ipv6.conf.default.mldv2_unsolicited_report_interval", "1"},
		}
	case testbed.KernelHasIPv6():
		settings = append(settings, [2]string{"net.ipv6.conf.default.disable_ipv6", "1"})
	}
	var steps []Step
	for _, s := range settings {
		steps = append(steps, Step{Do: journal.Action{Kind: journal.SetSysctl, Netns: ns, Key: s[0], Value: s[1]}})
	}
	return steps
}

// batch gives lines to `ip -batch` in a namespace. An undo may be empty.
func batch(ns string, do, undo []string) Step {
	action := func(lines []string) journal.Action {
		return journal.Action{Kind: journal.Command, Netns: ns, Argv: []string{"ip", "-batch", "-"}, Stdin: strings.Join(lines, "\n") + "\n"}
	}
	step := Step{Do: action(do)}
	if len(undo) > 0 {
		step.Undo = action(undo)
	}
	return step
}

// links joins the routers by veths whose NAPI threads can be placed. A frame that a
// router forwards reaches the NAPI of the next one only if the sending device does not
// take TCP segments to divide (veth_skb_is_eligible_for_gro, drivers/net/veth.c, Linux 6.18);
// else the sender's thread would do the next router's work too.
func (m multipath) links() []Step {
	var steps []Step
	add := func(near, far end, undo bool) {
		var remove []string
		if undo {
			remove = []string{"link del " + near.Interface}
		}
		queues := fmt.Sprintf("mtu %d numtxqueues %d numrxqueues %d", m.DUT.MTUBytes, m.DUT.Queues, m.DUT.Queues)
		steps = append(steps, batch(near.Netns, []string{fmt.Sprintf("link add %s address %s %s type veth peer name %s netns %s address %s %s",
			near.Interface, near.MAC, queues, far.Interface, far.Netns, far.MAC, queues)}, remove))
	}
	for _, w := range m.paths {
		add(w.source, w.left, true)
		add(w.right, w.target, false)
	}
	for _, w := range m.paths {
		for _, e := range w.ends() {
			steps = append(steps, batch(e.Netns, m.linkUp(w, e), nil))
		}
		for _, e := range w.ends() {
			steps = append(steps, ownThreads(e.Netns, e.Interface)...)
		}
	}
	return steps
}

// linkUp are the lines that bring an end up with its address and its permanent
// neighbour; they hold what is there already.
func (m multipath) linkUp(w way, e end) []string {
	peer := map[string]end{w.source.Interface: w.left, w.left.Interface: w.source, w.right.Interface: w.target, w.target.Interface: w.right}[e.Interface]
	return []string{
		"link set " + e.Interface + " up",
		fmt.Sprintf("address replace %s dev %s%s", e.address, e.Interface, nodad(e.address)),
		fmt.Sprintf("neighbour replace %s lladdr %s dev %s nud permanent", peer.address.Addr(), peer.MAC, e.Interface),
	}
}

func nodad(p netip.Prefix) string {
	if p.Addr().Is6() {
		return " nodad"
	}
	return ""
}

// ownThreads gives a device that is up one kernel thread for each receive queue. It has
// a NAPI to give one to only with GRO.
func ownThreads(ns, device string) []Step {
	return []Step{
		{Do: journal.Action{Kind: journal.Command, Netns: ns, Argv: []string{"ethtool", "-K", device, "tso", "off", "gro", "on"}}},
		{Do: journal.Action{Kind: journal.SetDevice, Netns: ns, Key: device + "/threaded", Value: "1"}},
	}
}

// moveSideB connects side B to the target instead of the source, and back.
func (m multipath) moveSideB() []Step {
	b := m.DUT.B
	move := func(from, to string) journal.Action {
		return journal.Action{Kind: journal.Command, Netns: from, Argv: []string{"ip", "link", "set", b.Interface, "netns", to}}
	}
	down := batch(m.DUT.Netns, []string{"link set " + b.Interface + " down"}, m.sideBUp(true))
	steps := []Step{
		// The last undo: what GRO is needed for counts only if it comes after the device is up.
		{Do: again(m.DUT.Netns, b.Interface, "off"), Undo: again(m.DUT.Netns, b.Interface, "on")},
		down,
		{Do: move(m.DUT.Netns, m.target), Undo: move(m.target, m.DUT.Netns)},
		batch(m.target, m.sideBUp(false), nil),
		{Do: again(m.target, b.Interface, "on"), Undo: again(m.target, b.Interface, "off")},
	}
	return steps
}

// again switches GRO, with which a veth takes frames that its peer sends by XDP.
func again(ns, device, gro string) journal.Action {
	return journal.Action{Kind: journal.Command, Netns: ns, Argv: []string{"ethtool", "-K", device, "gro", gro}}
}

// sideBUp are the lines that bring side B up with the DUT's addresses, its neighbour and
// the route to what is behind it: of both IP versions, if it is for the cells to come.
func (m multipath) sideBUp(both bool) []string {
	b := m.DUT.B
	lines := []string{"link set " + b.Interface + " up"}
	add := func(own netip.Prefix, tester netip.Addr, network netip.Prefix) {
		lines = append(lines,
			fmt.Sprintf("address replace %s dev %s%s", own, b.Interface, nodad(own)),
			fmt.Sprintf("neighbour replace %s lladdr %s dev %s nud permanent", tester, b.TesterMAC, b.Interface),
			fmt.Sprintf("route replace %s via %s dev %s", network, tester, b.Interface))
	}
	if both || m.Cell.IPVersion == 4 {
		add(b.DUT4, b.Tester4, b.Net4)
	}
	if (both || m.Cell.IPVersion == 6) && m.DUT.MTUBytes >= minMTUBytesIPv6 && testbed.KernelHasIPv6() {
		add(b.DUT6, b.Tester6, b.Net6)
	}
	return lines
}

// minMTUBytesIPv6 is the least MTU of a link that carries IPv6 (RFC 8200 section 5).
const minMTUBytesIPv6 = 1280

// staticRoutes are those of the source and the target over all paths, and those of the
// routers between them. A path whose link has lost its carrier is left out only when
// the kernel is told so.
func (m multipath) staticRoutes() []Step {
	a, b := m.networks()
	toB, toA := "route replace "+b.String(), "route replace "+a.String()
	for _, w := range m.paths {
		toB += fmt.Sprintf(" nexthop via %s dev %s", w.left.address.Addr(), w.source.Interface)
		toA += fmt.Sprintf(" nexthop via %s dev %s", w.right.address.Addr(), w.target.Interface)
	}
	steps := []Step{batch(m.DUT.Netns, []string{toB}, []string{"route del " + b.String()}), batch(m.target, []string{toA}, nil)}
	for _, w := range m.paths {
		steps = append(steps, batch(w.router, m.routerRoutes(w), nil))
	}
	for _, ns := range []string{m.DUT.Netns, m.target} {
		steps = append(steps, Step{Do: journal.Action{Kind: journal.SetSysctl, Netns: ns, Key: fmt.Sprintf("net.ipv%d.conf.all.ignore_routes_with_linkdown", m.Cell.IPVersion), Value: "1"}})
	}
	return steps
}

func (m multipath) routerRoutes(w way) []string {
	a, b := m.networks()
	return []string{
		fmt.Sprintf("route replace %s via %s dev %s", a, w.source.address.Addr(), w.left.Interface),
		fmt.Sprintf("route replace %s via %s dev %s", b, w.target.address.Addr(), w.right.Interface),
	}
}

// hashing sets what source and target choose a path by.
func (m multipath) hashing() []Step {
	var steps []Step
	for _, ns := range []string{m.DUT.Netns, m.target} {
		steps = append(steps, Step{Do: journal.Action{Kind: journal.SetSysctl, Netns: ns, Key: fmt.Sprintf("net.ipv%d.fib_multipath_hash_policy", m.Cell.IPVersion), Value: strconv.Itoa(m.Plan.ECMP.HashPolicy)}})
	}
	return steps
}
