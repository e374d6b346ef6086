// Package workload runs real programs in the two ends of a testbed, so that their
// streams pass the DUT, and reads what they measured. Each program has a folder of its
// own below this one; package registry finds it by the name that a plan gives it.
package workload

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// Ends are the two hosts that a workload runs on. The client is side A.
type Ends struct {
	ClientNetns, ServerNetns string
	// ServerAddress is what the client connects to.
	ServerAddress netip.Addr
	// ClientCPUs and ServerCPUs are those that each process may use.
	ClientCPUs, ServerCPUs []int
	// ServerPriority is the SCHED_FIFO priority of the server, or its nice value if negative; 0
	// leaves it as it is.
	ServerPriority int
}

// Request asks for one measurement.
type Request struct {
	Ends
	// Plan has the program's settings in a section of its own.
	Plan    plan.Plan
	Streams int
}

// Take is what one measurement came to.
type Take struct {
	Streams []result.Stream
	// ReceiverPPS is the datagrams that arrived per second; 0 of TCP.
	ReceiverPPS float64
	// Congestion is the congestion control of TCP, Program the program's version; empty if
	// the program does not tell.
	Congestion, Program string
	// Threads is how many threads of each process move data.
	Threads int
	// Client and Server are the two processes.
	Client, Server Ended
	// Warnings are doubts about the figures.
	Warnings []result.Warning
}

// Program is a program that can be the workload.
type Program interface {
	// Tool is the program's name in PATH, and Package the package that holds it.
	Tool() (name, packages string)
	// Measure makes one measurement, bounded in time. An error says what the program said;
	// with it Take has what the processes printed.
	Measure(ctx context.Context, r Request) (Take, error)
}

// Report is what a stored output of a program says.
type Report struct {
	// Workload names the program with its protocol and direction, as a plan's cells do.
	Workload string
	Take     Take
	// Seconds were measured; PayloadBytes is the UDP payload of a datagram, 0 of TCP.
	Seconds      float64
	PayloadBytes int
	IPVersion    int
	Bidir        bool
	// OfSender tells that the figures of some stream are those of its sender, because the
	// output has no others.
	OfSender bool
	// DirectionGuessed tells that the output does not say which end connected to which: which
	// streams are Reverse was guessed from their ports.
	DirectionGuessed bool
	// System is the machine as the program tells it, and StartedUnixS when it began; empty and
	// 0 if it does not.
	System       string
	StartedUnixS int64
}

// MissingError says that a program is not installed.
type MissingError struct{ Tool, Package string }

// Error says what to install.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not installed; install it with `apt-get install %s` or your distribution's package %s", e.Tool, e.Package, e.Package)
}
