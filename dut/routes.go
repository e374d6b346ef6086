package dut

import (
	"fmt"
	"os"
	"strings"

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
	need, have := uint64(s.Plan.Routes.Prefixes)*routeBytes[s.Cell.IPVersion], memoryAvailable()
	if have == 0 {
		return nil // a kernel that does not tell has to do without the check
	}
	if need > have/2 {
		return &MissingError{Tool: "memory", Reason: fmt.Sprintf("for %d routes is short: they take about %d MiB, and %d MiB are free", s.Plan.Routes.Prefixes, need>>20, have>>20), Hint: "set routes.prefixes to fewer"}
	}
	return nil
}

// memoryAvailable is the machine's memory that programs and kernel could still have, in
// bytes (MemAvailable, proc_meminfo(5)); 0 if it is not known.
func memoryAvailable() uint64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		var kib uint64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
