package main

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/vishvananda/netlink"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/afpacket"
	"github.com/linerate/linerate/generator/xdp"
	"github.com/linerate/linerate/internal/netns"
)

// sendPath is how frames get to the next hop.
type sendPath struct {
	engine string
	mac    net.HardwareAddr
}

// lookAhead finds the next hop's MAC address and an engine whose frames arrive there.
func (o *sendOrder) lookAhead(device *net.Interface, note func(string, ...any)) (sendPath, error) {
	p, err := findPeer(o.Netns, device.Index)
	if err != nil {
		note("the peer of %s was not found: %v", o.Interface, err)
	}
	path := sendPath{mac: o.MAC}
	if path.mac == nil {
		if path.mac, err = o.nextHop(device.Index, p); err != nil {
			return path, badArgument("send on %s: %w", o.Interface, err)
		}
	}
	if o.Engine == engineAFPacket {
		path.engine = engineAFPacket
		return path, nil
	}
	trouble, err := o.troubleXDP(device, p)
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
func (o *sendOrder) troubleXDP(device *net.Interface, p *peer) (string, error) {
	if most := o.Sizes.MaxBytes(); most > xdp.MaxFrameBytes {
		return fmt.Sprintf("it sends frames of up to %d bytes, not %d", xdp.MaxFrameBytes, most), nil
	}
	takes, known, err := takesXDPFrames(o.Netns, device.Index)
	if err != nil {
		return "", err
	}
	if p != nil {
		return p.troubleXDP(known && takes), nil
	}
	switch {
	case known && !takes:
		return fmt.Sprintf("the driver of %s does not take frames from XDP, or, if it is a veth, its peer has neither an XDP program nor GRO: "+
			"frames would count as sent and none would arrive; turn GRO of a peer on with `ethtool -K PEER gro on`", device.Name), nil
	case !known:
		return fmt.Sprintf("this kernel does not tell whether %s takes frames from XDP (Linux 6.3 does); "+
			"if it is a veth, check that its peer has an XDP program or GRO on", device.Name), nil
	}
	return "", nil
}

// nextHop is the MAC address of the gateway to the destination if the routes name
// one and it is known, or else of the peer of a veth.
func (o *sendOrder) nextHop(ifindex int, p *peer) (mac net.HardwareAddr, err error) {
	err = netns.Do(o.Netns, func() (err error) {
		mac, err = neighbour(ifindex, o.Destination.Addr())
		return err
	})
	if err != nil || mac != nil {
		return mac, err
	}
	if p != nil {
		return p.mac, nil
	}
	return nil, fmt.Errorf("the next hop to %v is not known: neither a gateway whose neighbour entry is complete nor the peer of a veth; give --destination-mac", o.Destination)
}

// neighbour looks in the calling thread's namespace; nil if there is no gateway or nothing is known of it.
func neighbour(ifindex int, destination netip.Addr) (net.HardwareAddr, error) {
	routes, err := netlink.RouteGetWithOptions(destination.AsSlice(), &netlink.RouteGetOptions{OifIndex: ifindex})
	if err != nil || len(routes) == 0 || routes[0].LinkIndex != ifindex || routes[0].Gw == nil {
		return nil, nil // no route is no error: frames need none
	}
	family := netlink.FAMILY_V4
	if destination.Is6() {
		family = netlink.FAMILY_V6
	}
	entries, err := netlink.NeighList(ifindex, family)
	if err != nil {
		return nil, fmt.Errorf("list neighbours: %w", err)
	}
	const complete = netlink.NUD_PERMANENT | netlink.NUD_REACHABLE | netlink.NUD_STALE | netlink.NUD_DELAY | netlink.NUD_PROBE
	for _, e := range entries {
		if e.IP.Equal(routes[0].Gw) && e.State&complete != 0 && len(e.HardwareAddr) == 6 {
			return e.HardwareAddr, nil
		}
	}
	return nil, nil
}

func openEngine(name string, config generator.Config) (generator.Generator, error) {
	if name == engineAFPacket {
		return afpacket.New(config)
	}
	return xdp.New(config)
}

// troubleXDP says why the peer would not take frames of engine xdp. takes is what
// the kernel says of the near end, if it says so.
func (p *peer) troubleXDP(takes bool) string {
	switch {
	case !p.up:
		return fmt.Sprintf("its veth peer %s in %s is down; set it up with `%s`", p.name, p.where, p.command("ip link set "+p.name+" up"))
	case takes || p.program || p.gro:
		return ""
	}
	return fmt.Sprintf("its veth peer %s in %s has neither an XDP program nor GRO, so frames would count as sent and none would arrive; "+
		"run `%s`, or `%s` to count them there", p.name, p.where, p.command("ethtool -K "+p.name+" gro on"),
		strings.TrimSpace("linerate receive "+p.netnsFlag()+" --interface "+p.name))
}
