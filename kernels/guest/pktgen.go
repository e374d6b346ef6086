package guest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
)

// Files of pktgen (net/core/pktgen.c). The folder belongs to a namespace, and a thread of
// ours may be in another than the process.
const (
	pktgenDir    = "/proc/thread-self/net/pktgen/"
	pktgenThread = pktgenDir + "kpktgend_0"
	pktgenAll    = pktgenDir + "pgctrl"
)

const (
	fcsBytes = 4
	// firstPort is the source port of the first flow; each flow has the next one.
	firstPort = 1024
	// MaxFlows is how many flows have a source port of their own.
	MaxFlows = 65535 - firstPort
)

// source is pktgen with its device bound.
type source struct{ device string }

// openSource binds the device g0 to the first thread and shapes its packets.
func openSource(c Cell, sideA, sideB testbed.Side, to net.HardwareAddr) (*source, error) {
	s := &source{pktgenDir + generatorDevice}
	err := netns.Do(generatorNetns, func() error {
		if err := command(pktgenThread, "rem_device_all"); err != nil {
			return err
		}
		if err := command(pktgenThread, "add_device "+generatorDevice); err != nil {
			return err
		}
		size := int(c.FrameSize)
		if c.FrameSize == plan.IMIX {
			return errors.New("pktgen sends frames of one size: set traffic.frame_size to a number of bytes")
		}
		for _, line := range []string{
			"delay 0", "clone_skb 0", fmt.Sprintf("pkt_size %d", size-fcsBytes),
			"dst_mac " + to.String(), "src_mac " + macs[generatorDevice].String(),
			"src_min " + sideA.Hosts4.Addr().Next().String(), "src_max " + sideA.Hosts4.Addr().Next().String(),
			"dst_min " + sideB.Hosts4.Addr().Next().String(), "dst_max " + sideB.Hosts4.Addr().Next().String(),
			// The last port is not used when there is a range.
			fmt.Sprintf("udp_src_min %d", firstPort), fmt.Sprintf("udp_src_max %d", lastPort(c.Flows)),
			"udp_dst_min 9", "udp_dst_max 9",
		} {
			if err := command(s.device, line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("prepare pktgen: %w", err)
	}
	return s, nil
}

func lastPort(flows int) int {
	if flows == 1 {
		return firstPort
	}
	return firstPort + flows
}

// command writes one command. pktgen takes the last byte of some for a line's end.
func command(file, line string) error {
	if err := os.WriteFile(file, []byte(line+"\n"), 0o644); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	return nil
}

var pktgenResult = regexp.MustCompile(`Result: OK: \d+\(c(\d+)\+d\d+\) usec, (\d+) `)

// send sends so many packets and returns the time that it was busy, without what it idled.
func (s *source) send(packets int) (sent int, busyNS uint64, err error) {
	var text []byte
	err = netns.Do(generatorNetns, func() error {
		if err := command(s.device, fmt.Sprintf("count %d", packets)); err != nil {
			return err
		}
		if err := command(pktgenAll, "start"); err != nil {
			return err
		}
		text, err = os.ReadFile(s.device)
		return err
	})
	if err != nil {
		return 0, 0, fmt.Errorf("send by pktgen: %w", err)
	}
	found := pktgenResult.FindSubmatch(text)
	if found == nil {
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		return 0, 0, fmt.Errorf("send by pktgen: its result is not understood: %q", lines[max(0, len(lines)-2):])
	}
	microseconds, _ := strconv.ParseUint(string(found[1]), 10, 64)
	sent, _ = strconv.Atoi(string(found[2]))
	return sent, microseconds * 1000, nil
}

// close frees the device, which could not be removed before.
func (s *source) close() error {
	return netns.Do(generatorNetns, func() error { return command(pktgenThread, "rem_device_all") })
}
