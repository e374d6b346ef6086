package afxdp_test

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/afxdp"
	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/sink"
)

func configOf(t *testing.T, a, b contract.End, cpus []int, sizes frame.Sizes) generator.Config {
	t.Helper()
	return generator.Config{Sizes: sizes, CPUs: cpus, Streams: []generator.Stream{{
		Port: "a", Netns: a.Netns, Interface: a.Interface, Ifindex: a.Ifindex, SourceMAC: a.MAC, DestinationMAC: b.MAC, Flows: contract.Flows(t, 4, 10, 1),
	}}}
}

// TestModes requires that the mode which was granted is told, and that one which cannot
// be granted is refused instead of replaced.
func TestModes(t *testing.T) {
	a, b := contract.Link(t, 9000)
	for _, mode := range []afxdp.Mode{afxdp.Auto, afxdp.Copy} {
		g, err := afxdp.New(configOf(t, a, b, nil, frame.Sizes{64}), mode)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Engine(); got != "afxdp (copy)" {
			t.Errorf("mode %s on a veth: engine %q", mode, got)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
	var missing *kernel.MissingError
	if _, err := afxdp.New(configOf(t, a, b, nil, frame.Sizes{64}), afxdp.ZeroCopy); !errors.As(err, &missing) || !strings.Contains(err.Error(), "traffic.afxdp_mode") {
		t.Errorf("zero-copy on a veth, which has none: %v", err)
	}
	for _, tt := range []struct {
		config generator.Config
		mode   afxdp.Mode
		says   string
	}{
		{configOf(t, a, b, nil, frame.Sizes{64}), "fast", "zerocopy"},
		{configOf(t, a, b, nil, frame.Sizes{4101}), afxdp.Auto, "afpacket"},
		{configOf(t, a, b, []int{0, 0, 0}, frame.Sizes{64}), afxdp.Auto, "ethtool -L"},
	} {
		if _, err := afxdp.New(tt.config, tt.mode); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("mode %s: error %v does not say %q", tt.mode, err, tt.says)
		}
	}
}

// TestLargestFrames fill their chunk of memory to the last byte.
func TestLargestFrames(t *testing.T) {
	a, b := contract.Link(t, 9000)
	config := configOf(t, a, b, nil, frame.Sizes{afxdp.MaxFrameBytes, 64, 2052, 2053})
	k := openSink(t, b, config)
	g, err := afxdp.New(config, afxdp.Copy)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	counts, err := g.Send(t.Context(), generator.Load{PPS: 10_000, Duration: 200 * time.Millisecond, Epoch: 1})
	if err != nil {
		t.Fatal(err)
	}
	if s, r := counts.Streams[0], settled(t, k); s.Sent == 0 || r.Received != s.Sent || r.ReceivedBytes != s.SentBytes || r.WrongSize+r.Foreign != 0 {
		t.Errorf("sent %+v, received %+v", s, r)
	}
}

// TestOverloadedPeer plants a receiver that is too slow: what its ring refuses was
// offered, and the kernel names the drop. No chunk may be lost by it.
func TestOverloadedPeer(t *testing.T) {
	a, b := contract.Link(t, 1500)
	config := configOf(t, a, b, nil, frame.Sizes{64})
	k := openSink(t, b, config)
	err := netns.DoWithSysfs(b.Netns, func() error { return os.WriteFile("/sys/class/net/"+b.Interface+"/threaded", []byte("1"), 0) })
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Throttle(4096); err != nil {
		t.Fatal(err)
	}
	g, err := afxdp.New(config, afxdp.Auto)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var sent, received uint64
	for epoch := range uint16(4) { // each sends more frames than there are chunks
		if err := k.Arm(epoch); err != nil {
			t.Fatal(err)
		}
		counts, err := g.Send(t.Context(), generator.Load{Duration: 100 * time.Millisecond, Epoch: epoch})
		if err != nil {
			t.Fatal(err)
		}
		if counts.Streams[0].Sent < 4096 {
			t.Errorf("load %d: only %d frames were sent", epoch, counts.Streams[0].Sent)
		}
		sent += counts.Streams[0].Sent
		received += settled(t, k).Received
	}
	device := a.Counters(t)
	if device.TxDropped == 0 {
		t.Fatalf("sent %d frames, received %d: the ring never overflowed", sent, received)
	}
	if sent != device.TxPackets+device.TxDropped || received != device.TxPackets {
		t.Errorf("sent %d and received %d frames; the kernel passed %d on and dropped %d", sent, received, device.TxPackets, device.TxDropped)
	}
}

// TestDeviceDown expects an error that says so, not frames that count as sent.
func TestDeviceDown(t *testing.T) {
	a, b := contract.Link(t, 1500)
	g, err := afxdp.New(configOf(t, a, b, nil, frame.Sizes{64}), afxdp.Auto)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	a.SetDown(t)
	counts, err := g.Send(t.Context(), generator.Load{PPS: 1000, Duration: 50 * time.Millisecond, Epoch: 1})
	if err == nil || !strings.Contains(err.Error(), "ip link set up") || counts.Streams[0].Sent != 0 {
		t.Errorf("a device that is down: sent %d, error %v", counts.Streams[0].Sent, err)
	}
}

func openSink(t *testing.T, b contract.End, config generator.Config) *sink.Sink {
	t.Helper()
	flows := config.Streams[0].Flows
	k, err := sink.Open(sink.Config{Port: "b", Netns: b.Netns, Interface: b.Interface, Ifindex: b.Ifindex, Flows: len(flows)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	if err := errors.Join(k.ExpectFlows(flows), k.Arm(1)); err != nil {
		t.Fatal(err)
	}
	return k
}

// settled collects once all frames that the kernel delivered have been counted.
func settled(t *testing.T, k *sink.Sink) sink.Counts {
	t.Helper()
	var last sink.Counts
	for {
		c, err := k.Collect()
		if err != nil {
			t.Fatal(err)
		}
		if c.Received > 0 && c.Received == last.Received {
			return c
		}
		last = c
		time.Sleep(50 * time.Millisecond)
	}
}

// TestZeroCopyIsNeverReplaced asks for zero-copy on each kind of virtual device that this
// kernel makes: none has it, and none gets a socket that copies in its place.
func TestZeroCopyIsNeverReplaced(t *testing.T) {
	tried := 0
	for _, kind := range []string{"veth", "ifb", "macvlan", "vxlan", "bridge", "tun"} {
		a, b := contract.Link(t, 1500)
		config := configOf(t, a, b, nil, frame.Sizes{64})
		if kind != "veth" {
			argv := map[string][]string{
				"ifb": {"link", "add", "z0", "type", "ifb"}, "macvlan": {"link", "add", "z0", "link", a.Interface, "type", "macvlan"},
				"vxlan": {"link", "add", "z0", "type", "vxlan", "id", "7", "dstport", "4789"}, "bridge": {"link", "add", "z0", "type", "bridge"}, "tun": {"tuntap", "add", "z0", "mode", "tap"},
			}[kind]
			if out, err := exec.Command("ip", append([]string{"-n", a.Netns}, argv...)...).CombinedOutput(); err != nil {
				t.Logf("%s: not in this kernel: %s", kind, out)
				continue
			}
			if out, err := exec.Command("ip", "-n", a.Netns, "link", "set", "z0", "up").CombinedOutput(); err != nil {
				t.Fatalf("%s: %s", kind, out)
			}
			index, err := exec.Command("ip", "netns", "exec", a.Netns, "cat", "/sys/class/net/z0/ifindex").Output()
			if err != nil {
				t.Fatal(err)
			}
			config.Streams[0].Interface = "z0"
			if config.Streams[0].Ifindex, err = strconv.Atoi(strings.TrimSpace(string(index))); err != nil {
				t.Fatal(err)
			}
		}
		tried++
		var missing *kernel.MissingError
		g, err := afxdp.New(config, afxdp.ZeroCopy)
		if err == nil {
			t.Errorf("%s: zero-copy was granted, as %q", kind, g.Engine())
			_ = g.Close()
		} else if !errors.As(err, &missing) || !strings.Contains(missing.Line(), "refuses zero-copy") {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if tried < 2 {
		t.Errorf("%d kinds of devices were tried", tried)
	}
}
