package verify

import (
	"cmp"
	"slices"
)

// Report is what one capture file holds and whether it is as it should be.
type Report struct {
	File string `json:"file"`
	// Format is "pcapng" or "pcap".
	Format string `json:"format"`
	// Interfaces are the names of the devices of a pcapng file.
	Interfaces []string `json:"interfaces"`
	Frames     int      `json:"frames"`
	// TestFrames carry linerate's signature.
	TestFrames int     `json:"test_frames"`
	Flows      int     `json:"flows"`
	Epochs     []int   `json:"epochs"`
	Sizes      []Size  `json:"sizes"`
	Checks     []Check `json:"checks"`
}

// Size is one size of test frame with its three readings. The least frame of 64 bytes
// holds an IPv4 packet of 46 bytes with 18 bytes of UDP payload (RFC 2544 section 9.1).
type Size struct {
	IPVersion int `json:"ip_version"`
	// FrameBytes is the frame on an Ethernet wire, with its 4-byte FCS.
	FrameBytes int `json:"frame_size_bytes"`
	// IPBytes is the length of the IP packet as its header says.
	IPBytes int `json:"ip_length_bytes"`
	// PayloadBytes is the length of the UDP payload as its header says.
	PayloadBytes int `json:"payload_length_bytes"`
	Frames       int `json:"frames"`
}

// Check is one thing that every frame was checked for.
type Check struct {
	Name   string `json:"name"`
	Passed int    `json:"passed"`
	Failed int    `json:"failed"`
	// FirstFailed is the number of the first frame that failed, counted from 1 as
	// Wireshark does; 0 if none did.
	FirstFailed int `json:"first_failed"`
	// Reason says what was wrong with it.
	Reason string `json:"reason,omitempty"`
}

// Passed tells whether there are frames and every check of every frame passed.
func (r *Report) Passed() bool {
	if r.TestFrames == 0 {
		return false
	}
	for _, c := range r.Checks {
		if c.Failed > 0 {
			return false
		}
	}
	return true
}

// The names of the checks, in the order of the report.
const (
	Whole       = "whole frame captured"
	Signature   = "test frame"
	Lengths     = "lengths agree"
	WantedSize  = "frame size as wanted"
	Header      = "IP header"
	IPChecksum  = "IPv4 header checksum"
	UDPChecksum = "UDP checksum"
	Addresses   = "benchmarking addresses"
	Padding     = "payload padding"
	FlowTuple   = "one address pair per flow"
	Sequence    = "sequence within each flow"
	EpochOrder  = "epochs in order"
)

func checkNames() []string {
	return []string{Whole, Signature, Lengths, WantedSize, Header, IPChecksum, UDPChecksum, Addresses, Padding, FlowTuple, Sequence, EpochOrder}
}

// tally counts the outcome of one check of one frame; reason is empty if it passed.
func (r *Report) tally(name string, number int, reason string) {
	for i := range r.Checks {
		c := &r.Checks[i]
		if c.Name != name {
			continue
		}
		if reason == "" {
			c.Passed++
			return
		}
		if c.Failed++; c.Failed == 1 {
			c.FirstFailed, c.Reason = number, reason
		}
		return
	}
}

// countSize adds a frame to its row.
func (r *Report) countSize(s Size) {
	for i := range r.Sizes {
		known := &r.Sizes[i]
		if known.IPVersion == s.IPVersion && known.FrameBytes == s.FrameBytes && known.IPBytes == s.IPBytes && known.PayloadBytes == s.PayloadBytes {
			known.Frames++
			return
		}
	}
	s.Frames = 1
	r.Sizes = append(r.Sizes, s)
}

// finish drops the checks that no frame was put through, and sorts the sizes.
func (r *Report) finish() {
	r.Checks = slices.DeleteFunc(r.Checks, func(c Check) bool { return c.Passed+c.Failed == 0 })
	slices.SortFunc(r.Sizes, func(a, b Size) int {
		return cmp.Or(cmp.Compare(a.IPVersion, b.IPVersion), cmp.Compare(a.FrameBytes, b.FrameBytes), cmp.Compare(a.IPBytes, b.IPBytes))
	})
	slices.Sort(r.Epochs)
}
