// Package observe watches the DUT and the tester during a trial: CPU time per
// core and per thread, interface counters, connection tracking.
package observe

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/linerate/linerate/result"
)

// CPUSample is the CPU time of the machine and of some threads at one moment.
type CPUSample struct {
	// cores are the clock ticks of each CPU as /proc/stat lists them: user, nice,
	// system, idle, iowait, irq, softirq, steal.
	cores map[int][8]uint64
	// owners are the times of each CPU by owner, if threads are watched, at atNS on CLOCK_MONOTONIC.
	owners []ownerTimes
	atNS   uint64
	// strangers are the times of foreign processes so far.
	strangers []Stranger
	// processed are the frames that went up the stack on each CPU.
	processed map[int]uint64
	// threadsNS is the time on CPU of each thread of the DUT, in nanoseconds.
	threadsNS []uint64
}

// SampleCPU reads the clocks of all CPUs and of the watched threads, if any.
func SampleCPU(threads *Threads) (s CPUSample, err error) {
	if threads != nil {
		if s.strangers, err = threads.Strangers(); err != nil {
			return s, fmt.Errorf("read CPU times: %w", err)
		}
		if s.owners, err = threads.sample(); err != nil {
			return s, fmt.Errorf("read CPU times: %w", err)
		}
		s.atNS = monotonicNS()
		if s.threadsNS, err = threads.DUTThreadsNS(); err != nil {
			return s, fmt.Errorf("read CPU times: %w", err)
		}
	}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return s, fmt.Errorf("read CPU times: %w", err)
	}
	if s.cores, err = parseStat(stat); err != nil {
		return s, err
	}
	s.processed, err = readSoftnet()
	return s, err
}

func parseStat(stat []byte) (map[int][8]uint64, error) {
	cores := map[int][8]uint64{}
	lines := bufio.NewScanner(bytes.NewReader(stat))
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 9 || !strings.HasPrefix(f[0], "cpu") || f[0] == "cpu" {
			continue
		}
		cpu, err := strconv.Atoi(f[0][3:])
		if err != nil {
			return nil, fmt.Errorf("read CPU times: line %q of /proc/stat: %w", lines.Text(), err)
		}
		var ticks [8]uint64
		for i := range ticks {
			if ticks[i], err = strconv.ParseUint(f[i+1], 10, 64); err != nil {
				return nil, fmt.Errorf("read CPU times: line %q of /proc/stat: %w", lines.Text(), err)
			}
		}
		cores[cpu] = ticks
	}
	return cores, nil
}

// ticksPerSecond is the unit of /proc/stat on every architecture (USER_HZ).
const ticksPerSecond = 100

// CPUBetween is the CPU time spent between two samples, as a share of the time
// that traffic flowed; what lies before and after it is idle. Roles names the role
// of each CPU to be listed; forwarded is the number of frames that the DUT delivered.
func CPUBetween(before, after CPUSample, traffic time.Duration, roles map[int]string, forwarded uint64) *result.CPU {
	if traffic <= 0 {
		return nil
	}
	busy := after.dutNS() - before.dutNS()
	c := &result.CPU{DUTCoresBusy: float64(busy) / float64(traffic.Nanoseconds()), PerCore: []result.Core{}}
	if forwarded > 0 {
		c.NSPerPacket = float64(busy) / float64(forwarded)
	}
	for cpu := 0; cpu <= highest(roles); cpu++ {
		if role, ok := roles[cpu]; ok {
			core := coreBetween(before.cores[cpu], after.cores[cpu], traffic, cpu, role)
			core.Foreign = core.User // the testbed's own work is all done in the kernel
			setOwners(&core, before, after)
			core.ProcessedFrames = uint64(uint32(after.processed[cpu] - before.processed[cpu]))
			c.PerCore = append(c.PerCore, core)
		}
	}
	return c
}

// ThreadsBetween is the time on CPU of each thread of the DUT between two samples, in
// nanoseconds; empty if none was watched in both.
func ThreadsBetween(before, after CPUSample) []uint64 {
	list := make([]uint64, min(len(before.threadsNS), len(after.threadsNS)))
	for i := range list {
		list[i] = after.threadsNS[i] - before.threadsNS[i]
	}
	return list
}

func coreBetween(before, after [8]uint64, traffic time.Duration, cpu int, role string) result.Core {
	whole := traffic.Seconds() * ticksPerSecond
	var d [8]float64
	used := 0.0
	for i := range d {
		d[i] = float64(after[i] - before[i])
		if i != 3 && i != 4 {
			used += d[i]
		}
	}
	whole = max(whole, used) // a generator that waits for its start is busy too
	return result.Core{
		CPU: cpu, Role: role,
		User: (d[0] + d[1]) / whole, System: d[2] / whole, IRQ: d[5] / whole, SoftIRQ: d[6] / whole, Steal: d[7] / whole,
		Idle: 1 - used/whole,
	}
}

func highest(roles map[int]string) int {
	m := -1
	for cpu := range roles {
		m = max(m, cpu)
	}
	return m
}
