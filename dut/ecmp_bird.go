package dut

import (
	"fmt"
	"net/netip"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/linerate/linerate/dut/journal"
)

// Autonomous system numbers for private use (RFC 6996) of the source, the target and,
// counted on from middleAS, of the routers between them.
const (
	sourceAS = 65001
	targetAS = 65002
	middleAS = 65010
)

// speaker is one router that speaks BGP.
type speaker struct {
	name, netns string
	as          int
	// own is the network that it announces; invalid if it only passes on what it learns.
	own      netip.Prefix
	sessions []session
}

type session struct {
	name      string
	near, far end
	as        int // of the far end
}

// speakers are all routers, the source first.
func (m multipath) speakers() []speaker {
	a, b := m.networks()
	source := speaker{name: "s", netns: m.DUT.Netns, as: sourceAS, own: a}
	target := speaker{name: "t", netns: m.target, as: targetAS, own: b}
	var middle []speaker
	for i, w := range m.paths {
		as := middleAS + i + 1
		source.sessions = append(source.sessions, session{w.name, w.source, w.left, as})
		target.sessions = append(target.sessions, session{w.name, w.target, w.right, as})
		middle = append(middle, speaker{name: w.name, netns: w.router, as: as, sessions: []session{
			{"to_source", w.left, w.source, sourceAS}, {"to_target", w.right, w.target, targetAS},
		}})
	}
	return append(append([]speaker{source}, middle...), target)
}

// config is the router's configuration of BIRD 2. An end announces its own network
// only, so that the paths between the routers are never a way round.
func (m multipath) config(sp speaker, number int) string {
	var b strings.Builder
	version := m.Cell.IPVersion
	export := "source = RTS_BGP"
	fmt.Fprintf(&b, "router id 192.0.2.%d;\nlog stderr all;\nprotocol device {\n}\n", 200+number)
	fmt.Fprintf(&b, "protocol kernel {\n\tmerge paths on;\n\tipv%d { import none; export where source = RTS_BGP; };\n}\n", version)
	if sp.own.IsValid() {
		export = "source = RTS_STATIC"
		// Only to be announced: the kernel has the route already.
		fmt.Fprintf(&b, "protocol static {\n\tipv%d;\n\troute %s unreachable;\n}\n", version, sp.own)
	}
	for _, s := range sp.sessions {
		fmt.Fprintf(&b, `protocol bgp %s {
	local %s as %d;
	neighbor %s as %d;
	direct;
	hold time %.0f;
	connect delay time 1;
	connect retry time 1;
	error wait time 1, 2;
	ipv%d { import all; export where %s; next hop self; };
}
`, s.name, s.near.address.Addr(), sp.as, s.far.address.Addr(), s.as, time.Duration(m.Plan.ECMP.HoldTime).Seconds(), version, export)
	}
	return b.String()
}

// birdFiles are BIRD's files in the folder of its process.
const (
	birdConfig  = "bird.conf"
	birdControl = "ctl"
)

// birds start BIRD for each router. The configuration is an argument of the shell that
// writes it, because the folder of the process is there only when it starts.
func (m multipath) birds() []Step {
	const script = `printf %s "$0" > "$LINERATE_PROCESS/` + birdConfig + `"; exec bird -f -c "$LINERATE_PROCESS/` + birdConfig + `" -s "$LINERATE_PROCESS/` + birdControl + `"`
	var steps []Step
	for i, sp := range m.speakers() {
		there := m.Scenario
		there.DUT.Netns = sp.netns
		steps = append(steps, there.process("bird-"+sp.name, []string{"sh", "-c", script, m.config(sp, i)}, journal.Process{
			Program: "bird", CPUs: m.CPUs, Ready: journal.Ready{File: birdControl},
		}))
	}
	return steps
}

// established tells which sessions are not, empty when all are.
func (m multipath) established() (waiting string, err error) {
	for _, sp := range m.speakers() {
		out, err := exec.Command("birdc", "-s", filepath.Join(m.dirOf("bird-"+sp.name), birdControl), "show", "protocols").CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("ask BIRD in %s for its sessions: %w: %s", sp.netns, err, strings.TrimSpace(string(out)))
		}
		states := map[string]string{}
		for line := range strings.Lines(string(out)) {
			// Name, protocol, table, state, since, and the rest is the session's state and its last error.
			if f := strings.Fields(line); len(f) > 5 && f[1] == "BGP" {
				states[f[0]] = strings.Join(f[5:], " ")
			}
		}
		for _, s := range sp.sessions {
			if state := states[s.name]; state != "Established" {
				return fmt.Sprintf("the session of %s with %s in %s is %q", s.near.address.Addr(), s.far.address.Addr(), sp.netns, state), nil
			}
		}
	}
	return "", nil
}
