package guard

import (
	"fmt"
	"net/netip"
)

// blocks are set aside for benchmarks: RFC 2544 appendix C.2.2 and RFC 5180 section 8.
var blocks = []netip.Prefix{netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("2001:2::/48")}

const blocksText = "198.18.0.0/15 and 2001:2::/48"

func benchmarking(a netip.Addr) bool {
	for _, b := range blocks {
		if b.Contains(a.Unmap()) {
			return true
		}
	}
	return false
}

// CheckDestination tells what speaks against sending to a prefix: that any of it
// lies outside the benchmarking blocks.
func CheckDestination(p netip.Prefix) []Reason {
	for _, b := range blocks {
		if b.Bits() <= p.Bits() && b.Contains(p.Addr()) {
			return nil
		}
	}
	return []Reason{{
		Text:     fmt.Sprintf("destination %v lies outside the benchmarking blocks %s", p, blocksText),
		Override: "--allow-destination " + p.String(),
	}}
}
