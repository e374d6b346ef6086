package kernels

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// availableMemory is what programs can still have without swapping, in bytes, as the
// kernel estimates it (MemAvailable of proc_meminfo(5)); 0 if it does not say.
func availableMemory() (uint64, error) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, fmt.Errorf("read how much memory is left: %w", err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, found := strings.CutPrefix(lines.Text(), "MemAvailable:"); found {
			var kilobytes uint64
			_, err := fmt.Sscan(text, &kilobytes)
			return kilobytes << 10, err
		}
	}
	return 0, nil
}
