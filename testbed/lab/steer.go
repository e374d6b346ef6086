package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/linerate/linerate/internal/netns"
)

// SteerStreams gives the frames of the ends' programs to the CPUs of whom they arrive at.
// A veth whose peer has segmentation offload does not use its NAPI thread for what a
// socket sends (veth_skb_is_eligible_for_gro, drivers/net/veth.c, Linux 6.18): the frame
// goes up the stack in a soft interrupt of the sending CPU, and the DUT would do its work
// on the client's. Receive packet steering (Documentation/networking/scaling.rst) takes
// it to the CPUs of the device's role by the hash of its flow. Where the ends' offloads
// are off, the DUT's NAPI threads have the frames already.
func (l *Lab) SteerStreams(endOffloads bool) error {
	n := l.names
	client, server := l.EndCPUs()
	dut := l.CPUs.DUT
	if !endOffloads {
		dut = nil
	}
	type device struct {
		ns, name string
		cpus     []int
	}
	var outer []device
	for _, d := range l.DUT.Devices() {
		if d.Peer == "" {
			outer = append(outer, device{d.Netns, d.Interface, dut})
		}
	}
	for _, d := range append(outer, []device{{n.nsA, n.a, client}, {n.nsA, n.xa, client}, {n.nsB, n.b, server}, {n.nsB, n.xb, server}}...) {
		if err := steer(d.ns, d.name, d.cpus); err != nil {
			return err
		}
	}
	return nil
}

// steer sets the CPUs of every receive queue of a device; none turns steering off.
func steer(ns, device string, cpus []int) error {
	return netns.DoWithSysfs(ns, func() error {
		queues, err := filepath.Glob(filepath.Join("/sys/class/net", device, "queues", "rx-*", "rps_cpus"))
		if err != nil || len(queues) == 0 {
			return fmt.Errorf("steer the frames of %s: it has no receive packet steering; it needs a kernel with CONFIG_RPS", device)
		}
		for _, path := range queues {
			if err := os.WriteFile(path, []byte(mask(cpus)), 0); err != nil {
				return fmt.Errorf("steer the frames of %s to CPUs %v: %w", device, cpus, err)
			}
		}
		return nil
	})
}

// mask is a set of CPUs as the kernel reads it: words of 32 bits in hexadecimal, the
// highest first (bitmap_parse, lib/bitmap-str.c).
func mask(cpus []int) string {
	words := []uint32{0}
	for _, c := range cpus {
		for len(words) <= c/32 {
			words = append(words, 0)
		}
		words[c/32] |= 1 << (c % 32)
	}
	text := make([]string, len(words))
	for i, w := range words {
		text[len(words)-1-i] = fmt.Sprintf("%08x", w)
	}
	return strings.Join(text, ",")
}
