// Package testbed describes where a plan is measured: the tester's ports, the DUT
// between them, and the CPUs that each of them has.
package testbed

import (
	"net"
	"net/netip"
)

// Port is one end of the tester: frames leave and arrive here. Its name is not
// its location.
type Port struct {
	Name string
	// Netns is the named network namespace that holds the device.
	Netns     string
	Interface string
	Ifindex   int
	MAC       net.HardwareAddr
	// NextHopMAC is the DUT's device that the port's frames are sent to.
	NextHopMAC net.HardwareAddr
}

// Side is one of the two networks that the DUT joins.
type Side struct {
	// Interface is the DUT's device on this side, and Netns its namespace.
	Interface, Netns string
	// DUTMAC is that device's address, TesterMAC that of the tester's device it is joined with.
	DUTMAC, TesterMAC net.HardwareAddr
	// DUT4 and DUT6 are the DUT's own addresses with the link's prefix.
	DUT4, DUT6 netip.Prefix
	// Tester4 and Tester6 are the tester's addresses on the link: the gateway to Net4 and Net6.
	Tester4, Tester6 netip.Addr
	// Net4 and Net6 hold all addresses of the side (RFC 2544 appendix C.2.2, RFC 5180).
	Net4, Net6 netip.Prefix
	// Hosts4 and Hosts6 are the part of them that flows are drawn from.
	Hosts4, Hosts6 netip.Prefix
}

// DUT is the device under test as scenarios configure it.
type DUT struct {
	// Netns is the namespace of the router that side A is connected to. Side B is
	// connected to the same one, unless a scenario makes the DUT of several.
	Netns string
	// A is the side that unidirectional traffic comes from, B the side it goes to.
	A, B Side
	// Inner are the devices between several routers, and Paths the ways through them.
	Inner []Device
	Paths []Path
	// Queues is the number of receive queues that each device has, and MTUBytes its IP MTU.
	Queues, MTUBytes int
}

// CPUs are the CPUs of the parts of a testbed. The lists may share CPUs.
type CPUs struct {
	DUT        []int
	Generators []int
	Sinks      []int
}

// Shared tells whether DUT and generators run on a common CPU.
func (c CPUs) Shared() bool { return overlap(c.DUT, c.Generators) }

// SinksBesideDUT tells whether the sinks run on CPUs of the DUT.
func (c CPUs) SinksBesideDUT() bool { return overlap(c.DUT, c.Sinks) }

// Tester are the CPUs of generators and sinks without those of the DUT.
func (c CPUs) Tester() []int {
	var list []int
	seen := map[int]bool{}
	for _, l := range [][]int{c.Generators, c.Sinks} {
		for _, cpu := range l {
			if !seen[cpu] && (c.Shared() || !contains(c.DUT, cpu)) {
				list = append(list, cpu)
			}
			seen[cpu] = true
		}
	}
	return list
}

// Roles say what each CPU is for: "dut", "generator", "sink", or several joined by "+".
func (c CPUs) Roles() map[int]string {
	roles := map[int]string{}
	for _, part := range []struct {
		role string
		cpus []int
	}{{"dut", c.DUT}, {"generator", c.Generators}, {"sink", c.Sinks}} {
		for _, cpu := range part.cpus {
			if roles[cpu] != "" {
				roles[cpu] += "+"
			}
			roles[cpu] += part.role
		}
	}
	return roles
}

func overlap(a, b []int) bool {
	for _, cpu := range a {
		if contains(b, cpu) {
			return true
		}
	}
	return false
}

func contains(list []int, cpu int) bool {
	for _, c := range list {
		if c == cpu {
			return true
		}
	}
	return false
}

// Benchmarking are the two sides of a testbed in the address blocks that are set
// aside for benchmarks: 198.18.0.0/15 and 2001:2::/48, one half per side.
func Benchmarking(interfaceA, interfaceB string) (a, b Side) {
	side := func(name, v4, v6 string) Side {
		n4, n6 := netip.MustParsePrefix(v4), netip.MustParsePrefix(v6)
		dut4, dut6 := n4.Addr().Next(), n6.Addr().Next()
		hosts4, hosts6 := n4.Addr().As4(), n6.Addr().As16()
		hosts4[2], hosts6[7] = 1, 1
		return Side{
			Interface: name,
			DUT4:      netip.PrefixFrom(dut4, 24), DUT6: netip.PrefixFrom(dut6, 64),
			Tester4: dut4.Next(), Tester6: dut6.Next(),
			Net4: n4, Net6: n6,
			Hosts4: netip.PrefixFrom(netip.AddrFrom4(hosts4), 24),
			Hosts6: netip.PrefixFrom(netip.AddrFrom16(hosts6), 64),
		}
	}
	return side(interfaceA, "198.18.0.0/16", "2001:2::/49"), side(interfaceB, "198.19.0.0/16", "2001:2:0:8000::/49")
}
