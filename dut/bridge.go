package dut

import "github.com/linerate/linerate/dut/journal"

// bridge joins the DUT's two devices by a Linux bridge: frames pass from one to the
// other by their MAC address, as they are.
var bridge = kind{steps: bridgeSteps, layer2: true}

const bridgeDevice = "br0"

// bridgeSteps make a bridge that does nothing but look up addresses. Spanning tree and
// multicast snooping are off, the two addresses are entered by hand, and a frame to any
// other is not flooded, so that no frame can arrive twice or by chance.
//
// Where br_netfilter is there, bridged packets would go through the rules of iptables
// too, by default (net/bridge/br_netfilter_hooks.c, Linux 6.18): that is off, as a
// bridge alone is measured.
func bridgeSteps(s Scenario) ([]Step, error) {
	if err := requireTools("ip", "bridge"); err != nil {
		return nil, err
	}
	var steps []Step
	for _, hook := range []string{"arptables", "iptables", "ip6tables"} {
		step := s.sysctl("net.bridge.bridge-nf-call-"+hook, "0")
		step.IfPresent = true
		steps = append(steps, step)
	}
	steps = append(steps, Step{
		Do:      s.command("ip", "link", "add", bridgeDevice, "type", "bridge", "stp_state", "0", "mcast_snooping", "0"),
		Undo:    s.command("ip", "link", "delete", bridgeDevice), // releases the devices and forgets the addresses
		Atomic:  true,
		Missing: &MissingError{Tool: "the bridge", Reason: "is not in this kernel", Hint: "boot one with CONFIG_BRIDGE (module bridge)"},
	})
	for _, side := range []struct{ device, address string }{
		{s.DUT.A.Interface, s.DUT.A.TesterMAC.String()},
		{s.DUT.B.Interface, s.DUT.B.TesterMAC.String()},
	} {
		steps = append(steps,
			Step{Do: s.command("ip", "link", "set", "dev", side.device, "master", bridgeDevice)},
			Step{Do: s.command("ip", "link", "set", "dev", side.device, "type", "bridge_slave", "learning", "off", "flood", "off", "mcast_flood", "off")},
			Step{Do: s.command("bridge", "fdb", "add", side.address, "dev", side.device, "master", "static")},
		)
	}
	return append(steps, Step{Do: s.command("ip", "link", "set", "dev", bridgeDevice, "up")}), nil
}

// command runs a tool in the DUT.
func (s Scenario) command(argv ...string) journal.Action {
	return journal.Action{Kind: journal.Command, Netns: s.DUT.Netns, Argv: argv}
}
