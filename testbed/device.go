package testbed

import "net"

// Device is one of the network devices that the DUT consists of.
type Device struct {
	Netns, Interface string
	// Peer is the other end of its link if that is the DUT's too, in a DUT of several
	// routers; empty for a device that faces the tester.
	Peer string
	MAC  net.HardwareAddr
	// Stage is how many routers a frame has passed when the device receives it, counted
	// from the tester's port that it comes from.
	Stage int
	// Path numbers the ways that frames can take between two routers of the DUT, from 1;
	// 0 is where there is one way only.
	Path int
}

// Path is one of several ways through the DUT among which a router chooses.
type Path struct {
	Name string
	// Entry is the device by which frames from A take it, and by which those from B leave it.
	Entry Device
}

// Devices are all devices of the DUT: those that face the tester first.
func (d DUT) Devices() []Device {
	return append([]Device{
		{Netns: d.A.Netns, Interface: d.A.Interface},
		{Netns: d.B.Netns, Interface: d.B.Interface},
	}, d.Inner...)
}

// Namespaces are those of the DUT's devices, side A's first.
func (d DUT) Namespaces() []string {
	var list []string
	seen := map[string]bool{}
	for _, device := range d.Devices() {
		if !seen[device.Netns] {
			list = append(list, device.Netns)
		}
		seen[device.Netns] = true
	}
	return list
}
