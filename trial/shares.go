package trial

import (
	"fmt"
	"strings"

	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/sink"
	"github.com/linerate/linerate/testbed"
)

// fillFairness sets how evenly the frames are spread over the flows of all directions.
func (b *Bed) fillFairness(t *result.Trial) error {
	var frames []uint32
	for _, d := range b.Directions {
		one, err := d.Sink.PerFlow(b.epoch)
		if err != nil {
			return err
		}
		frames = append(frames, one...)
	}
	if t.FlowFairness = result.FairnessOf(frames); t.FlowFairness != nil {
		t.FlowFairness.LoadPPS = t.IntendedLoadPPS
	}
	return nil
}

// device names an interface for the maps below.
type device struct{ netns, name string }

// readQueues reads the frames of each queue of the DUT's devices.
func (b *Bed) readQueues() (map[device]map[int]uint64, error) {
	all := map[device]map[int]uint64{}
	for _, q := range b.DUTQueues {
		d := device{q.Netns, q.Interface}
		if all[d] != nil {
			continue
		}
		var err error
		if all[d], err = observe.ReadQueues(q.Netns, q.Interface); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// queueShares joins the queues with the CPU time of their threads, which are in the
// same order and come before the DUT's other threads, and with what they took.
func queueShares(queues []testbed.Queue, busyNS []uint64, trafficS float64, before, after map[device]map[int]uint64) []result.QueueShare {
	if len(queues) > len(busyNS) || trafficS <= 0 {
		return nil
	}
	var list []result.QueueShare
	for i, q := range queues {
		d := device{q.Netns, q.Interface}
		list = append(list, result.QueueShare{
			Device: q.Device, Queue: q.Number, CPU: q.CPU,
			BusyRatio: float64(busyNS[i]) / (1e9 * trafficS), Frames: after[d][q.Number] - before[d][q.Number],
		})
	}
	return list
}

// perCPU are the frames of a sink by CPU.
func perCPU(c sink.Counts) []result.CPUFrames {
	var list []result.CPUFrames
	for cpu, n := range c.PerCPU {
		if n > 0 {
			list = append(list, result.CPUFrames{CPU: cpu, Frames: n})
		}
	}
	return list
}

// Limits of unevenCPUs, as shares of a CPU's time.
const (
	// fullCPU has no time left: /proc/stat and the scheduler lose a few per cent.
	fullCPU = 0.95
	// restingCPU could take over half of what a full one does.
	restingCPU = 0.5
)

// unevenCPUs tells that the forwarding fills one CPU of the DUT while another rests;
// empty if not. A CPU is full if it has no time left and the DUT's threads use at least
// half of it, so that a generator on the same CPU is not taken for the DUT.
func unevenCPUs(cores []result.Core, queues []result.QueueShare) string {
	dut := map[int]float64{}
	for _, q := range queues {
		dut[q.CPU] += q.BusyRatio
	}
	var full, resting []string
	for _, c := range cores {
		if !strings.Contains(c.Role, "dut") {
			continue
		}
		switch {
		case 1-c.Idle >= fullCPU && dut[c.CPU] >= 1-restingCPU:
			full = append(full, fmt.Sprintf("CPU %d of the DUT is %.0f %% busy, %.0f %% with forwarding", c.CPU, 100*(1-c.Idle), 100*dut[c.CPU]))
		case 1-c.Idle <= restingCPU:
			resting = append(resting, fmt.Sprintf("CPU %d only %.0f %%", c.CPU, 100*(1-c.Idle)))
		}
	}
	if len(full) == 0 || len(resting) == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %s: more flows, more queues or another spreading of the queues may raise the figure", strings.Join(full, ", "), strings.Join(resting, ", "))
}
