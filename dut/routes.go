package dut

import (
	"fmt"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/frame"
	"github.com/prometheus/procfs"
)

// routes forwards with many routes, and sends to all of them.
var routes = kind{
	steps: routesSteps,
	destinations: func(s Scenario, space *frame.Space) {
		space.Destination, space.DestinationLength = s.Plan.Routes.Of(s.Cell.IPVersion)
		space.DestinationHosts = s.Plan.Routes.Prefixes
	},
}

func routesSteps(s Scenario) ([]Step, error) {
	block, length := s.Plan.Routes.Of(s.Cell.IPVersion)
	gateway := s.DUT.B.Tester4
	if s.Cell.IPVersion == 6 {
		gateway = s.DUT.B.Tester6
	}
	if err := s.roomForRoutes(); err != nil {
		return nil, err
	}
	list := &journal.Routes{First: frame.Subnet(block, length, 0), Count: s.Plan.Routes.Prefixes, Via: gateway, Device: s.DUT.B.Interface}
	return []Step{{
		Do:   journal.Action{Kind: journal.AddRoutes, Netns: s.DUT.Netns, Routes: list},
		Undo: journal.Action{Kind: journal.DeleteRoutes, Netns: s.DUT.Netns, Routes: list},
	}}, nil
}

// routeBytes is what a route takes in the kernel, rounded up: a million took 239 MiB in IPv4 and
// 847 MiB in IPv6, where each has its own copy of the next hop (Linux 6.18).
var routeBytes = map[int]uint64{4: 300, 6: 1000}

// roomForRoutes makes sure that the routes take no more than half of the memory that is free.
func (s Scenario) roomForRoutes() error {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return fmt.Errorf("look for the memory that %d routes take: %w", s.Plan.Routes.Prefixes, err)
	}
	memory, err := fs.Meminfo()
	if err != nil || memory.MemAvailableBytes == nil {
		return nil // a kernel that does not tell has to do without the check
	}
	need, have := uint64(s.Plan.Routes.Prefixes)*routeBytes[s.Cell.IPVersion], *memory.MemAvailableBytes
	if need > have/2 {
		return &MissingError{Tool: "memory", Reason: fmt.Sprintf("for %d routes is short: they take about %d MiB, and %d MiB are free", s.Plan.Routes.Prefixes, need>>20, have>>20), Hint: "set routes.prefixes to fewer"}
	}
	return nil
}
