package dut

import (
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/dut/xdp"
)

// xdpRouter forwards by an XDP program that asks the kernel's routing table; what the
// table does not answer takes the way of scenario route.
var xdpRouter = kind{steps: xdpSteps(xdp.Router), counters: xdpCounters}

// xdpBridge passes frames from port to port by an XDP program, whatever they are.
var xdpBridge = kind{steps: xdpSteps(xdp.Bridge), counters: xdpCounters, layer2: true}

func xdpSteps(program string) func(Scenario) ([]Step, error) {
	return func(s Scenario) ([]Step, error) {
		devices := []string{s.DUT.A.Interface, s.DUT.B.Interface}
		return []Step{{
			Do:   journal.Action{Kind: journal.AttachXDP, Netns: s.DUT.Netns, Key: program, Argv: devices},
			Undo: journal.Action{Kind: journal.DetachXDP, Netns: s.DUT.Netns, Argv: devices},
		}}, nil
	}
}

func xdpCounters(s Scenario) (map[string]uint64, error) {
	return xdp.Actions(s.DUT.Netns, s.DUT.A.Interface)
}
