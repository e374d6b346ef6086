package observe

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Clocks are the clocks of the machine at one moment.
type Clocks struct {
	// Source is the hardware that the kernel reads the time from; empty if it does not say.
	Source string
	// MonotonicNS, RawNS and BootNS are CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, which
	// nobody adjusts, and CLOCK_BOOTTIME, which goes on while the machine sleeps.
	MonotonicNS, RawNS, BootNS int64
	// FrequencyHz is the clock frequency of each CPU, where the kernel knows it.
	FrequencyHz map[int]float64
}

const clockSourceFile = "/sys/devices/system/clocksource/clocksource0/current_clocksource"

// ReadClocks reads the clocks, and the frequencies of some CPUs.
func ReadClocks(cpus map[int]string) (c Clocks, err error) {
	if source, err := os.ReadFile(clockSourceFile); err == nil {
		c.Source = strings.TrimSpace(string(source))
	}
	c.FrequencyHz = map[int]float64{}
	for cpu := range cpus {
		path := filepath.Join("/sys/devices/system/cpu", fmt.Sprintf("cpu%d", cpu), "cpufreq/scaling_cur_freq")
		text, err := os.ReadFile(path) // virtual machines have none
		if err != nil {
			continue
		}
		if khz, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64); err == nil && khz > 0 {
			c.FrequencyHz[cpu] = khz * 1000
		}
	}
	return c, c.read()
}

// read takes the three times as close together as a few attempts allow.
func (c *Clocks) read() error {
	const attempts, near = 10, 5000 // ns
	least := int64(1) << 62
	for range attempts {
		var t [4]unix.Timespec
		for i, clock := range []int32{unix.CLOCK_MONOTONIC, unix.CLOCK_MONOTONIC_RAW, unix.CLOCK_BOOTTIME, unix.CLOCK_MONOTONIC} {
			if err := unix.ClockGettime(clock, &t[i]); err != nil {
				return fmt.Errorf("read the clocks: %w", err)
			}
		}
		if span := t[3].Nano() - t[0].Nano(); span < least {
			least = span
			c.MonotonicNS, c.RawNS, c.BootNS = t[0].Nano(), t[1].Nano(), t[2].Nano()
		}
		if least < near {
			break
		}
	}
	return nil
}

// SlewPPM is by how many parts per million CLOCK_MONOTONIC ran faster than the
// hardware clock between two readings.
func SlewPPM(before, after Clocks) float64 {
	raw := after.RawNS - before.RawNS
	if raw <= 0 {
		return 0
	}
	return float64(after.MonotonicNS-before.MonotonicNS-raw) / float64(raw) * 1e6
}

// SuspendedNS is how long the machine slept between two readings.
func SuspendedNS(before, after Clocks) int64 {
	return max(0, (after.BootNS-before.BootNS)-(after.MonotonicNS-before.MonotonicNS))
}
