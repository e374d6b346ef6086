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
	at time.Time
	// cores are the clock ticks of each CPU as /proc/stat lists them: user, nice,
	// system, idle, iowait, irq, softirq, steal.
	cores map[int][8]uint64
	// threadsNS is the time on CPU of the watched threads together, in nanoseconds.
	threadsNS uint64
}

// Taken is false for the zero sample.
func (s CPUSample) Taken() bool { return !s.at.IsZero() }

// SampleCPU reads the clocks of all CPUs and of the watched threads, if any.
func SampleCPU(threads *Threads) (s CPUSample, err error) {
	s.at = time.Now()
	if threads != nil {
		if s.threadsNS, err = threads.BusyNS(); err != nil {
			return s, fmt.Errorf("read CPU times: %w", err)
		}
	}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return s, fmt.Errorf("read CPU times: %w", err)
	}
	s.cores, err = parseStat(stat)
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

// CPUBetween is the CPU time spent between two samples. Roles names the role of
// each CPU to be listed; forwarded is the number of frames that the DUT delivered.
func CPUBetween(before, after CPUSample, roles map[int]string, forwarded uint64) *result.CPU {
	elapsed := after.at.Sub(before.at).Nanoseconds()
	if elapsed <= 0 {
		return nil
	}
	busy := after.threadsNS - before.threadsNS
	c := &result.CPU{DUTCoresBusy: float64(busy) / float64(elapsed), PerCore: []result.Core{}}
	if forwarded > 0 {
		c.NSPerPacket = float64(busy) / float64(forwarded)
	}
	for cpu := 0; cpu <= highest(roles); cpu++ {
		role, ok := roles[cpu]
		if !ok {
			continue
		}
		var d [8]float64
		var sum float64
		for i := range d {
			d[i] = float64(after.cores[cpu][i] - before.cores[cpu][i])
			sum += d[i]
		}
		if sum == 0 {
			sum = 1
		}
		c.PerCore = append(c.PerCore, result.Core{
			CPU: cpu, Role: role,
			User: (d[0] + d[1]) / sum, System: d[2] / sum, Idle: (d[3] + d[4]) / sum,
			IRQ: d[5] / sum, SoftIRQ: d[6] / sum, Steal: d[7] / sum,
		})
	}
	return c
}

func highest(roles map[int]string) int {
	m := -1
	for cpu := range roles {
		m = max(m, cpu)
	}
	return m
}
