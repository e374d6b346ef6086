package dut

import (
	"fmt"
	"maps"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
)

// Scenario is what the DUT is made to be for one cell of a plan.
type Scenario struct {
	Cell plan.Cell
	// Plan holds the parameters of the kinds of scenario, each in a section of its own.
	Plan plan.Plan
	DUT  testbed.DUT
	// CPUs are the DUT's, for scenarios that start processes.
	CPUs []int
	// ProcessDir is the folder below which these processes have theirs.
	ProcessDir string
}

// kind is what all scenarios of one name have in common. Each stands in a file of its
// own; plan.Scenarios describes them to the reader.
type kind struct {
	// steps make the DUT so, after IP forwarding was turned on unless layer2.
	steps func(Scenario) ([]Step, error)
	// layer2 says that the DUT passes frames on as they are: they are sent to the MAC
	// address of the far end instead of the DUT's.
	layer2 bool
	// tracked says that the DUT keeps an entry for each flow.
	tracked bool
	// translated is the source address that frames from A to B leave with; nil if it stays.
	translated func(Scenario) netip.Addr
	// shape is what lies between the tester's ports with the steps made; nil if it is the
	// one router that the testbed has anyway.
	shape func(Scenario) testbed.DUT
	// check waits until the DUT that the steps made is ready; nil if it is at once.
	check func(Scenario) error
	// counters are those that the DUT keeps itself, by name, for the ledger; nil without any.
	counters func(Scenario) (map[string]uint64, error)
	// busyPolling says that the DUT's cores turn in a loop that asks for frames: they are
	// busy all the time, at any load.
	busyPolling bool
	// sharesCPUs says that a process forwards that does not poll its devices itself: their
	// threads must leave it the CPU. Nil for no.
	sharesCPUs func(Scenario) bool
	// copies says that copies of the frames are forwarded, which a packet socket takes from
	// the kernel; nil for no.
	copies func(Scenario) bool
	// event is what befalls the DUT in a trial after the search; nil if nothing ever does.
	event func(Scenario) *Event
	// convergence is what daemons take until they have found each other; nil for none.
	convergence func(Scenario) time.Duration
	// mostPPS is the rate that the DUT is known to carry at most; nil if that is not known.
	mostPPS func(Scenario) float64
	// anyRewrite says that a user's own rules or commands may give frames other addresses:
	// how they arrive is taken as it is found.
	anyRewrite bool
	// destinations change what destination addresses are drawn from; nil if that is side B.
	destinations func(Scenario, *frame.Space)
	// refine changes the kind by what the plan says of it; nil if nothing depends on that.
	refine func(Scenario, *kind)
}

var kinds = map[string]kind{
	"route":            {steps: func(Scenario) ([]Step, error) { return nil, nil }},
	"conntrack":        conntrack,
	"snat":             snat,
	"limit":            limit,
	"bridge":           bridge,
	"routes":           routes,
	"custom":           custom,
	"flowtable":        flowtable,
	"nft-ruleset":      nftRuleset,
	"iptables-ruleset": iptablesRuleset,
	"ecmp":             ecmp,
	"xdp":              xdpRouter,
	"xdp-bridge":       xdpBridge,

	"testpmd": testpmd,
	"ovs":     ovs,
}

// Kinds are the names of all scenarios that this package can make, besides the one
// without a DUT.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

func (s Scenario) kind() kind {
	k := kinds[s.Cell.Scenario]
	if k.refine != nil {
		k.refine(s, &k)
	}
	return k
}

// Steps are what makes the DUT so. A *MissingError says which tool this machine lacks.
func (s Scenario) Steps() ([]Step, error) {
	if s.Cell.Direct() {
		return nil, nil
	}
	k := s.kind()
	if k.steps == nil {
		return nil, fmt.Errorf("prepare scenario %s: it is not known; `linerate plans` and `linerate bench --help` list what is", s.Cell.Scenario)
	}
	if s.Cell.IPVersion == 6 && !testbed.KernelHasIPv6() {
		return nil, &MissingError{Tool: "IPv6", Reason: "is switched off in this kernel", Hint: "boot it without ipv6.disable=1, or set traffic.ip_version to 4"}
	}
	var steps []Step
	if !k.layer2 {
		steps = s.forwarding()
	}
	if k.tracked {
		steps = append(steps, s.table()...)
	}
	more, err := k.steps(s)
	return append(steps, more...), err
}

// Layer2 tells whether the DUT passes frames on as they are, without routing them.
func (s Scenario) Layer2() bool { return s.kind().layer2 }

// Shape is the DUT between the tester's ports, with the steps made.
func (s Scenario) Shape() testbed.DUT {
	if shape := s.kind().shape; shape != nil {
		return shape(s)
	}
	return s.DUT
}

// Check waits until the DUT is ready, after the steps and before any traffic. An error
// says what it still lacks.
func (s Scenario) Check() error {
	if check := s.kind().check; check != nil {
		if err := check(s); err != nil {
			return err
		}
	}
	return s.CheckTable()
}

// BusyPolling tells whether the DUT's cores are busy all the time, at any load.
func (s Scenario) BusyPolling() bool { return s.kind().busyPolling }

// SharesCPUs tells whether a process forwards that needs the CPUs of the DUT's devices.
func (s Scenario) SharesCPUs() bool { return s.is(s.kind().sharesCPUs) }

// Copies tells whether copies of the frames are forwarded, and the kernel drops the frames.
func (s Scenario) Copies() bool { return s.is(s.kind().copies) }

func (s Scenario) is(what func(Scenario) bool) bool { return what != nil && what(s) }

// Tracked tells whether the DUT keeps an entry for each flow.
func (s Scenario) Tracked() bool { return s.kind().tracked }

// AnyRewrite tells whether a user's own rules or commands decide with which addresses
// frames arrive.
func (s Scenario) AnyRewrite() bool { return s.kind().anyRewrite }

// Translated is the address that the DUT gives frames from A to B as their
// source; invalid if it leaves it as it is.
func (s Scenario) Translated() netip.Addr {
	if t := s.kind().translated; t != nil {
		return t(s)
	}
	return netip.Addr{}
}

// Counters are the frame counters that the DUT keeps itself, by name. They only grow.
func (s Scenario) Counters() (map[string]uint64, error) {
	if read := s.kind().counters; read != nil {
		return read(s)
	}
	return nil, nil
}

// MostPPS is the rate that the DUT is known to carry at most, per direction; infinite
// if that is not known.
func (s Scenario) MostPPS() float64 {
	if most := s.kind().mostPPS; most != nil {
		return most(s)
	}
	return math.Inf(1)
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
	if change := s.kind().destinations; change != nil {
		change(s, &space)
	}
	return space.Draw(s.Cell.Flows, seed)
}
