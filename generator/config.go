package generator

import (
	"fmt"

	"github.com/linerate/linerate/frame"
)

// Check tells what no engine could send: other than one or two streams, streams of
// different numbers of flows, or flows of both IP versions.
func (c Config) Check() error {
	if len(c.Streams) < 1 || len(c.Streams) > 2 {
		return fmt.Errorf("it sends 1 or 2 streams, not %d", len(c.Streams))
	}
	first := c.Streams[0]
	if len(first.Flows) == 0 {
		return fmt.Errorf("stream %s has no flows; it needs at least one", first.Port)
	}
	for _, s := range c.Streams {
		if len(s.Flows) != len(first.Flows) {
			return fmt.Errorf("stream %s has %d flows and %s has %d; streams have equally many", s.Port, len(s.Flows), first.Port, len(first.Flows))
		}
		if err := sameVersion(s.Flows, first.Flows[0].IPVersion()); err != nil {
			return fmt.Errorf("stream %s: %w", s.Port, err)
		}
	}
	return nil
}

func sameVersion(flows []frame.Flow, ipVersion int) error {
	for i, f := range flows {
		if f.IPVersion() != ipVersion {
			return fmt.Errorf("flow %d is of IPv%d among flows of IPv%d; a load has one version", i, f.IPVersion(), ipVersion)
		}
	}
	return nil
}

// Threads are the CPUs of the sending threads, -1 where a thread is not pinned. There
// are no more than flows: one flow stays on one CPU, as it would on one queue.
func (c Config) Threads() []int {
	if len(c.CPUs) == 0 {
		return []int{-1}
	}
	return c.CPUs[:min(len(c.CPUs), len(c.Streams[0].Flows))]
}
