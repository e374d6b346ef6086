// Package journal undoes what a run changes on a machine, even when the run was
// killed: each undo is written to disk before the change is made.
package journal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/linerate/linerate/internal/netns"
	"github.com/vishvananda/netlink"
)

// Kind says what an Action does.
type Kind string

// The values of Kind.
const (
	// DeleteNetns removes the namespace Netns and all that is in it.
	DeleteNetns Kind = "delete-netns"
	// SetSysctl writes Value to the sysctl Key.
	SetSysctl Kind = "set-sysctl"
	// Command runs Argv with Stdin.
	Command Kind = "command"
	// FlushConntrack empties the connection tracking table.
	FlushConntrack Kind = "flush-conntrack"
)

// Action is one change of a machine as data, so that it can be journalled, shown
// and made by another process than the one that thought of it.
type Action struct {
	Kind Kind `json:"kind"`
	// Netns is where it is done; empty is the namespace of the process.
	Netns string   `json:"netns,omitempty"`
	Key   string   `json:"key,omitempty"`
	Value string   `json:"value,omitempty"`
	Argv  []string `json:"argv,omitempty"`
	Stdin string   `json:"stdin,omitempty"`
	// StdinName is the file that Stdin was read from, for the errors of a Command; empty if none.
	StdinName string `json:"stdin_name,omitempty"`
	// Env is added to the environment of a Command, as KEY=VALUE.
	Env []string `json:"env,omitempty"`
	// TimeoutS ends a Command, in seconds; 0 lets it run.
	TimeoutS float64 `json:"timeout_s,omitempty"`
	Routes   *Routes `json:"routes,omitempty"`
	// Process is that of StartProcess and StopProcess.
	Process *Process `json:"process,omitempty"`
}

// String is the action as a shell line that a reader could type.
func (a Action) String() string {
	in := ""
	if a.Netns != "" {
		in = "ip netns exec " + a.Netns + " "
	}
	switch a.Kind {
	case DeleteNetns:
		return "ip netns del " + a.Netns
	case SetSysctl:
		return fmt.Sprintf("%ssysctl -w %s=%s", in, a.Key, a.Value)
	case SetDevice:
		return fmt.Sprintf("%ssh -c 'echo %s > %s'", in, a.Value, devicePath(a.Key))
	case SetLink:
		return fmt.Sprintf("%sip link set %s %s", in, a.Key, a.Value)
	case FlushConntrack:
		return in + "conntrack -F"
	case AddRoutes:
		return a.Routes.line("add", in)
	case DeleteRoutes:
		return a.Routes.line("delete", in)
	case EndProcesses:
		return fmt.Sprintf("kill $(ip netns pids %s)", a.Netns)
	case AttachXDP, DetachXDP:
		return a.xdpText(in)
	case StopProcess:
		return "kill $(cut -d ' ' -f 1 " + a.Process.path(pidFile) + ")"
	case StartProcess:
		return in + strings.Join(append(slices.Clone(a.Process.Env), a.Argv...), " ") + " &"
	}
	return a.line(in)
}

// gone tells that the namespace of the action, and so all it could change, is no longer there.
func (a Action) gone() bool { return a.Netns != "" && !netns.Exists(a.Netns) }

// Run makes the change.
func (a Action) Run() error {
	if a.gone() && a.Kind != DeleteNetns {
		return fmt.Errorf("%s: network namespace %s is gone", a.Kind, a.Netns)
	}
	switch a.Kind {
	case DeleteNetns:
		return netns.Delete(a.Netns)
	case SetSysctl:
		return netns.Do(a.Netns, func() error {
			if err := writeSysctl(a.Key, a.Value); err != nil {
				return fmt.Errorf("set sysctl %s to %q: %w", a.Key, a.Value, err)
			}
			return nil
		})
	case SetDevice:
		return a.setDevice()
	case SetLink:
		return a.setLink()
	case AttachXDP, DetachXDP:
		return a.xdp()
	case FlushConntrack:
		return netns.Do(a.Netns, func() error {
			if err := netlink.ConntrackTableFlush(netlink.ConntrackTable); err != nil {
				return fmt.Errorf("flush the conntrack table: %w", err)
			}
			return nil
		})
	case AddRoutes, DeleteRoutes:
		return a.routes()
	case EndProcesses:
		return endProcesses(a.Netns)
	case Command:
		return a.command()
	case StartProcess:
		return a.start()
	case StopProcess:
		return a.stop()
	}
	return fmt.Errorf("action of unknown kind %q: the journal is from another version of linerate", a.Kind)
}
