package kernel

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/linerate/linerate/internal/netns"
	"github.com/safchain/ethtool"
)

// ThreadedNAPI moves the receive work of a device into kernel threads, which can
// be placed on CPUs.
var ThreadedNAPI = Feature{
	Name: "threaded NAPI", Need: ForLab,
	Cost: "generator, DUT and sink run in one softirq on one core, and nothing tells the DUT's work from the tester's: the testbed lab is not possible",
	Fix:  "boot Linux 5.12 or later; in a container see the host's threads (--pid=host) and let it mount sysfs (--privileged)",
	try:  tryThreadedNAPI,
}

func tryThreadedNAPI() (string, error) {
	var threads int
	err := sandbox(func(namespace string) error {
		return netns.DoWithSysfs(namespace, func() error {
			var err error
			threads, err = threadNAPI()
			return err
		})
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("a veth got %d NAPI thread(s)", threads), nil
}

// threadNAPI asks for threads on a veth and counts those that appear.
func threadNAPI() (int, error) {
	if err := addPair(); err != nil {
		return 0, err
	}
	tool, err := ethtool.NewEthtool()
	if err != nil {
		return 0, fmt.Errorf("open the ethtool interface: %w", err)
	}
	defer tool.Close()
	// A veth has no NAPI instance, and so no thread, unless GRO or an XDP program calls for one.
	if err := tool.Change(nearEnd, map[string]bool{"rx-gro": true}); err != nil {
		return 0, fmt.Errorf("turn GRO of veth %s on: %w", nearEnd, err)
	}
	switchPath := "/sys/class/net/" + nearEnd + "/threaded"
	if err := os.WriteFile(switchPath, []byte("1"), 0); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return 0, fmt.Errorf("ask for NAPI threads: Linux %s has no %s", Release(), switchPath)
		}
		return 0, fmt.Errorf("ask for NAPI threads: %w", err)
	}
	threads, err := threadsNamed("napi/" + nearEnd + "-")
	if err != nil {
		return 0, err
	}
	if threads == 0 {
		return 0, fmt.Errorf("ask for NAPI threads: %s took the request, but no thread napi/%s-* appeared", switchPath, nearEnd)
	}
	return threads, nil
}

func threadsNamed(prefix string) (int, error) {
	names, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		return 0, fmt.Errorf("list processes: %w", err)
	}
	found := 0
	for _, path := range names {
		if comm, err := os.ReadFile(path); err == nil && strings.HasPrefix(string(comm), prefix) {
			found++
		}
	}
	return found, nil
}
