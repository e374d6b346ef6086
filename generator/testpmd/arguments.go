package testpmd

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/kernel"
)

const tool = "dpdk-testpmd"

// MaxFrameBytes is the largest frame that fits into one slot of the driver's ring, FCS included.
const MaxFrameBytes = 1518

// Driver is how testpmd opens a device of the kernel.
type Driver string

// The values of Driver.
const (
	// AFPacket is a packet socket.
	AFPacket Driver = "afpacket"
	// AFXDP is an AF_XDP socket. It puts an XDP program on the device, which takes all that
	// arrives there.
	AFXDP Driver = "afxdp"
)

// known is a Driver as DPDK has it.
type known struct {
	// name is the kernel's, library and packages are those that hold it.
	name, library, packages string
	// device is the argument for a virtual device with so many queues.
	device string
}

var drivers = map[Driver]known{
	AFPacket: {"af_packet", "librte_net_af_packet.so*", "librte-net-af-packet", "--vdev=net_af_packet0,iface=%s,qpairs=%d"},
	// Without a budget for busy polling: nothing arrives that could be polled for.
	AFXDP: {"af_xdp", "librte_net_af_xdp.so*", "librte-net-af-xdp", "--vdev=net_af_xdp0,iface=%s,start_queue=0,queue_count=%d,busy_budget=0"},
}

// driverFolders hold the drivers of DPDK as distributions with packages for each have them.
const driverFolders = "/usr/lib*/*/dpdk/pmds-*"

// require returns a *kernel.MissingError if testpmd or its driver is not installed.
func require(driver Driver) error {
	missing := func(name, reason, fix string) error {
		return &kernel.MissingError{Missing: []kernel.Missing{{Name: name, Reason: reason, Cost: "engine testpmd cannot send", Fix: fix}}}
	}
	if _, err := exec.LookPath(tool); err != nil {
		return missing(tool, "it is not installed", "install it with `apt-get install dpdk-dev`, or your distribution's package of DPDK")
	}
	folders, err := filepath.Glob(driverFolders)
	if err != nil || len(folders) == 0 {
		return err // built in, or somewhere else: testpmd will tell
	}
	for _, f := range folders {
		if found, _ := filepath.Glob(filepath.Join(f, drivers[driver].library)); len(found) > 0 {
			return nil
		}
	}
	return missing("DPDK driver net_"+drivers[driver].name, strings.Join(folders, ", ")+" does not have it", "install it with `apt-get install '^"+drivers[driver].packages+"[0-9]*$'`")
}

// check tells what testpmd cannot send.
func check(c generator.Config, driver Driver) error {
	if err := c.Check(); err != nil {
		return err
	}
	_, found := drivers[driver]
	switch {
	case !found:
		return fmt.Errorf("it has no driver %q; there are %s and %s", driver, AFPacket, AFXDP)
	case driver == AFXDP && len(c.Streams) > 1:
		return errors.New("by AF_XDP it sends one way only: its XDP program is on the device where the sink of the other way has its own; use driver afpacket")
	case len(c.Sizes) != 1:
		return fmt.Errorf("it sends frames of one size, not %d; use another engine for a mix", len(c.Sizes))
	case c.Sizes[0] < frame.MinSizeBytes(4) || c.Sizes[0] > MaxFrameBytes:
		return fmt.Errorf("it sends frames of %d to %d bytes, not %d", frame.MinSizeBytes(4), MaxFrameBytes, c.Sizes[0])
	case c.Throttle > 0:
		return errors.New("it cannot be slowed down")
	}
	for _, s := range c.Streams {
		if s.Flows[0].IPVersion() != 4 {
			return fmt.Errorf("stream %s is of IPv%d: testpmd builds frames of IPv4 only; use another engine", s.Port, s.Flows[0].IPVersion())
		}
		if i := slices.IndexFunc(s.Flows, func(f frame.Flow) bool { return f != s.Flows[0] }); i >= 0 {
			return fmt.Errorf("stream %s has several flows, %v and %v among them: testpmd sends one; ask for one flow, or use another engine", s.Port, s.Flows[0], s.Flows[i])
		}
	}
	return nil
}

// A queue of testpmd holds frames in memory of its own; both numbers are per queue.
const queueFrames, queueMegabytes = 16_384, 256

// arguments are the command line for one stream, with a sending core for each CPU. The
// main core waits for commands only and shares the first CPU.
func arguments(number int, s generator.Stream, cpus []int, sizeBytes int, driver Driver) []string {
	lcores := []string{fmt.Sprintf("0@%d", cpus[0])}
	for i, cpu := range cpus {
		lcores = append(lcores, fmt.Sprintf("%d@%d", i+1, cpu))
	}
	n, f := len(cpus), s.Flows[0]
	return []string{
		tool, "--lcores", strings.Join(lcores, ","), "--no-huge", "-m", fmt.Sprint(queueMegabytes * n), "--no-pci", "--no-telemetry", "--no-shconf",
		"--file-prefix", fmt.Sprintf("linerate-source-%d", number), fmt.Sprintf(drivers[driver].device, s.Interface, n),
		"--", "-i", "--forward-mode=txonly", fmt.Sprintf("--txpkts=%d", sizeBytes-frame.FCSBytes),
		fmt.Sprintf("--tx-ip=%v,%v", f.Source, f.Destination), fmt.Sprintf("--tx-udp=%d,%d", f.SourcePort, f.DestinationPort),
		fmt.Sprintf("--eth-peer=0,%v", s.DestinationMAC),
		fmt.Sprintf("--nb-cores=%d", n), fmt.Sprintf("--rxq=%d", n), fmt.Sprintf("--txq=%d", n), fmt.Sprintf("--total-num-mbufs=%d", queueFrames*n),
	}
}
