// Package guest is the program that runs inside a guest, as its first process: it loads
// modules, builds a small lab for each cell, sends packets by the kernel's own generator,
// and reports what it counted.
package guest

import "github.com/linerate/linerate/plan"

// RequestFile is where the guest finds its request, as JSON.
const RequestFile = "/guest.json"

// Argument makes linerate this program when it is the first process of a machine.
const Argument = "linerate.guest=" + RequestFile

// Request is what a guest is asked to do.
type Request struct {
	// Modules are the files to load, in order.
	Modules []Module `json:"modules"`
	Cells   []Cell   `json:"cells"`
	// Seed is mixed into the kernel's random numbers before anything draws from them: the secrets
	// of hash tables depend on it.
	Seed int64 `json:"seed"`
	// Packets are sent in each of Repetitions measurements of a cell.
	Packets     int `json:"packets"`
	Repetitions int `json:"repetitions"`
	// ProfilePackets are sent once more with the CPU sampled; 0 for no profile.
	ProfilePackets int `json:"profile_packets"`
	// Rate asks for rates in real time in place of counts.
	Rate *Rate `json:"rate,omitempty"`
	// mark tells that a measurement begins or ends.
	mark func(string)
	// WindowPackets are sent once more between marks for a counter in the emulator; 0 for none.
	WindowPackets int `json:"window_packets"`
	// SymbolPort is the I/O port for the kernel's symbols, if there are windows; UnpackSymbols reads them.
	SymbolPort uint16 `json:"symbol_port"`
}

// Module is a file to load; an optional one may be refused.
type Module struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	Optional bool   `json:"optional"`
}

// Cell is one scenario with one kind of traffic.
type Cell struct {
	// Scenario is spelt as in a plan: "none", "route", "conntrack-nft".
	Scenario string `json:"scenario"`
	Flows    int    `json:"flows"`
	// FrameSize includes the 4 bytes of the FCS.
	FrameSize plan.FrameSize `json:"frame_size_bytes"`
	// Setting, if not nil, is tried instead of a scenario.
	Setting *plan.Setting `json:"setting,omitempty"`
	// ExtraRules are rules that match nothing and stand before the scenario's own:
	// a cost that is planted.
	ExtraRules int `json:"extra_rules"`
	// Iptables is the variant of iptables: "nft" or "legacy". It matters to the scenarios of iptables alone.
	Iptables string `json:"iptables"`
}

// Report is one line from the guest; exactly one of its fields is set.
type Report struct {
	Booted *Booted   `json:"booted,omitempty"`
	Cell   *Measured `json:"cell,omitempty"`
	// Error ends the guest's work.
	Error string `json:"error,omitempty"`
	Done  bool   `json:"done,omitempty"`
	// Mark stands before and after what is measured in real time: MarkBegin or MarkEnd.
	Mark string `json:"mark,omitempty"`
	// ClockNS is the guest's clock at the report, where it measures in real time; it may accompany any of the others.
	ClockNS int64 `json:"clock_ns,omitempty"`
}

// Booted tells what runs.
type Booted struct {
	Release string `json:"release"`
	Version string `json:"version"`
	Cmdline string `json:"cmdline"`
	// Modules are those that were loaded; Refused the optional ones that were not, with the reason.
	Modules []string `json:"modules"`
	Refused []string `json:"refused"`
}

// Measured is a cell's outcome. Under an emulator that executes one instruction in a
// nanosecond, a duration is a number of instructions.
type Measured struct {
	Cell
	// Failure says why there is no outcome; the other cells go on.
	Failure string `json:"failure,omitempty"`
	// Sent and Received are those of each repetition; they are equal, or the cell failed.
	Sent     int `json:"sent"`
	Received int `json:"received"`
	// BusyNS is the generator's time of each repetition without its idle time, as pktgen's Result says, to the microsecond.
	BusyNS []uint64 `json:"busy_ns"`
	// Rate is set in place of BusyNS where packets a second were asked for.
	Rate *RateMeasured `json:"rate,omitempty"`
	// ReceivedIP are the packets of the last repetition that reached the receiver's IP layer, and
	// ResultPPS is pktgen's own figure of each repetition; only for a setting that is tried.
	ReceivedIP int      `json:"received_ip,omitempty"`
	ResultPPS  []uint64 `json:"result_pps,omitempty"`
	// ConntrackEntries is the number of entries after the flows were learned.
	ConntrackEntries int `json:"conntrack_entries"`
	// RulePackets is what the rule of iptables for new connections counted: one packet of each flow.
	RulePackets int `json:"rule_packets"`
	// Profile is of packets sent after the repetitions, if it was asked for; UnpackProfile reads it.
	Profile []byte `json:"profile,omitempty"`
	// ProfileFailure is why it could not be made; the counts, which are made before, stand.
	ProfileFailure string `json:"profile_failure,omitempty"`
	// Windows are those that were marked, if it was asked for.
	Windows *Windows `json:"windows,omitempty"`
	// Setup are the steps that made the DUT, for a reader.
	Setup []string `json:"setup"`
}
