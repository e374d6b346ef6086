package verify

import (
	"bytes"
	"encoding/binary"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/linerate/linerate/frame"
)

var macs = [2]net.HardwareAddr{{2, 0, 0x5e, 0x10, 0, 0x0a}, {2, 0, 0x5e, 0x10, 0, 0x0b}}

func flowsOf(t *testing.T, ipVersion, n int) []frame.Flow {
	t.Helper()
	s := frame.Space{Source: netip.MustParsePrefix("198.18.1.0/24"), Destination: netip.MustParsePrefix("198.19.1.0/24"), SourceHosts: 8, DestinationHosts: 8}
	if ipVersion == 6 {
		s.Source, s.Destination = netip.MustParsePrefix("2001:2:0:1::/64"), netip.MustParsePrefix("2001:2:0:8001::/64")
	}
	flows, err := s.Draw(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	return flows
}

// trialFrames are frames as a generator sends them, flow by flow in turn.
func trialFrames(t *testing.T, ipVersion, flows, n int, sizes frame.Sizes, epoch uint16) [][]byte {
	t.Helper()
	list := flowsOf(t, ipVersion, flows)
	var frames [][]byte
	for i := range n {
		p := frame.Payload{Epoch: epoch, Flow: uint32(i % flows), Sequence: uint32(i / flows), SentNS: uint32(i * 1000)}
		frames = append(frames, frame.Build(list[i%flows], macs[0], macs[1], sizes[i%len(sizes)], p))
	}
	return frames
}

func pcapng(t *testing.T, frames [][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeEthernet)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range frames {
		if err := w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(0, int64(i)), CaptureLength: len(f), Length: len(f)}, f); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pcap(t *testing.T, frames [][]byte, snap int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pcapgo.NewWriter(&b)
	if err := w.WriteFileHeader(65535, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	for i, f := range frames {
		kept := f[:min(snap, len(f))]
		if err := w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(0, int64(i)), CaptureLength: len(kept), Length: len(f)}, kept); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func read(t *testing.T, data []byte, o Options) *Report {
	t.Helper()
	r, err := Read(bytes.NewReader(data), "test", o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSoundCaptures(t *testing.T) {
	for _, tt := range []struct {
		name    string
		version int
		sizes   frame.Sizes
		want    []Size
	}{
		{"IPv4 64", 4, frame.Sizes{64}, []Size{{4, 64, 46, 18, 120}}},
		{"IPv4 1518", 4, frame.Sizes{1518}, []Size{{4, 1518, 1500, 1472, 120}}},
		{"IPv6 84", 6, frame.Sizes{84}, []Size{{6, 84, 66, 18, 120}}},
		{"IMIX", 4, frame.SimpleIMIX(4), []Size{{4, 64, 46, 18, 70}, {4, 570, 552, 524, 40}, {4, 1518, 1500, 1472, 10}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			frames := trialFrames(t, tt.version, 7, 120, tt.sizes, 3)
			for format, data := range map[string][]byte{"pcapng": pcapng(t, frames), "pcap": pcap(t, frames, 1<<16)} {
				r := read(t, data, Options{})
				if !r.Passed() || r.Format != format || r.Frames != 120 || r.TestFrames != 120 || r.Flows != 7 || !slices.Equal(r.Epochs, []int{3}) {
					t.Errorf("%s: %+v", format, r)
				}
				if !slices.Equal(r.Sizes, tt.want) {
					t.Errorf("%s: sizes %+v, want %+v", format, r.Sizes, tt.want)
				}
			}
		})
	}
}

// TestSequencesBeginAnew: a new epoch begins at 0, and a capture may begin anywhere.
func TestSequencesBeginAnew(t *testing.T) {
	first := trialFrames(t, 4, 3, 30, frame.Sizes{64}, 1)
	second := trialFrames(t, 4, 3, 30, frame.Sizes{64}, 2)
	if r := read(t, pcapng(t, append(first[10:], second...)), Options{}); !r.Passed() {
		t.Errorf("%+v", r.Checks)
	}
}

// resum makes the IPv4 header checksum right again, so that a planted fault stands alone.
func resum(f []byte) {
	f[24], f[25] = 0, 0
	var s uint32
	for i := 14; i < 34; i += 2 {
		s += uint32(f[i])<<8 | uint32(f[i+1])
	}
	for s>>16 != 0 {
		s = s&0xffff + s>>16
	}
	binary.BigEndian.PutUint16(f[24:], ^uint16(s))
}

func TestPlantedFaults(t *testing.T) {
	const at = 41 // the frame that is spoilt, counted from 1
	tests := []struct {
		name   string
		check  string
		reason string
		plant  func(frames [][]byte) [][]byte
	}{
		{"a bit of the IP checksum", IPChecksum, "should be", func(f [][]byte) [][]byte { f[at-1][24] ^= 1; return f }},
		{"a bit of the UDP checksum", UDPChecksum, "should be", func(f [][]byte) [][]byte { f[at-1][40] ^= 1; return f }},
		{"no UDP checksum", UDPChecksum, "there is none", func(f [][]byte) [][]byte { f[at-1][40], f[at-1][41] = 0, 0; return f }},
		{"a bit of the time stamp", UDPChecksum, "should be", func(f [][]byte) [][]byte { f[at-1][57] ^= 4; return f }},
		{"a byte too long", Lengths, "IP header says", func(f [][]byte) [][]byte { f[at-1] = append(slices.Clone(f[at-1]), 0); return f }},
		{"UDP length", Lengths, "the UDP header", func(f [][]byte) [][]byte { f[at-1][39]--; return f }},
		{"TTL 0", Header, "TTL 0", func(f [][]byte) [][]byte { f[at-1][22] = 0; resum(f[at-1]); return f }},
		{"a fragment", Signature, "fragment", func(f [][]byte) [][]byte { f[at-1][20] = 0x20; resum(f[at-1]); return f }},
		{"another network", Addresses, "outside", func(f [][]byte) [][]byte { f[at-1][26] = 10; resum(f[at-1]); return f }},
		{"another port", FlowTuple, "flow", func(f [][]byte) [][]byte { f[at-1][35] ^= 1; return f }},
		{"a missing frame", Sequence, "1 missing", func(f [][]byte) [][]byte { return slices.Delete(f, at-10, at-9) }},
		{"a duplicate", Sequence, "duplicated", func(f [][]byte) [][]byte { return slices.Insert(f, at-1, f[at-1-10]) }},
		{"a foreign frame", Signature, "no signature", func(f [][]byte) [][]byte { f[at-1][44] = 'X'; return f }},
		{"not IP", Signature, "ARP", func(f [][]byte) [][]byte { f[at-1][12], f[at-1][13] = 8, 6; return f }},
		{"a late frame", EpochOrder, "late frame", func(f [][]byte) [][]byte {
			later := slices.Clone(f)
			for i := range later {
				later[i] = slices.Clone(f[i])
				later[i][42]++
			}
			return slices.Insert(append(f[:30:30], later...), at-1, f[30])
		}},
		{"padding", Padding, "byte 18", func(f [][]byte) [][]byte { f[at-1][60] = 1; return f }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			size := frame.Sizes{64}
			if tt.check == Padding || tt.check == Lengths {
				size = frame.Sizes{128}
			}
			r := read(t, pcapng(t, tt.plant(trialFrames(t, 4, 10, 100, size, 1))), Options{})
			if r.Passed() {
				t.Fatal("the capture passed")
			}
			for _, c := range r.Checks {
				if c.Name == tt.check && (c.Failed == 0 || c.FirstFailed != at || !strings.Contains(c.Reason, tt.reason)) {
					t.Errorf("%+v; want frame %d to be the first that failed, with %q", c, at, tt.reason)
				}
			}
		})
	}
}

func TestWantedSize(t *testing.T) {
	frames := append(trialFrames(t, 4, 1, 5, frame.Sizes{64}, 1), trialFrames(t, 4, 1, 1, frame.Sizes{65}, 2)...)
	if r := read(t, pcapng(t, frames), Options{FrameSizes: []int{64, 65}}); !r.Passed() {
		t.Errorf("%+v", r.Checks)
	}
	r := read(t, pcapng(t, frames), Options{FrameSizes: []int{64}})
	i := slices.IndexFunc(r.Checks, func(c Check) bool { return c.Name == WantedSize })
	if c := r.Checks[i]; c.Failed != 1 || c.FirstFailed != 6 || !strings.Contains(c.Reason, "65 bytes") {
		t.Errorf("%+v", c)
	}
}

func TestCutAndEmptyCaptures(t *testing.T) {
	r := read(t, pcap(t, trialFrames(t, 4, 1, 3, frame.Sizes{1518}, 1), 96), Options{})
	if c := r.Checks[0]; r.Passed() || c.Name != Whole || c.Failed != 3 || !strings.Contains(c.Reason, "96 of 1514") {
		t.Errorf("%+v", r.Checks)
	}
	if r := read(t, pcapng(t, nil), Options{}); r.Passed() || r.Frames != 0 {
		t.Errorf("an empty capture: %+v", r)
	}
	whole := pcapng(t, trialFrames(t, 4, 1, 3, frame.Sizes{64}, 1))
	for name, data := range map[string][]byte{"empty": nil, "text": []byte("not a capture at all"), "torn": whole[:len(whole)-7]} {
		if r, err := Read(bytes.NewReader(data), name, Options{}); err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
}
