package cost

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/linerate/linerate/attribution"
)

const kernelText = `ffffffff81000000 T ip_forward
ffffffff81000100 t __pfx_veth_poll
ffffffff81000110 t veth_poll
ffffffff81000200 T napi_threaded_poll
ffffffffc0000000 t bpf_prog_0123456789abcdef_route	[bpf]
`

func symbols(t *testing.T) *attribution.Symbols {
	t.Helper()
	s, err := attribution.ReadSymbols(strings.NewReader(kernelText))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCostOfKnownSamples has 1000 samples at 1000 Hz, one each millisecond: 200 of ip_forward
// below veth_poll, 100 of the BPF program, 300 of the sink, 400 of nobody.
func TestCostOfKnownSamples(t *testing.T) {
	taken := &Taken{frequencyHz: 1000, cpus: 1, lost: 3, throttled: 2, chains: []chain{
		{addresses: []uint64{0xffffffff81000010, 0xffffffff81000120, 0xffffffff81000210}},
		{addresses: []uint64{0xffffffffc0000020, 0xffffffff81000120, 0xffffffff81000210}},
	}}
	for i := range 1000 {
		s := sample{timeNS: uint64(i) * 1e6}
		switch i % 10 {
		case 0, 9:
		case 1:
			s.chain = 1
		case 2, 3, 4:
			s.owner = Sink
		default:
			s.owner = Idle
		}
		taken.samples = append(taken.samples, s)
	}
	c, stacks, err := taken.Cost(1_000_000, symbols(t))
	if err != nil {
		t.Fatal(err)
	}
	if c.Samples != 1000 || c.DUTSamples != 300 || c.LostSamples != 3 || c.ThrottledTimes != 2 || c.ExpectedSamples != 999 {
		t.Errorf("%d samples, %d of the DUT, %d lost, %d expected", c.Samples, c.DUTSamples, c.LostSamples, c.ExpectedSamples)
	}
	// 300 ms for a million packets.
	if math.Abs(c.SampledNSPerPacket-300) > 1e-9 || c.LowNSPerPacket > 280 || c.LowNSPerPacket < 265 || c.HighNSPerPacket < 320 || c.HighNSPerPacket > 335 {
		t.Errorf("%g ns per packet from %g to %g", c.SampledNSPerPacket, c.LowNSPerPacket, c.HighNSPerPacket)
	}
	if f := c.Functions[0]; f.Name != "ip_forward" || f.Subsystem != "IP" || math.Abs(f.NSPerPacket-200) > 1e-9 || f.Samples != 200 {
		t.Errorf("first function %+v", f)
	}
	if f := c.Functions[1]; f.Name != "bpf_prog_0123456789abcdef_route [bpf]" || f.Subsystem != "XDP and BPF" || math.Abs(f.NSPerPacket-100) > 1e-9 {
		t.Errorf("second function %+v", f)
	}
	if len(c.Others) != 2 || c.Others[0].Name != Idle || math.Abs(c.Others[0].Share-0.4) > 1e-9 || math.Abs(c.Others[1].Share-0.3) > 1e-9 {
		t.Errorf("others %+v", c.Others)
	}
	top := c.Calls[0]
	if len(c.Calls) != 1 || top.Name != "napi_threaded_poll" || math.Abs(top.Share-1) > 1e-9 || len(top.Calls) != 1 || len(top.Calls[0].Calls) != 2 || math.Abs(top.Calls[0].Calls[0].Share-2.0/3) > 1e-9 {
		t.Errorf("calls %+v", c.Calls)
	}
	if stacks.Total() != 300 {
		t.Errorf("%d samples in the call chains", stacks.Total())
	}
}

// TestClusteredSamplesAreWorthLess: the DUT's work comes in bursts, and so its interval is wide.
func TestClusteredSamplesAreWorthLess(t *testing.T) {
	taken := &Taken{frequencyHz: 1000, cpus: 1, chains: []chain{{addresses: []uint64{0xffffffff81000010}}}}
	for i := range 1000 {
		s := sample{timeNS: uint64(i) * 1e6, owner: Idle}
		if i/50%2 == 0 || i == 999 { // every second group of 50
			s.owner = ""
		}
		taken.samples = append(taken.samples, s)
	}
	c, _, err := taken.Cost(1000, symbols(t))
	if err != nil {
		t.Fatal(err)
	}
	if width := (c.HighNSPerPacket - c.LowNSPerPacket) / c.SampledNSPerPacket; width < 0.3 {
		t.Errorf("the interval is %.0f %% wide", 100*width)
	}
}

func TestNoSampleOfTheDUT(t *testing.T) {
	taken := &Taken{frequencyHz: 1000, cpus: 1, samples: []sample{{timeNS: 1, owner: Idle}}}
	var nothing *NoSampleError
	if _, _, err := taken.Cost(1, symbols(t)); !errors.As(err, &nothing) {
		t.Errorf("%v", err)
	}
}
