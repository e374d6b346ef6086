package journal

import (
	"fmt"
	"strings"

	"github.com/linerate/linerate/dut/xdp"
)

// XDP programs on devices, which stand in Argv.
const (
	// AttachXDP attaches the program that Key names (package dut/xdp) to both devices.
	AttachXDP Kind = "attach-xdp"
	// DetachXDP takes whatever is attached natively off the devices.
	DetachXDP Kind = "detach-xdp"
)

func (a Action) xdp() error {
	if a.Kind == AttachXDP {
		return xdp.Attach(a.Netns, a.Key, a.Argv)
	}
	return xdp.Detach(a.Netns, a.Argv)
}

// xdpText is the action as shell lines; no tool but linerate has the programs.
func (a Action) xdpText(in string) string {
	if a.Kind == AttachXDP {
		return fmt.Sprintf("# linerate attaches its XDP program %s natively to %s", a.Key, strings.Join(a.Argv, " and "))
	}
	var lines []string
	for _, device := range a.Argv {
		lines = append(lines, in+"ip link set dev "+device+" xdpdrv off")
	}
	return strings.Join(lines, "; ")
}
