package pktgen

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Report is what the control file of a device says of its last load.
type Report struct {
	// Running is true while the device sends.
	Running bool
	// Packets have been sent, and Errors were refused by the device's driver.
	Packets, Errors uint64
	// FrameBytes is the size of the last frame, without FCS.
	FrameBytes uint64
	// DurationUS is the time from start to stop, IdleUS the part of it spent waiting, and BusyUS
	// the rest; in µs, each rounded down.
	DurationUS, IdleUS, BusyUS uint64
	// PPS is pktgen's own figure.
	PPS uint64
	// Flags are those that are set.
	Flags []string
	// Said is the text behind "Result:" where that is no report of a load: the echo of the last command.
	Said string
}

var (
	// "     pkts-sofar: 1000  errors: 0"
	soFar = regexp.MustCompile(`(?m)^\s*pkts-sofar:\s*(\d+)\s+errors:\s*(\d+)`)
	// "Result: OK: 3765(c3765+d0) usec, 1000 (58byte,0frags)"
	result = regexp.MustCompile(`(?m)^Result: OK: (\d+)\(c(\d+)\+d(\d+)\) usec, (\d+) \((\d+)byte,\d+frags\)`)
	// "  265590pps 123Mb/sec (123233760bps) errors: 0"
	rate = regexp.MustCompile(`(?m)^\s*(\d+)pps \d+Mb/sec \(\d+bps\) errors: (\d+)`)
	// "     Flags: UDPSRC_RND  NO_TIMESTAMP  "
	flags = regexp.MustCompile(`(?m)^\s*Flags:[ \t]*(.*)$`)
	said  = regexp.MustCompile(`(?m)^Result: (.*)$`)
)

// Parse reads the text of a device's control file, as pktgen_if_show writes it (Linux
// 2.6.32 to 6.18). A text without "pkts-sofar" is not one of a device.
func Parse(text string) (Report, error) {
	var r Report
	m := soFar.FindStringSubmatch(text)
	if m == nil {
		return r, fmt.Errorf("read pktgen's device file: there is no line pkts-sofar in %q", firstLine(text))
	}
	r.Packets, r.Errors = number(m[1]), number(m[2])
	if m := flags.FindStringSubmatch(text); m != nil {
		r.Flags = strings.Fields(m[1])
	}
	if m := said.FindStringSubmatch(text); m != nil {
		r.Said = strings.TrimSpace(m[1])
	}
	m = result.FindStringSubmatch(text)
	if m == nil {
		// While it sends there is no result yet, and "Idle" does not count.
		r.Running = strings.EqualFold(r.Said, "Running") || strings.EqualFold(r.Said, "Starting")
		return r, nil
	}
	r.Said = ""
	r.DurationUS, r.BusyUS, r.IdleUS, r.FrameBytes = number(m[1]), number(m[2]), number(m[3]), number(m[5])
	if n := number(m[4]); n != r.Packets {
		return r, fmt.Errorf("read pktgen's device file: its result has %d packets and its counter %d", n, r.Packets)
	}
	if m := rate.FindStringSubmatch(text); m != nil {
		r.PPS = number(m[1])
	}
	return r, nil
}

// number reads what an expression found, which has digits only.
func number(digits string) uint64 {
	n, _ := strconv.ParseUint(digits, 10, 64)
	return n
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
