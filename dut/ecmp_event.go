package dut

import (
	"fmt"
	"strings"
	"time"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/plan"
)

// silence drops all that a router receives and sends, sessions included.
const silence = `table inet linerate-silent {
	chain in { type filter hook prerouting priority raw; policy drop; }
	chain out { type filter hook output priority raw; policy drop; }
}
`

// failure is the path of the plan's choice breaking down; nil if none is to, or the cell has no such path.
func failure(s Scenario) *Event {
	e := s.Plan.ECMP
	if e.FailPath == 0 || e.FailPath > s.Cell.PathCount {
		return nil
	}
	m := newMultipath(s)
	w := m.paths[e.FailPath-1]
	event := &Event{
		Name:  fmt.Sprintf("path %s fails (%s)", w.name, e.FailHow),
		After: time.Duration(e.FailAt), Duration: time.Duration(e.TrialDuration), LoadPPS: e.LoadPPS,
	}
	if e.FailHow == plan.FailSilent {
		event.Do = []journal.Action{{Kind: journal.Command, Netns: w.router, Argv: []string{"nft", "-f", "-"}, Stdin: silence}}
		event.Undo = []journal.Action{{Kind: journal.Command, Netns: w.router, Argv: []string{"nft", "delete", "table", "inet", "linerate-silent"}}}
		return event
	}
	for _, device := range []string{w.left.Interface, w.right.Interface} {
		event.Do = append(event.Do, journal.Action{Kind: journal.SetLink, Netns: w.router, Key: device, Value: "down"})
	}
	// A device that goes down loses its neighbours and routes, and in IPv6 its addresses.
	lines := append(m.linkUp(w, w.left), m.linkUp(w, w.right)...)
	if m.Cell.Backend != birdBackend {
		lines = append(lines, m.routerRoutes(w)...)
	}
	event.Undo = []journal.Action{{Kind: journal.Command, Netns: w.router, Argv: []string{"ip", "-batch", "-"}, Stdin: strings.Join(lines, "\n") + "\n"}}
	return event
}
