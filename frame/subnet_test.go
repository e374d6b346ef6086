package frame

import (
	"math/big"
	"net/netip"
	"testing"
)

// TestSubnet compares prefixes with sums of whole numbers.
func TestSubnet(t *testing.T) {
	for _, tt := range []struct {
		block     string
		length, i int
		want      string
	}{
		{"10.0.0.0/8", 28, 1, "10.0.0.16/28"},
		{"10.0.0.0/8", 28, 1<<20 - 1, "10.255.255.240/28"},
		{"10.1.2.3/8", 32, 300, "10.0.1.44/32"},
		{"198.18.0.0/15", 16, 1, "198.19.0.0/16"},
		{"fd00::/32", 64, 1, "fd00:0:0:1::/64"},
		{"fd00::/32", 52, 1<<20 - 1, "fd00:0:ffff:f000::/52"},
		{"fd00::/32", 80, 0x12345, "fd00:0:0:1:2345::/80"},
		{"fd00::/32", 128, 7, "fd00::7/128"},
	} {
		if got := Subnet(netip.MustParsePrefix(tt.block), tt.length, tt.i); got != netip.MustParsePrefix(tt.want) {
			t.Errorf("prefix %d of length %d in %s: %v, want %s", tt.i, tt.length, tt.block, got, tt.want)
		}
	}
	block := netip.MustParsePrefix("fd00:0:0:8000::/49")
	for length := 60; length <= 128; length++ {
		for _, i := range []int{0, 1, 3, 1000, 2047} {
			a := block.Addr().As16()
			want := new(big.Int).SetBytes(a[:])
			want.Add(want, new(big.Int).Lsh(big.NewInt(int64(i)), uint(128-length)))
			got := Subnet(block, length, i).Addr().As16()
			if new(big.Int).SetBytes(got[:]).Cmp(want) != 0 {
				t.Errorf("prefix %d of length %d: %v", i, length, netip.AddrFrom16(got))
			}
		}
	}
}

// TestDrawFromPrefixes draws destinations from a million prefixes.
func TestDrawFromPrefixes(t *testing.T) {
	for _, version := range []int{4, 6} {
		s := space(version, 16)
		s.First, s.DestinationHosts, s.Destination, s.DestinationLength = 0, 1_000_000, netip.MustParsePrefix("10.0.0.0/8"), 28
		if version == 6 {
			s.Destination, s.DestinationLength = netip.MustParsePrefix("fd00:6c72::/32"), 64
		}
		flows, err := s.Draw(100_000, 1)
		if err != nil {
			t.Fatal(err)
		}
		prefixes := map[netip.Addr]bool{}
		last := Subnet(s.Destination, s.DestinationLength, 999_999).Addr()
		for _, f := range flows {
			p, _ := f.Destination.Prefix(s.DestinationLength)
			if p.Addr() != f.Destination || !s.Destination.Contains(f.Destination) || last.Less(f.Destination) {
				t.Fatalf("destination %v is not the first address of one of the prefixes", f.Destination)
			}
			prefixes[f.Destination] = true
		}
		// 100,000 draws of 1,000,000 meet 95,163 different ones (1 - 1/e^0.1).
		if n := len(prefixes); n < 94_900 || n > 95_400 {
			t.Errorf("IPv%d: %d prefixes, want about 95,163", version, n)
		}
	}
	s := space(4, 16)
	s.DestinationLength, s.DestinationHosts = 20, 1
	if _, err := s.Draw(1, 1); err == nil {
		t.Error("a prefix larger than its block was drawn from")
	}
}
