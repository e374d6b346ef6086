package plan

import "net/netip"

// Routes is the routing table of scenario routes: prefixes behind side B that follow each
// other in Block4 or Block6. Destination addresses of flows are drawn from them.
type Routes struct {
	// Prefixes is how many routes there are.
	Prefixes int `yaml:"prefixes" json:"prefixes"`
	// Length and LengthIPv6 are the lengths of the prefixes in bits.
	Length     int `yaml:"length" json:"length"`
	LengthIPv6 int `yaml:"length_ipv6" json:"length_ipv6"`
}

// MaxPrefixes is the largest routing table of scenario routes, about as many prefixes as
// the Internet has.
const MaxPrefixes = 1_000_000

// defaultRoutes have prefixes of which a million fit into a block.
func defaultRoutes() Routes { return Routes{Prefixes: 100_000, Length: 28, LengthIPv6: 64} }

// Blocks of addresses for private use that the prefixes are part of (RFC 1918, RFC 4193):
// the benchmarking blocks have no room for a million.
var (
	Block4 = netip.MustParsePrefix("10.0.0.0/8")
	Block6 = netip.MustParsePrefix("fd00:6c72::/32")
)

// Of is the block and the length of the prefixes of an IP version.
func (r Routes) Of(ipVersion int) (block netip.Prefix, length int) {
	if ipVersion == 6 {
		return Block6, r.LengthIPv6
	}
	return Block4, r.Length
}

func (c *checker) routes(r Routes) {
	c.whole("routes.prefixes", "routes.prefixes", r.Prefixes)
	c.whole("routes.length", "routes.length", r.Length)
	c.whole("routes.length_ipv6", "routes.length_ipv6", r.LengthIPv6)
	if len(c.problems) > 0 {
		return
	}
	// Of IPv6 prefixes there is room for MaxPrefixes at any length allowed.
	if room := 1 << (r.Length - Block4.Bits()); r.Prefixes > room {
		least := r.Length
		for 1<<(least-Block4.Bits()) < r.Prefixes {
			least++
		}
		c.add("routes.prefixes", "routes.length", "set routes.length to "+grouped(int64(least))+" or more, or fewer prefixes",
			"%s prefixes of length %d do not fit: %v has %s of them", grouped(int64(r.Prefixes)), r.Length, Block4, grouped(int64(room)))
	}
}
