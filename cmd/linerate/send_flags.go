package main

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
)

// hostsPerPrefix is how many addresses of each prefix flows are spread over, as in
// the lab; portsPerHost how many flows a source address can tell apart (RFC 4814).
const (
	hostsPerPrefix = 64
	portsPerHost   = 64512
)

// The engines that "auto" decides between.
const (
	engineAuto     = plan.EngineAuto
	engineXDP      = "xdp"
	engineAFPacket = "afpacket"
)

// sendFlags are the flags as they were given.
type sendFlags struct {
	iface, netns, pps, frameSize     string
	source, destination, mac, engine string
	cpu                              string
	duration                         time.Duration
	flows, ip                        int
	epoch                            uint16
	seed                             int64
	json, sizeGiven                  bool
	allowInterface, allowDestination []string
}

func (f *sendFlags) add(s *pflag.FlagSet) {
	s.StringVar(&f.iface, "interface", "", "the interface that frames leave by")
	s.StringVar(&f.netns, "netns", "", "the named network namespace of the interface")
	s.StringVar(&f.pps, "pps", "10000", "frames per second, or max for as fast as it goes")
	s.DurationVar(&f.duration, "duration", 10*time.Second, "how long to send")
	s.IntVar(&f.flows, "flows", 1000, "number of UDP flows, 1 to 1000000")
	s.StringVar(&f.frameSize, "frame-size", "64", "frame size in bytes with FCS, or imix (IPv6: 84 at least)")
	s.IntVar(&f.ip, "ip", 4, "IP version, 4 or 6")
	s.StringVar(&f.source, "source-prefix", "", "prefix that source addresses are drawn from (default 198.18.1.0/24 or 2001:2:0:1::/64)")
	s.StringVar(&f.destination, "destination-prefix", "", "prefix that destination addresses are drawn from (default 198.19.1.0/24 or 2001:2:0:8001::/64)")
	s.StringVar(&f.mac, "destination-mac", "", "MAC address of the next hop (default: the gateway's, or the peer's of a veth)")
	s.Uint16Var(&f.epoch, "epoch", 1, "number that marks the frames of this load")
	s.Int64Var(&f.seed, "seed", 1, "seed of the flows")
	s.StringVar(&f.engine, "engine", engineAuto, plan.EngineList())
	s.StringVar(&f.cpu, "cpu", "", "CPUs of the sending threads, as in 0-1,3 (default: one thread, placed by the kernel)")
	s.BoolVar(&f.json, "json", false, "print the summary as a JSON object")
	s.StringArrayVar(&f.allowInterface, "allow-interface", nil, "send on this interface although it is in use (RFC 6815)")
	s.StringArrayVar(&f.allowDestination, "allow-destination", nil, "send to this prefix outside the benchmarking blocks (RFC 6815)")
}

// sendOrder is what to send, checked.
type sendOrder struct {
	Interface, Netns string
	// PPS is 0 for as fast as it goes.
	PPS         float64
	Duration    time.Duration
	Flows       []frame.Flow
	FrameSize   plan.FrameSize
	Sizes       frame.Sizes
	IPVersion   int
	Destination netip.Prefix
	// MAC is nil if it has to be found out.
	MAC       net.HardwareAddr
	Epoch     uint16
	Engine    string
	CPUs      []int
	JSON      bool
	Overrides []string
}

