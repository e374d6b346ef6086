package pktgen

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/kernel"
)

func init() { runtime.LockOSThread() } // internal/netns asks for it

func flowsOf(n int, source, destination string) []frame.Flow {
	flows := make([]frame.Flow, n)
	for i := range flows {
		flows[i] = frame.Flow{Source: netip.MustParseAddr(source), Destination: netip.MustParseAddr(destination), SourcePort: uint16(1024 + i), DestinationPort: 9}
	}
	return flows
}

func configOf(cpus []int, flows []frame.Flow) generator.Config {
	return generator.Config{CPUs: cpus, Sizes: frame.Sizes{64}, Streams: []generator.Stream{{
		Port: "a", Interface: "g0", SourceMAC: net.HardwareAddr{2, 0, 0x5e, 0x10, 0, 0xa}, DestinationMAC: net.HardwareAddr{2, 0, 0x5e, 0x10, 0, 0xb}, Flows: flows,
	}}}
}

// controls makes a folder like pktgen's, in which each file keeps what is written to it.
func controls(t *testing.T, devices map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"pgctrl": "", "kpktgend_0": "", "kpktgend_1": ""} {
		devices[name] = text
	}
	for name, text := range devices {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func written(t *testing.T, dir, file, before string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(string(b), before)
}

// TestSendWritesWhatTheLoadAsks sends by a folder of plain files, on two threads.
func TestSendWritesWhatTheLoadAsks(t *testing.T) {
	dir := controls(t, map[string]string{"g0@0": deviceText, "g0@1": deviceText})
	g, err := open(configOf([]int{0, 1}, flowsOf(11, "198.18.1.1", "198.19.1.1")), Options{CloneSKB: 10, Burst: 8}, dir)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := g.Send(t.Context(), generator.Load{PPS: 11_000, Duration: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if s := counts.Streams[0]; s.Sent != 2006 || s.SentBytes != 2006*60 || s.Intended != 11_000 || s.Unsent != 11_000-2006 || counts.Threads != 2 || counts.Duration != 3765*time.Microsecond {
		t.Errorf("two devices that each report 1000 frames and 3 errors: %+v", counts)
	}
	first := `count 5496
clone_skb 10
burst 8
pkt_size 60
dst_mac 02:00:5e:10:00:0b
src_mac 02:00:5e:10:00:0a
dst_min 198.19.1.1
dst_max 198.19.1.1
src_min 198.18.1.1
src_max 198.18.1.1
udp_src_min 1024
udp_src_max 1029
udp_dst_min 9
udp_dst_max 9
delay 1600000
`
	if got := written(t, dir, "g0@0", deviceText); got != first {
		t.Errorf("the first thread is told\n%s\nwant\n%s", got, first)
	}
	second := written(t, dir, "g0@1", deviceText)
	for _, want := range []string{"count 5496\n", "udp_src_min 1029\nudp_src_max 1035\n", "delay 1333333\n"} {
		if !strings.Contains(second, want) {
			t.Errorf("the second thread is not told %q:\n%s", want, second)
		}
	}
	if got := written(t, dir, "pgctrl", ""); got != "start\n" {
		t.Errorf("pgctrl is told %q", got)
	}
	for thread, device := range map[string]string{"kpktgend_0": "g0@0", "kpktgend_1": "g0@1"} {
		if got := written(t, dir, thread, ""); got != "rem_device_all\nadd_device "+device+"\nrem_device_all\n" {
			t.Errorf("%s is told %q", thread, got)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func TestCommandsForIPv6(t *testing.T) {
	flows, err := rangeOf(flowsOf(1, "2001:2:0:1::1", "2001:2:0:8001::1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	lines := commands(configOf(nil, flowsOf(1, "2001:2:0:1::1", "2001:2:0:8001::1")).Streams[0], 84, flows, Options{}, 0, 0)
	for _, want := range []string{"count 0", "burst 1", "clone_skb 0", "pkt_size 80", "dst6 2001:2:0:8001::1", "src6 2001:2:0:1::1", "udp_src_min 1024", "udp_src_max 1024", "delay 0"} {
		if !slices.Contains(lines, want) {
			t.Errorf("there is no %q in %q", want, lines)
		}
	}
}

// TestFlowsInARow keeps frames of one destination address together, and refuses to say that
// it keeps those of one port.
func TestFlowsInARow(t *testing.T) {
	flows := flowsOf(300, "198.18.1.1", "198.19.1.1")
	if _, err := rangeOf(flows, 4); err == nil || !strings.Contains(err.Error(), "flow_packets") {
		t.Errorf("flows that differ by their ports: %v", err)
	}
	for i := range flows {
		flows[i].SourcePort, flows[i].Destination = 1024, addressBehind(flows[0].Destination, i)
	}
	r, err := rangeOf(flows, 4)
	if err != nil {
		t.Fatal(err)
	}
	lines := commands(configOf(nil, flows).Streams[0], 64, r.part(generator.Share{Index: 1, Of: 2}), Options{FlowPackets: 4}, 1000, 0)
	for _, want := range []string{"dst_min 198.19.1.151", "dst_max 198.19.2.44", "udp_src_min 1024", "udp_src_max 1024", "flows 150", "flowlen 4", "flag FLOW_SEQ", "count 1000"} {
		if !slices.Contains(lines, want) {
			t.Errorf("there is no %q in %q", want, lines)
		}
	}
}

func TestRange(t *testing.T) {
	flows := flowsOf(7, "198.18.1.1", "198.19.1.1")
	back := make([]frame.Flow, len(flows))
	for i, f := range flows {
		back[i] = f.Reverse()
	}
	for _, list := range [][]frame.Flow{flows, back, flows[:1]} {
		r, err := rangeOf(list, 0)
		if err != nil {
			t.Fatal(err)
		}
		var all []frame.Flow
		for i := range 3 {
			p := r.part(generator.Share{Index: i, Of: 3})
			for n := range uint16(p.flows) {
				f := p.first
				if p.last.SourcePort != p.first.SourcePort {
					f.SourcePort += n
				} else {
					f.DestinationPort += min(n, p.last.DestinationPort-p.first.DestinationPort)
				}
				all = append(all, f)
			}
		}
		if !slices.Equal(all, list) {
			t.Errorf("three threads send %v, want %v", all, list)
		}
	}
	other := slices.Clone(flows)
	other[3].Source = netip.MustParseAddr("198.18.1.2")
	gap := slices.Clone(flows)
	gap[3].SourcePort++
	for _, list := range [][]frame.Flow{other, gap} {
		if r, err := rangeOf(list, 0); err == nil {
			t.Errorf("%v is a range: %+v", list, r)
		}
	}
}

func TestRefused(t *testing.T) {
	dir := controls(t, map[string]string{"g0@0": deviceText})
	good := flowsOf(3, "198.18.1.1", "198.19.1.1")
	mix, small := configOf(nil, good), configOf(nil, good)
	mix.Sizes, small.Sizes = frame.Sizes{64, 570}, frame.Sizes{9019}
	for _, tt := range []struct {
		config  generator.Config
		options Options
		says    string
	}{
		{mix, Options{}, "one size"},
		{small, Options{}, "9018"},
		{configOf([]int{0}, good), Options{Threads: 2}, "lab.tester_cpus"},
	} {
		if _, err := open(tt.config, tt.options, dir); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("error %v does not say %q", err, tt.says)
		}
	}
	g, err := open(configOf([]int{0}, good), Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	load := generator.Load{PPS: 1000, Duration: time.Second, Step: generator.Step{PPS: 500, After: time.Millisecond}}
	if _, err := g.Send(t.Context(), load); err == nil || !strings.Contains(err.Error(), "another engine") {
		t.Errorf("a load with a step: %v", err)
	}
}

// TestMissing expects to be told what to do where the kernel has no pktgen.
func TestMissing(t *testing.T) {
	_, err := open(configOf(nil, flowsOf(1, "198.18.1.1", "198.19.1.1")), Options{}, t.TempDir())
	var missing *kernel.MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "modprobe pktgen") {
		t.Errorf("without a control folder: %v", err)
	}
}
