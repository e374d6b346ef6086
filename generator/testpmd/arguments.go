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

// driverFolders hold the drivers of DPDK as distributions with packages for each have them.
const (
	driverFolders = "/usr/lib*/*/dpdk/pmds-*"
	driver        = "librte_net_af_packet.so*"
)

// require returns a *kernel.MissingError if testpmd or its driver is not installed.
func require() error {
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
		if found, _ := filepath.Glob(filepath.Join(f, driver)); len(found) > 0 {
			return nil
		}
	}
	return missing("DPDK driver net_af_packet", strings.Join(folders, ", ")+" does not have it", "install it with `apt-get install '^librte-net-af-packet[0-9]*$'`")
}

// check tells what testpmd cannot send.
func check(c generator.Config) error {
	if err := c.Check(); err != nil {
		return err
	}
	switch {
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
func arguments(number int, s generator.Stream, cpus []int, sizeBytes int) []string {
	lcores := []string{fmt.Sprintf("0@%d", cpus[0])}
	for i, cpu := range cpus {
		lcores = append(lcores, fmt.Sprintf("%d@%d", i+1, cpu))
	}
	n, f := len(cpus), s.Flows[0]
	return []string{
		tool, "--lcores", strings.Join(lcores, ","), "--no-huge", "-m", fmt.Sprint(queueMegabytes * n), "--no-pci", "--no-telemetry", "--no-shconf",
		"--file-prefix", fmt.Sprintf("linerate-source-%d", number), fmt.Sprintf("--vdev=net_af_packet0,iface=%s,qpairs=%d", s.Interface, n),
		"--", "-i", "--forward-mode=txonly", fmt.Sprintf("--txpkts=%d", sizeBytes-frame.FCSBytes),
		fmt.Sprintf("--tx-ip=%v,%v", f.Source, f.Destination), fmt.Sprintf("--tx-udp=%d,%d", f.SourcePort, f.DestinationPort),
		fmt.Sprintf("--eth-peer=0,%v", s.DestinationMAC),
		fmt.Sprintf("--nb-cores=%d", n), fmt.Sprintf("--rxq=%d", n), fmt.Sprintf("--txq=%d", n), fmt.Sprintf("--total-num-mbufs=%d", queueFrames*n),
	}
}
