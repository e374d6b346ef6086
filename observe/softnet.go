package observe

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Columns of /proc/net/softnet_stat (softnet_seq_show, net/core/net-procfs.c, Linux
// 6.18): the frames processed, in 32 bits that wrap around, and the CPU's number.
const (
	softnetProcessed = 0
	softnetCPU       = 12
)

// readSoftnet is the number of frames that went up the network stack on each CPU.
func readSoftnet() (map[int]uint64, error) {
	data, err := os.ReadFile("/proc/net/softnet_stat")
	if err != nil {
		return nil, fmt.Errorf("read the frames of each CPU: %w", err)
	}
	return parseSoftnet(data)
}

func parseSoftnet(data []byte) (map[int]uint64, error) {
	frames := map[int]uint64{}
	number := 0
	for line := range bytes.Lines(data) {
		columns := bytes.Fields(line)
		if len(columns) == 0 {
			continue
		}
		column := func(i int) (uint64, error) { return strconv.ParseUint(string(columns[i]), 16, 32) }
		processed, err := column(softnetProcessed)
		cpu := uint64(number) // before Linux 5.10 lines had no number
		if err == nil && len(columns) > softnetCPU {
			cpu, err = column(softnetCPU)
		}
		if err != nil {
			return nil, fmt.Errorf("read the frames of each CPU: line %q of /proc/net/softnet_stat: %w", line, err)
		}
		frames[int(cpu)] = processed
		number++
	}
	return frames, nil
}
