package frame

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"net/netip"
)

// MaxFlows is the most flows of one direction.
const MaxFlows = 1_000_000

// Ports that flows are drawn from (RFC 4814 section 4.5).
const (
	minSourcePort      = 1024
	maxSourcePort      = 65535
	minDestinationPort = 1
	maxDestinationPort = 49151
)

// Flow is the addresses and UDP ports of one flow, as its frames leave the generator.
type Flow struct {
	Source, Destination         netip.Addr
	SourcePort, DestinationPort uint16
}

// Reverse is the flow of the replies.
func (f Flow) Reverse() Flow {
	return Flow{Source: f.Destination, Destination: f.Source, SourcePort: f.DestinationPort, DestinationPort: f.SourcePort}
}

// IPVersion is 4 or 6.
func (f Flow) IPVersion() int {
	if f.Source.Is4() {
		return 4
	}
	return 6
}

// Words is an address as the 32-bit words that BPF reads from a frame on a
// little-endian machine; IPv4 fills the first word.
func Words(a netip.Addr) (w [4]uint32) {
	b := a.AsSlice()
	for i := 0; i*4 < len(b); i++ {
		w[i] = binary.LittleEndian.Uint32(b[i*4:])
	}
	return w
}

// FromWords is the address of the words, the reverse of Words.
func FromWords(w [4]uint32, ipVersion int) netip.Addr {
	var b [16]byte
	for i, v := range w {
		binary.LittleEndian.PutUint32(b[i*4:], v)
	}
	if ipVersion == 4 {
		return netip.AddrFrom4([4]byte(b[:4]))
	}
	return netip.AddrFrom16(b)
}

// Tuple folds addresses and ports into 32 bits, as tuple_of in sink.bpf.c does.
func (f Flow) Tuple() uint32 {
	n := 1
	if f.IPVersion() == 6 {
		n = 4
	}
	h := uint32(0)
	for _, a := range [2]netip.Addr{f.Source, f.Destination} {
		w := Words(a)
		for i := range n {
			h = tupleStep(h, w[i])
		}
	}
	return tupleStep(h, uint32(bits.ReverseBytes16(f.SourcePort))<<16|uint32(bits.ReverseBytes16(f.DestinationPort)))
}

func tupleStep(h, word uint32) uint32 {
	h = (h ^ word) * 0x9e3779b1
	return h ^ h>>15
}

// Space is what flows are drawn from: host addresses of one prefix per side.
type Space struct {
	Source, Destination netip.Prefix
	// SourceHosts and DestinationHosts are how many host addresses of each prefix are used, counted from First.
	SourceHosts, DestinationHosts int
	// First is the number of the first host used in each prefix.
	First int
	// DestinationLength makes each destination host the first address of a prefix of that
	// length, see Subnet; 0 has them follow each other.
	DestinationLength int
}

// Draw draws n different flows from the seed. Ports vary first and addresses with
// them, over as many hosts as the space has (RFC 4814 section 4). The same seed
// gives the same flows, and the first flows of a larger set are those of a smaller one.
func (s Space) Draw(n int, seed int64) ([]Flow, error) {
	if n < 1 || n > MaxFlows {
		return nil, fmt.Errorf("draw %d flows: a stream has 1 to %d flows", n, MaxFlows)
	}
	source, err := hosts(s.Source, s.First, s.SourceHosts, 0)
	if err != nil {
		return nil, err
	}
	destination, err := hosts(s.Destination, s.First, s.DestinationHosts, s.DestinationLength)
	if err != nil {
		return nil, err
	}
	if ends := source.n * (maxSourcePort - minSourcePort + 1); n > ends/2 {
		return nil, fmt.Errorf("draw %d flows from %d source addresses: they have room for %d; use more addresses", n, source.n, ends/2)
	}
	r := rand.New(rand.NewPCG(uint64(seed), 0x6c696e6572617465))
	flows := make([]Flow, 0, n)
	// A source and its port name one flow only: behind source NAT nothing else tells flows apart.
	type end struct {
		host int
		port uint16
	}
	seen := make(map[end]bool, n)
	for len(flows) < n {
		h := r.IntN(source.n)
		f := Flow{
			Source: source.at(h), Destination: destination.at(r.IntN(destination.n)),
			SourcePort:      uint16(minSourcePort + r.IntN(maxSourcePort-minSourcePort+1)),
			DestinationPort: uint16(minDestinationPort + r.IntN(maxDestinationPort-minDestinationPort+1)),
		}
		if seen[end{h, f.SourcePort}] {
			continue
		}
		seen[end{h, f.SourcePort}] = true
		flows = append(flows, f)
	}
	return flows, nil
}

// hostRange are n host addresses of a block, each the first of a prefix of a length.
type hostRange struct {
	block            netip.Prefix
	first, n, length int
}

func (h hostRange) at(i int) netip.Addr { return Subnet(h.block, h.length, h.first+i).Addr() }

func hosts(p netip.Prefix, first, n, length int) (hostRange, error) {
	if n < 1 {
		return hostRange{}, fmt.Errorf("draw flows from %v: at least one host is needed", p)
	}
	if length == 0 {
		length = p.Addr().BitLen()
	}
	if room := length - p.Bits(); room < 0 || room < 31 && first+n > 1<<room {
		return hostRange{}, fmt.Errorf("draw flows from %v: it has fewer than %d hosts; use a larger prefix", p, first+n)
	}
	return hostRange{p.Masked(), first, n, length}, nil
}
