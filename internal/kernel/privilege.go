package kernel

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/linerate/linerate/internal/sched"
	"golang.org/x/sys/unix"
)

// Root is an effective user ID of 0.
var Root = Feature{
	Name: "root", Need: ForLab,
	Cost: "no BPF program, namespace or device can be made: nothing can be measured",
	Fix:  "run linerate with sudo or as root",
	try: func() (string, error) {
		if id := os.Geteuid(); id != 0 {
			return "", fmt.Errorf("the effective user ID is %d", id)
		}
		return "the effective user ID is 0", nil
	},
}

// Capabilities are those that root can lack in a container.
var Capabilities = Feature{
	Name: "capabilities", Need: ForLab,
	Cost: "root without them cannot make namespaces and devices (CAP_NET_ADMIN, CAP_SYS_ADMIN), load BPF (CAP_BPF or CAP_SYS_ADMIN) or place kernel threads on CPUs (CAP_SYS_NICE)",
	Fix:  "run on the machine itself, or give the container --privileged",
	try:  tryCapabilities,
}

// RealTime is SCHED_FIFO, which keeps the parts of the lab from disturbing each other.
// The lab works without it, and its record then has the warning no-realtime.
var RealTime = Feature{
	Name: "real-time priority", Need: ForQuality,
	Cost: "generator, DUT and sink take turns with everything else on the machine: 0.1-0.2 % is lost at every load and a zero-loss throughput means little",
	Fix:  "give CAP_SYS_NICE and a limit for real-time priority (ulimit -r 99); with CONFIG_RT_GROUP_SCHED give the control group a cpu.rt_runtime_us above 0",
	try:  tryRealTime,
}

const statusPath = "/proc/thread-self/status"

func tryCapabilities() (string, error) {
	status, err := os.ReadFile(statusPath)
	if err != nil {
		return "", fmt.Errorf("read the capabilities of this process: %w", err)
	}
	held, err := effective(string(status))
	if err != nil {
		return "", err
	}
	if missing := lacking(held); len(missing) > 0 {
		return "", fmt.Errorf("this process lacks %s", strings.Join(missing, ", "))
	}
	return "CAP_NET_ADMIN, CAP_SYS_ADMIN, CAP_BPF, CAP_SYS_NICE", nil
}

// effective reads the line CapEff of /proc/PID/status.
func effective(status string) (uint64, error) {
	for line := range strings.Lines(status) {
		if digits, found := strings.CutPrefix(line, "CapEff:"); found {
			held, err := strconv.ParseUint(strings.TrimSpace(digits), 16, 64)
			if err != nil {
				return 0, fmt.Errorf("read CapEff of %s: %w", statusPath, err)
			}
			return held, nil
		}
	}
	return 0, fmt.Errorf("read %s: there is no line CapEff", statusPath)
}

func lacking(held uint64) []string {
	has := func(capability int) bool { return held&(1<<capability) != 0 }
	var missing []string
	if !has(unix.CAP_NET_ADMIN) {
		missing = append(missing, "CAP_NET_ADMIN")
	}
	if !has(unix.CAP_SYS_ADMIN) {
		missing = append(missing, "CAP_SYS_ADMIN")
		if !has(unix.CAP_BPF) {
			missing = append(missing, "CAP_BPF")
		}
	}
	if !has(unix.CAP_SYS_NICE) {
		missing = append(missing, "CAP_SYS_NICE")
	}
	return missing
}

func tryRealTime() (string, error) {
	err := sched.OnOwnThread(func() error { return sched.FIFO(0, 1) })
	if errors.Is(err, unix.EPERM) {
		return "", fmt.Errorf("%w (CAP_SYS_NICE or RLIMIT_RTPRIO forbids it)", err)
	}
	if err != nil {
		return "", err
	}
	return "SCHED_FIFO is permitted", nil
}
