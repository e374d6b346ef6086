package verify

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// way is one direction of traffic at one device. Flow numbers count for each anew.
type way struct {
	device              int
	source, destination string // MAC addresses
}

// tuple is what all frames of a flow share at one place.
type tuple struct {
	source, destination         netip.Addr
	sourcePort, destinationPort layers.UDPPort
}

type flowKey struct {
	way
	flow uint32
}

// flowState is what the frames of a flow have been so far.
type flowState struct {
	tuple tuple
	epoch uint16
	next  uint32
}

// wayState is the epoch of a direction and those that went before it.
type wayState struct {
	epoch  uint16
	before map[uint16]bool
}

// checker puts frames through the checks, one after the other.
type checker struct {
	report  *Report
	options Options
	flows   map[flowKey]*flowState
	owners  map[way]map[tuple]uint32
	ways    map[way]*wayState
}

func newChecker(r *Report, o Options) *checker {
	return &checker{report: r, options: o, flows: map[flowKey]*flowState{}, owners: map[way]map[tuple]uint32{}, ways: map[way]*wayState{}}
}

// frame puts one frame through all checks. What is no test frame, or was cut, is put
// through no other check: nothing more can be said about it.
func (c *checker) frame(number int, info gopacket.CaptureInfo, data []byte) {
	cut := ""
	if len(data) < info.Length {
		cut = fmt.Sprintf("%d of %d bytes were captured; capture with a snap length of 0", len(data), info.Length)
	}
	c.report.tally(Whole, number, cut)
	f, foreign := decode(info, data)
	c.report.tally(Signature, number, foreign)
	if foreign != "" {
		return
	}
	c.report.TestFrames++
	if cut != "" {
		return
	}
	c.report.countSize(Size{IPVersion: f.ipVersion, FrameBytes: len(data) + fcsBytes, IPBytes: f.ipBytes, PayloadBytes: int(f.udp.Length) - udpBytes})
	c.report.tally(Lengths, number, f.lengths(len(data)))
	if len(c.options.FrameSizes) > 0 {
		c.report.tally(WantedSize, number, f.wanted(c.options.FrameSizes))
	}
	c.report.tally(Header, number, f.header())
	if ip, ok := f.packet.NetworkLayer().(*layers.IPv4); ok {
		c.report.tally(IPChecksum, number, checksum(ip))
	}
	c.report.tally(UDPChecksum, number, f.udpChecksum())
	c.report.tally(Addresses, number, f.addresses())
	c.report.tally(Padding, number, f.padding())
	c.order(number, &f)
}

// udpChecksum verifies it over the pseudo header too. A sum of 0 says that there is
// none, which linerate never sends.
func (f *testFrame) udpChecksum() string {
	if f.udp.Checksum == 0 {
		return "0: there is none"
	}
	if err := f.udp.SetNetworkLayerForChecksum(f.packet.NetworkLayer()); err != nil {
		return err.Error()
	}
	return checksum(f.udp)
}

// order checks what only several frames together can show: epochs, flows, sequences.
func (c *checker) order(number int, f *testFrame) {
	w := way{f.device, f.ethernet.SrcMAC.String(), f.ethernet.DstMAC.String()}
	late := c.epoch(w, f.epoch())
	c.report.tally(EpochOrder, number, late)
	t := tuple{f.source, f.destination, f.udp.SrcPort, f.udp.DstPort}
	c.report.tally(FlowTuple, number, c.tuple(w, f.flow(), t))
	if late != "" {
		return
	}
	key := flowKey{w, f.flow()}
	s := c.flows[key]
	switch {
	case s == nil:
		// A capture may begin in the middle of a trial.
		s = &flowState{tuple: t, next: f.sequence()}
		c.flows[key] = s
	case s.epoch != f.epoch():
		s.next = 0
	}
	s.epoch = f.epoch()
	reason := ""
	if got := f.sequence(); got != s.next {
		reason = fmt.Sprintf("flow %d: sequence %d, %d was next: %s", f.flow(), got, s.next, outOfOrder(got, s.next))
	}
	c.report.tally(Sequence, number, reason)
	s.next = max(s.next, f.sequence()+1)
}

func outOfOrder(got, next uint32) string {
	if got < next {
		return "reordered or duplicated"
	}
	return fmt.Sprintf("%d missing", got-next)
}

// epoch notes a frame's epoch; the reason is that an earlier one came back.
func (c *checker) epoch(w way, epoch uint16) string {
	s := c.ways[w]
	if s == nil {
		s = &wayState{epoch: epoch, before: map[uint16]bool{}}
		c.ways[w] = s
	}
	if !slices.Contains(c.report.Epochs, int(epoch)) {
		c.report.Epochs = append(c.report.Epochs, int(epoch))
	}
	if s.before[epoch] {
		return fmt.Sprintf("epoch %d after epoch %d had begun: a late frame of an earlier trial", epoch, s.epoch)
	}
	if epoch != s.epoch {
		s.before[s.epoch] = true
		s.epoch = epoch
	}
	return ""
}

// tuple checks that a flow keeps its addresses and ports, and has them for itself.
func (c *checker) tuple(w way, flow uint32, t tuple) string {
	if s := c.flows[flowKey{w, flow}]; s != nil && s.tuple != t {
		return fmt.Sprintf("flow %d was %v and is %v", flow, s.tuple, t)
	}
	owners := c.owners[w]
	if owners == nil {
		owners = map[tuple]uint32{}
		c.owners[w] = owners
	}
	if owner, taken := owners[t]; taken && owner != flow {
		return fmt.Sprintf("flows %d and %d are both %v", owner, flow, t)
	}
	owners[t] = flow
	return ""
}

func (t tuple) String() string {
	return fmt.Sprintf("%v to %v", netip.AddrPortFrom(t.source, uint16(t.sourcePort)), netip.AddrPortFrom(t.destination, uint16(t.destinationPort)))
}