// order checks the flags and returns all that is wrong with them at once.
func (f *sendFlags) order() (*sendOrder, error) {
	o := &sendOrder{Interface: f.iface, Netns: f.netns, Duration: f.duration, IPVersion: f.ip, Epoch: f.epoch, Engine: f.engine, JSON: f.json}
	var wrong []error
	bad := func(format string, a ...any) { wrong = append(wrong, fmt.Errorf(format, a...)) }
	if f.iface == "" {
		bad("--interface is missing; name the interface that frames leave by")
	}
	if f.duration <= 0 {
		bad("--duration %v: send for more than 0 s", f.duration)
	}
	if !slices.Contains(plan.EngineChoices(), f.engine) {
		bad("--engine %s: write %s", f.engine, plan.EngineList())
	}
	var err error
	if o.PPS, err = parsePPS(f.pps); err != nil {
		wrong = append(wrong, err)
	}
	wrong = append(wrong, f.engineLimits()...)
	if f.mac != "" {
		if o.MAC, err = net.ParseMAC(f.mac); err != nil || len(o.MAC) != 6 {
			bad("--destination-mac %s: write a MAC address as in 02:00:5e:10:00:02", f.mac)
		}
	}
	cpus, err := plan.ParseCPUList(f.cpu)
	if err != nil {
		bad("--cpu: %w", err)
	}
	o.CPUs = cpus
	for _, name := range f.allowInterface {
		o.Overrides = append(o.Overrides, "--allow-interface "+name)
	}
	for _, text := range f.allowDestination {
		if p, err := netip.ParsePrefix(text); err == nil {
			text = p.Masked().String()
		}
		o.Overrides = append(o.Overrides, "--allow-destination "+text)
	}
	if f.ip != 4 && f.ip != 6 {
		bad("--ip %d: the IP version is 4 or 6", f.ip)
		return nil, errors.Join(wrong...)
	}
	return o, errors.Join(append(wrong, f.orderSizes(o), f.orderFlows(o))...)
}

func parsePPS(text string) (float64, error) {
	if text == "max" {
		return 0, nil
	}
	pps, err := strconv.ParseFloat(text, 64)
	if err != nil || pps <= 0 || math.IsInf(pps, 0) || math.IsNaN(pps) {
		return 0, fmt.Errorf("--pps %s: write frames per second as a number above 0, as in 100000, or max", text)
	}
	return pps, nil
}

func (f *sendFlags) orderSizes(o *sendOrder) (err error) {
	if o.FrameSize, err = plan.ParseFrameSize(f.frameSize); err != nil {
		return fmt.Errorf("--frame-size: %w", err)
	}
	if !f.sizeGiven {
		o.FrameSize = plan.FrameSize(frame.MinSizeBytes(f.ip))
	}
	if o.Sizes = (frame.Sizes{int(o.FrameSize)}); o.FrameSize == plan.IMIX {
		o.Sizes = frame.SimpleIMIX(f.ip)
	}
	if err := o.Sizes.Check(f.ip, frame.MaxSizeBytes-frame.EthernetBytes-frame.FCSBytes); err != nil {
		return fmt.Errorf("--frame-size %s: %w", f.frameSize, err)
	}
	return nil
}

func (f *sendFlags) orderFlows(o *sendOrder) error {
	a, b := testbed.Benchmarking("", "")
	source, destination := a.Hosts4, b.Hosts4
	if f.ip == 6 {
		source, destination = a.Hosts6, b.Hosts6
	}
	var err error
	if source, err = prefixFlag("source-prefix", f.source, source, f.ip); err != nil {
		return err
	}
	if destination, err = prefixFlag("destination-prefix", f.destination, destination, f.ip); err != nil {
		return err
	}
	o.Destination = destination
	space := frame.Space{Source: source, Destination: destination, SourceHosts: hostsOf(source), DestinationHosts: hostsOf(destination)}
	// Close to the limit the drawing of different ends would take for ever.
	if most := space.SourceHosts * portsPerHost / 2; f.flows > most && f.flows <= frame.MaxFlows {
		return fmt.Errorf("--flows %d: %v has room for %d different flows; give a larger --source-prefix", f.flows, source, most)
	}
	if o.Flows, err = space.Draw(f.flows, f.seed); err != nil {
		return fmt.Errorf("--flows: %w", err)
	}
	return nil
}

func prefixFlag(name, text string, usual netip.Prefix, ipVersion int) (netip.Prefix, error) {
	if text == "" {
		return usual, nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return p, fmt.Errorf("--%s %s: write a prefix as in %v", name, text, usual)
	}
	if p.Addr().Is4() != (ipVersion == 4) || p.Addr().Is4In6() {
		return p, fmt.Errorf("--%s %s: it is no prefix of IPv%d; change it or --ip", name, text, ipVersion)
	}
	return p.Masked(), nil
}

// hostsOf is how many addresses of the prefix flows are spread over.
func hostsOf(p netip.Prefix) int {
	return 1 << min(p.Addr().BitLen()-p.Bits(), 6)
}

// needRoot is the error of a user who may not do what is asked.
func needRoot(what string) error {
	if os.Geteuid() != 0 {
		return cannot(fmt.Errorf("%s: it needs root; run it with sudo", what))
	}
	return nil
}
