package dut

import (
	"fmt"
	"strconv"

	"github.com/linerate/linerate/dut/journal"
)

// Entries of the table that flows may fill at most: a table that is nearly full
// drops entries early.
const maxTableFill = 0.8

// Timeout of UDP entries in seconds: no entry of a flow may expire in mid-run.
const entryTimeoutSeconds = "600"

const (
	tableMax     = "net.netfilter.nf_conntrack_max"
	tableBuckets = "net.netfilter.nf_conntrack_buckets"
)

// table sizes connection tracking for the flows of the cell and empties it before
// and after. Emptying comes first: it loads the kernel's connection tracking, and
// with it the sysctls, where that is a module.
//
// The size of the table belongs to the machine: a namespace shows it and may not
// change it. A kernel whose namespaces have a limit of their own needs both raised.
func (s Scenario) table() []Step {
	flush := journal.Action{Kind: journal.FlushConntrack, Netns: s.DUT.Netns}
	steps := []Step{{Do: flush, Undo: flush}}
	for _, key := range []string{"net.netfilter.nf_conntrack_udp_timeout", "net.netfilter.nf_conntrack_udp_timeout_stream"} {
		steps = append(steps, s.sysctl(key, entryTimeoutSeconds))
	}
	need := tableEntries(s.Cell.Flows)
	return append(steps,
		raise("", tableMax, need),
		raise(s.DUT.Netns, tableMax, need),
		raise("", tableBuckets, need/2),
	)
}

// tableEntries is the size of a table that holds so many flows.
func tableEntries(flows int) int { return int(float64(flows)/maxTableFill) + 1 }

func raise(ns, key string, value int) Step {
	return Step{Do: journal.Action{Kind: journal.SetSysctl, Netns: ns, Key: key, Value: strconv.Itoa(value)}, AtLeast: true}
}

// CheckTable tells whether the applied scenario has room for the flows of its cell
// in the connection tracking table. It returns nil if the scenario tracks nothing.
func (s Scenario) CheckTable() error {
	if !s.Tracked() {
		return nil
	}
	text, err := journal.ReadSysctl(s.DUT.Netns, tableMax)
	if err != nil {
		return fmt.Errorf("check the connection tracking table: %w", err)
	}
	entries, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("check the connection tracking table: %s is %q, not a number", tableMax, text)
	}
	if room := int(maxTableFill * float64(entries)); entries > 0 && s.Cell.Flows > room {
		return fmt.Errorf("check the connection tracking table: its %d entries hold up to %d flows without early drops, the cell has %d, and the limit cannot be raised from here: run `sysctl -w %s=%d` on the machine itself, outside of any container, or set traffic.flows to %d or fewer",
			entries, room, s.Cell.Flows, tableMax, tableEntries(s.Cell.Flows), room)
	}
	return nil
}
