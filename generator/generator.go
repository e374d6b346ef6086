// Package generator holds what every source of test frames has in common: the
// streams it sends, the load it is asked for and the counts it answers with.
package generator

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/linerate/linerate/frame"
)

// Stream is one direction of traffic: the device frames leave by, and what they are.
type Stream struct {
	// Port names the stream in results.
	Port string
	// Netns is the named network namespace of the device; empty is the process's own.
	Netns string
	// Interface and Ifindex are the device inside Netns.
	Interface string
	Ifindex   int
	SourceMAC net.HardwareAddr
	// DestinationMAC is the next hop's: the DUT's port.
	DestinationMAC net.HardwareAddr
	Flows          []frame.Flow
}

// Config is what a generator is built from. Every stream has the same number of flows.
type Config struct {
	Streams []Stream
	Sizes   frame.Sizes
	// CPUs run the sending threads, one each; flows are dealt out among them.
	CPUs []int
	// Throttle is the number of loops to spend on each frame, 4096 at most: a slow
	// generator, planted to test the instrument. Only engine xdp has it.
	Throttle uint32
	// CopyFrames is how many of the first frames of each thread are shown to a capture:
	// as copies, or to packet sockets on the device.
	CopyFrames int
}

// Load asks for frames.
type Load struct {
	// PPS is the intended load of each stream in frames per second; 0 sends as fast as it goes.
	PPS float64
	// Duration bounds the sending.
	Duration time.Duration
	// Frames, if not 0, bounds the frames of each stream.
	Frames uint64
	// Epoch is written into every frame.
	Epoch uint16
	// Step, if its After is not 0, changes the intended load once.
	Step Step
}

// Step is a change of a paced load to another: from After on, counted from the start
// of the sending, PPS is the intended load of each stream.
type Step struct {
	PPS   float64
	After time.Duration
}

// Check tells whether a generator can offer the load.
func (l Load) Check() error {
	if l.Step.After == 0 {
		return nil
	}
	if l.PPS <= 0 || l.Step.PPS <= 0 || l.Step.After < 0 || l.Step.After >= l.Duration {
		return fmt.Errorf("send %.0f pps and %.0f pps after %v of %v: a step is from one paced load to another, within the duration", l.PPS, l.Step.PPS, l.Step.After, l.Duration)
	}
	return nil
}

// Intended is the number of frames of each stream that the load asks for; 0 if it is unbounded.
func (l Load) Intended() uint64 {
	n := uint64(l.PPS*l.Duration.Seconds() + 0.5)
	if l.Step.After > 0 {
		n = uint64(l.PPS*l.Step.After.Seconds() + l.Step.PPS*(l.Duration-l.Step.After).Seconds() + 0.5)
	}
	if l.Frames > 0 && (l.PPS == 0 || l.Frames < n) {
		return l.Frames
	}
	return n
}

// StreamCounts are the frames of one stream.
type StreamCounts struct {
	Port string
	// Intended frames, of which Unsent could not be offered in time. Zero for an unbounded load.
	Intended, Unsent uint64
	Sent             uint64
	// SentBytes are without FCS.
	SentBytes uint64
}

// Counts are what a generator did with a load.
type Counts struct {
	Streams []StreamCounts
	// Duration is from the first departure to the last.
	Duration time.Duration
	// StepNS is when the load's step was due, on CLOCK_MONOTONIC; 0 without one.
	StepNS uint64
	// Gaps are the times between departures of one stream on one thread, if the load
	// was paced. Each of Threads threads sends its share of the load.
	Gaps    frame.Histogram
	Threads int
	// Interruptions count how often sending was stopped by the system and taken up again.
	Interruptions int
}

// OtherProcesses is a Generator whose frames are sent by threads of other processes:
// their CPU time is the tester's, and nobody else's.
type OtherProcesses interface {
	// Threads are their thread ids.
	Threads() ([]int, error)
}

// EndedError says that a program which sends for a generator has ended while it should have
// sent. Another cell can start it again.
type EndedError struct {
	// Program is its name, How what is known of its end.
	Program, How string
}

func (e *EndedError) Error() string { return e.Program + " has ended" + e.How }

// Generator sends test frames.
type Generator interface {
	// Send offers the load and returns when it is over or ctx ends; counts are valid either way.
	Send(ctx context.Context, load Load) (Counts, error)
	// Progress is what has been sent of the current load. It may be called while Send runs.
	Progress() []StreamCounts
	// Engine is the name that results carry.
	Engine() string
	Close() error
}
