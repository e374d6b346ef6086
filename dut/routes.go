package dut

import (
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/frame"
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
	list := &journal.Routes{First: frame.Subnet(block, length, 0), Count: s.Plan.Routes.Prefixes, Via: gateway, Device: s.DUT.B.Interface}
	return []Step{{
		Do:   journal.Action{Kind: journal.AddRoutes, Netns: s.DUT.Netns, Routes: list},
		Undo: journal.Action{Kind: journal.DeleteRoutes, Netns: s.DUT.Netns, Routes: list},
	}}, nil
}
