package dut

import (
	"strconv"

	"github.com/linerate/linerate/dut/journal"
)

// Entries of the table that flows may fill at most: a table that is nearly full
// drops entries early.
const maxTableFill = 0.8

// Timeout of UDP entries in seconds: no entry of a flow may expire in mid-run.
const entryTimeoutSeconds = "600"

// table sizes connection tracking for the flows of the cell and empties it before
// and after.
func (s Scenario) table() []Step {
	flush := journal.Action{Kind: journal.FlushConntrack, Netns: s.DUT.Netns}
	steps := []Step{{Do: flush, Undo: flush}}
	for _, key := range []string{"net.netfilter.nf_conntrack_udp_timeout", "net.netfilter.nf_conntrack_udp_timeout_stream"} {
		steps = append(steps, s.sysctl(key, entryTimeoutSeconds))
	}
	need := int(float64(s.Cell.Flows)/maxTableFill) + 1
	// The limit of a namespace is that of the machine, or lower (net/netfilter/nf_conntrack_core.c).
	for _, ns := range []string{"", s.DUT.Netns} {
		key := "net.netfilter.nf_conntrack_max"
		if have, err := journal.ReadSysctl(ns, key); err == nil {
			if n, err := strconv.Atoi(have); err == nil && n < need && n > 0 {
				steps = append(steps, Step{Do: journal.Action{Kind: journal.SetSysctl, Netns: ns, Key: key, Value: strconv.Itoa(need)}})
			}
		}
	}
	buckets := "net.netfilter.nf_conntrack_buckets"
	if have, err := journal.ReadSysctl("", buckets); err == nil {
		if n, err := strconv.Atoi(have); err == nil && n < need/4 {
			steps = append(steps, Step{Do: journal.Action{Kind: journal.SetSysctl, Key: buckets, Value: strconv.Itoa(need / 2)}})
		}
	}
	return steps
}
