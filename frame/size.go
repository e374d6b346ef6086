package frame

import "fmt"

// Lengths of the headers of a test frame, in bytes.
const (
	EthernetBytes = 14
	IPv4Bytes     = 20
	IPv6Bytes     = 40
	UDPBytes      = 8
)

// MaxSizeBytes is the largest frame that linerate sends: a 9000-byte IP MTU, Ethernet header and FCS.
const MaxSizeBytes = 9018

// MinSizeBytes is the smallest frame, FCS included, that holds the test payload:
// 64 for IPv4, 84 for IPv6.
func MinSizeBytes(ipVersion int) int {
	if ipVersion == 6 {
		return EthernetBytes + IPv6Bytes + UDPBytes + PayloadBytes + FCSBytes
	}
	return 64
}

// Sizes is the pattern of frame sizes, FCS included, that a stream repeats. One
// entry is a fixed size.
type Sizes []int

// SimpleIMIX is the 7:4:1 mix of 64, 570 and 1518 bytes, interleaved so that no
// size comes in a long run (RFC 6985 asks for the table of sizes to be reported).
// With IPv6 the small frames have 84 bytes, the least that holds the payload.
func SimpleIMIX(ipVersion int) Sizes {
	s := MinSizeBytes(ipVersion)
	return Sizes{s, 570, s, s, 570, s, 1518, s, 570, s, 570, s}
}

// MeanBytes is the mean frame size, FCS included.
func (s Sizes) MeanBytes() float64 {
	sum := 0
	for _, n := range s {
		sum += n
	}
	return float64(sum) / float64(len(s))
}

// MaxBytes is the largest frame of the pattern, FCS included.
func (s Sizes) MaxBytes() int {
	m := 0
	for _, n := range s {
		m = max(m, n)
	}
	return m
}

// Check tells whether every frame of the pattern holds the payload and fits the IP MTU.
func (s Sizes) Check(ipVersion, mtuBytes int) error {
	if len(s) == 0 || len(s) > MaxSizes {
		return fmt.Errorf("frame sizes: a pattern has 1 to %d sizes, not %d", MaxSizes, len(s))
	}
	least, most := MinSizeBytes(ipVersion), min(MaxSizeBytes, mtuBytes+EthernetBytes+FCSBytes)
	for _, n := range s {
		if n < least || n > most {
			return fmt.Errorf("frame size %d bytes: IPv%d over an MTU of %d bytes carries frames of %d to %d bytes, FCS included",
				n, ipVersion, mtuBytes, least, most)
		}
	}
	return nil
}

// MaxSizes is the longest pattern that the generators hold.
const MaxSizes = 16
