package observe

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/linerate/linerate/internal/netns"
	"github.com/safchain/ethtool"
)

// ReadQueues is the number of frames that each receive queue of a device took so far, by
// the driver's own counters (ethtool -S). It is empty for a driver that counts them
// under names other than veth's.
func ReadQueues(ns, device string) (frames map[int]uint64, err error) {
	err = netns.Do(ns, func() error {
		tool, err := ethtool.NewEthtool()
		if err != nil {
			return fmt.Errorf("read the queues of %s: open the ethtool interface: %w", device, err)
		}
		defer tool.Close()
		counters, err := tool.Stats(device)
		if err != nil {
			return fmt.Errorf("read the queues of %s: %w; has the interface vanished?", device, err)
		}
		frames, err = queueFrames(counters)
		return err
	})
	return frames, err
}

// queueFrames finds veth's counters: "rx_queue_0_xdp_packets" counts what the queue's
// NAPI took, with and without an XDP program (veth_xdp_rcv, drivers/net/veth.c, Linux 6.18).
func queueFrames(counters map[string]uint64) (map[int]uint64, error) {
	frames := map[int]uint64{}
	var failed error
	for name, n := range counters {
		rest, ok := strings.CutPrefix(name, "rx_queue_")
		number, ok2 := strings.CutSuffix(rest, "_xdp_packets")
		if !ok || !ok2 {
			continue
		}
		queue, err := strconv.Atoi(number)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("counter %q names no queue: %w", name, err))
			continue
		}
		frames[queue] = n
	}
	return frames, failed
}
