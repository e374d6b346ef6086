package frame

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func space(ipVersion, hosts int) Space {
	s := Space{Source: netip.MustParsePrefix("198.18.1.0/24"), Destination: netip.MustParsePrefix("198.19.1.0/24"), SourceHosts: hosts, DestinationHosts: hosts, First: 2}
	if ipVersion == 6 {
		s.Source, s.Destination = netip.MustParsePrefix("2001:2:0:1::/64"), netip.MustParsePrefix("2001:2:0:8001::/64")
	}
	return s
}

func TestDraw(t *testing.T) {
	type end struct {
		source netip.Addr
		port   uint16
	}
	for _, version := range []int{4, 6} {
		s := space(version, 16)
		flows, err := s.Draw(100_000, 7)
		if err != nil {
			t.Fatal(err)
		}
		ends := map[end]bool{}
		sources, destinations := map[netip.Addr]bool{}, map[netip.Addr]bool{}
		for _, f := range flows {
			if ends[end{f.Source, f.SourcePort}] {
				t.Fatalf("source %v port %d stands for two flows", f.Source, f.SourcePort)
			}
			ends[end{f.Source, f.SourcePort}] = true
			sources[f.Source], destinations[f.Destination] = true, true
			if f.IPVersion() != version || !s.Source.Contains(f.Source) || !s.Destination.Contains(f.Destination) {
				t.Fatalf("flow %v lies outside %v and %v", f, s.Source, s.Destination)
			}
			if f.SourcePort < 1024 || f.DestinationPort < 1 || f.DestinationPort > 49151 {
				t.Fatalf("flow %v: RFC 4814 has source ports 1024-65535 and destination ports 1-49151", f)
			}
		}
		if len(sources) != 16 || len(destinations) != 16 {
			t.Errorf("IPv%d: %d source and %d destination hosts, want 16 of each", version, len(sources), len(destinations))
		}
		first := s.Source.Addr().Next().Next()
		if !sources[first] || sources[first.Prev()] {
			t.Errorf("IPv%d: hosts do not begin at number 2, %v", version, first)
		}
	}
}

func TestDrawRepeats(t *testing.T) {
	s := space(4, 8)
	a, _ := s.Draw(1000, 42)
	b, _ := s.Draw(1000, 42)
	if !slices.Equal(a, b) {
		t.Error("one seed gave two sets of flows")
	}
	if more, _ := s.Draw(5000, 42); !slices.Equal(a, more[:1000]) {
		t.Error("a larger set does not begin with the smaller one")
	}
	if other, _ := s.Draw(1000, 43); slices.Equal(a, other) {
		t.Error("two seeds gave one set of flows")
	}
}

func TestDrawMillion(t *testing.T) {
	flows, err := space(4, 64).Draw(MaxFlows, 1)
	if err != nil || len(flows) != MaxFlows {
		t.Fatalf("drew %d flows: %v", len(flows), err)
	}
}

func TestDrawRefuses(t *testing.T) {
	small := Space{Source: netip.MustParsePrefix("198.18.0.0/30"), Destination: netip.MustParsePrefix("198.19.0.0/24"), SourceHosts: 5, DestinationHosts: 1}
	none := space(4, 0)
	for _, tt := range []struct {
		name  string
		space Space
		n     int
		says  string
	}{
		{"no flows", space(4, 1), 0, "1 to 1000000"},
		{"too many flows", space(4, 1), MaxFlows + 1, "1 to 1000000"},
		{"more hosts than the prefix has", small, 1, "198.18.0.0/30"},
		{"no hosts", none, 1, "at least one host"},
	} {
		if _, err := tt.space.Draw(tt.n, 1); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v does not say %q", tt.name, err, tt.says)
		}
	}
}

// TestTuple folds the words of a built frame, byte by byte from where a receiver finds them.
func TestTuple(t *testing.T) {
	for _, f := range testFlows {
		b := Build(f, testSource, testDestination, 128, Payload{})
		at, words, ports := EthernetBytes+12, 2, EthernetBytes+IPv4Bytes
		if f.IPVersion() == 6 {
			at, words, ports = EthernetBytes+8, 8, EthernetBytes+IPv6Bytes
		}
		var h uint32
		step := func(word uint32) { h = (h ^ word) * 2654435761; h ^= h >> 15 }
		for i := range words {
			step(binary.LittleEndian.Uint32(b[at+4*i:]))
		}
		step(uint32(binary.LittleEndian.Uint16(b[ports:]))<<16 | uint32(binary.LittleEndian.Uint16(b[ports+2:])))
		if got := f.Tuple(); got != h {
			t.Errorf("tuple of %v is %#x, want %#x", f, got, h)
		}
		if f.Reverse().Tuple() == h || f.Reverse().Reverse() != f {
			t.Errorf("reverse of %v", f)
		}
	}
}

func TestWordsRoundTrip(t *testing.T) {
	for _, f := range testFlows {
		if got := FromWords(Words(f.Source), f.IPVersion()); got != f.Source {
			t.Errorf("%v came back as %v", f.Source, got)
		}
	}
}
