package main

import (
	"fmt"
	"net"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/engine"
	"github.com/linerate/linerate/generator/xdp"
	"github.com/linerate/linerate/internal/device"
	"github.com/linerate/linerate/plan"
)

// sendPath is how frames get to the next hop.
type sendPath struct {
	engine string
	mac    net.HardwareAddr
}

// lookAhead finds the next hop's MAC address and an engine whose frames arrive there.
func (o *sendOrder) lookAhead(port *net.Interface, note func(string, ...any)) (sendPath, error) {
	p, err := device.Peer(o.Netns, port.Index)
	if err != nil {
		note("the peer of %s was not found: %v", o.Interface, err)
	}
	path := sendPath{mac: o.MAC}
	if path.mac == nil {
		if path.mac, err = o.nextHop(port.Index, p); err != nil {
			return path, badArgument("send on %s: %w", o.Interface, err)
		}
	}
	if o.Engine != engineAuto && o.Engine != engineXDP {
		path.engine = o.Engine
		return path, nil
	}
	trouble, err := o.troubleXDP(port, p)
	if err != nil {
		return path, cannot(err)
	}
	switch {
	case trouble == "":
		path.engine = engineXDP
	case o.Engine == engineXDP:
		return path, cannot(fmt.Errorf("send with engine xdp on %s: %s; or use --engine afpacket", o.Interface, trouble))
	default:
		path.engine = engineAFPacket
		note("engine afpacket is used, for engine xdp cannot be: %s", trouble)
	}
	return path, nil
}

// troubleXDP says why frames of engine xdp would not arrive, and what would help; empty if they would.
func (o *sendOrder) troubleXDP(port *net.Interface, p *device.Device) (string, error) {
	if most := o.Sizes.MaxBytes(); most > xdp.MaxFrameBytes {
		return fmt.Sprintf("it sends frames of up to %d bytes, not %d", xdp.MaxFrameBytes, most), nil
	}
	takes, known, err := device.TakesXDPFrames(o.Netns, port.Index)
	if err != nil {
		return "", err
	}
	if p != nil {
		return peerTrouble(p, known && takes), nil
	}
	switch {
	case known && !takes:
		return fmt.Sprintf("the driver of %s does not take frames from XDP, or, if it is a veth, its peer has neither an XDP program nor GRO: "+
			"frames would count as sent and none would arrive; turn GRO of a peer on with `ethtool -K PEER gro on`", port.Name), nil
	case !known:
		return fmt.Sprintf("this kernel does not tell whether %s takes frames from XDP (Linux 6.3 does); "+
			"if it is a veth, check that its peer has an XDP program or GRO on", port.Name), nil
	}
	return "", nil
}

// nextHop is the MAC address of the gateway to the destination if the routes name
// one and it is known, or else of the peer of a veth.
func (o *sendOrder) nextHop(ifindex int, p *device.Device) (mac net.HardwareAddr, err error) {
	mac, err = device.NextHopMAC(o.Netns, ifindex, o.Destination.Addr())
	if err != nil || mac != nil {
		return mac, err
	}
	if p != nil {
		return p.MAC, nil
	}
	return nil, fmt.Errorf("the next hop to %v is not known: neither a gateway whose neighbour entry is complete nor the peer of a veth; give --destination-mac", o.Destination)
}

func openEngine(name string, config generator.Config) (generator.Generator, error) {
	return engine.Open(name, engine.Config{Config: config, Traffic: plan.Default().Traffic})
}

// peerTrouble says why the peer would not take frames of engine xdp. takes is what
// the kernel says of the near end, if it says so.
func peerTrouble(p *device.Device, takes bool) string {
	switch {
	case !p.Up:
		return fmt.Sprintf("its veth peer %s in %s is down; set it up with `%s`", p.Name, p.Where, p.Command("ip link set "+p.Name+" up"))
	case takes || p.XDPProgram || p.GRO:
		return ""
	}
	receive := "linerate receive --interface " + p.Name
	if p.Netns != "" {
		receive = "linerate receive --netns " + p.Netns + " --interface " + p.Name
	}
	return fmt.Sprintf("its veth peer %s in %s has neither an XDP program nor GRO, so frames would count as sent and none would arrive; "+
		"run `%s`, or `%s` to count them there", p.Name, p.Where, p.Command("ethtool -K "+p.Name+" gro on"), receive)
}
