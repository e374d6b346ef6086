package dut

import (
	"fmt"
	"net/netip"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
)

// Scenario is what the DUT is made to be for one cell.
type Scenario struct {
	Cell  plan.Cell
	Limit plan.Limit
	DUT   testbed.DUT
}

// Steps are what makes the DUT so. A *MissingError says which tool this machine lacks.
func (s Scenario) Steps() ([]Step, error) {
	if s.Cell.Scenario == "none" {
		return nil, nil
	}
	if s.Cell.IPVersion == 6 && !testbed.KernelHasIPv6() {
		return nil, &MissingError{Tool: "IPv6", Reason: "is switched off in this kernel", Hint: "boot it without ipv6.disable=1, or set traffic.ip_version to 4"}
	}
	steps := s.forwarding()
	switch s.Cell.Scenario {
	case "route":
		return steps, nil
	case "limit":
		more, err := s.limit()
		return append(steps, more...), err
	case "conntrack":
		more, err := s.stateful()
		return append(append(steps, s.table()...), more...), err
	case "snat":
		more, err := s.sourceNAT()
		return append(append(steps, s.table()...), more...), err
	}
	return nil, fmt.Errorf("prepare scenario %s: it is not known; `linerate plans` and `linerate bench --help` list what is", s.Cell.Scenario)
}

// Tracked tells whether the DUT keeps an entry for each flow.
func (s Scenario) Tracked() bool { return s.Cell.Scenario == "conntrack" || s.Cell.Scenario == "snat" }

// Translated is the address that the DUT gives frames from A to B as their
// source; invalid if it leaves it as it is.
func (s Scenario) Translated() netip.Addr {
	if s.Cell.Scenario != "snat" {
		return netip.Addr{}
	}
	if s.Cell.IPVersion == 6 {
		return s.DUT.B.DUT6.Addr()
	}
	return s.DUT.B.DUT4.Addr()
}

// hostsPerSide spreads flows over so many addresses on each side.
const hostsPerSide = 64

// Flows are the flows from A to B, drawn from the seed. Those from B to A are
// their replies.
func (s Scenario) Flows(seed int64) ([]frame.Flow, error) {
	space := frame.Space{Source: s.DUT.A.Hosts4, Destination: s.DUT.B.Hosts4, SourceHosts: hostsPerSide, DestinationHosts: hostsPerSide}
	if s.Cell.IPVersion == 6 {
		space.Source, space.Destination = s.DUT.A.Hosts6, s.DUT.B.Hosts6
	}
	return space.Draw(s.Cell.Flows, seed)
}
