package testpmd_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/generator/testpmd"
	"github.com/linerate/linerate/internal/device"
	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/sink"
)

func init() { runtime.LockOSThread() } // internal/netns asks for it

var flow = frame.Flow{Source: netip.MustParseAddr("198.18.1.1"), Destination: netip.MustParseAddr("198.19.1.1"), SourcePort: 1024, DestinationPort: 9}

// rig is testpmd at one end of a veth and a sink at the other.
type rig struct {
	from, to contract.End
	sink     *sink.Sink
	config   generator.Config
}

func newRig(t *testing.T, sizeBytes int) *rig {
	t.Helper()
	testenv.NeedRoot(t)
	_, err := exec.LookPath("dpdk-testpmd")
	testenv.Need(t, "dpdk-testpmd", err)
	r := &rig{}
	r.from, r.to = contract.Link(t, 1500)
	r.sink, err = sink.Open(sink.Config{
		Port: "b", Netns: r.to.Netns, Interface: r.to.Interface, Ifindex: r.to.Ifindex, Flows: 1, IPVersion: 4, SizeBytes: sizeBytes, Pktgen: sink.PktgenUnmarked,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.sink.Close() })
	if err := r.sink.ExpectFlows([]frame.Flow{flow}); err != nil {
		t.Fatal(err)
	}
	r.config = generator.Config{CPUs: []int{0}, Sizes: frame.Sizes{sizeBytes}, Streams: []generator.Stream{{
		Port: "a", Netns: r.from.Netns, Interface: r.from.Interface, Ifindex: r.from.Ifindex,
		SourceMAC: r.from.MAC, DestinationMAC: r.to.MAC, Flows: []frame.Flow{flow},
	}}}
	return r
}

// sent is what the kernel counted at both ends.
func (r *rig) counted(t *testing.T) (tx, rx uint64) {
	t.Helper()
	return r.from.Counters(t).TxPackets, r.to.Counters(t).RxPackets
}

// TestEveryFrameIsAccountedFor sends loads one after the other: what the generator says,
// what the peer's device counted and what the sink counted are the same, to the packet.
func TestEveryFrameIsAccountedFor(t *testing.T) {
	for _, tt := range []struct {
		driver testpmd.Driver
		size   int
	}{{testpmd.AFPacket, 64}, {testpmd.AFPacket, 1518}, {testpmd.AFXDP, 64}, {testpmd.AFXDP, 1518}} {
		size := tt.size
		_, statErr := os.Stat("/run/xdp")
		r := newRig(t, size)
		g, err := testpmd.New(r.config, tt.driver)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := r.sink.Arm(7); err != nil {
				t.Fatal(err)
			}
			txBefore, rxBefore := r.counted(t)
			counts, err := g.Send(t.Context(), generator.Load{Duration: 200 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(200 * time.Millisecond) // for the peer's ring to be emptied
			tx, rx := r.counted(t)
			got, err := r.sink.Collect()
			if err != nil {
				t.Fatal(err)
			}
			s := counts.Streams[0]
			t.Logf("%s, %d bytes: %+v in %v", g.Engine(), size, s, counts.Duration)
			if s.Sent < 1000 || s.Sent != tx-txBefore || s.Sent != rx-rxBefore || s.Sent != got.Received {
				t.Errorf("%d bytes: testpmd sent %d; its device counted %d, the peer %d, the sink %d", size, s.Sent, tx-txBefore, rx-rxBefore, got.Received)
			}
			if s.SentBytes != got.ReceivedBytes || got.WrongSize+got.Foreign+got.Late+got.Duplicated != 0 || s.Intended != 0 || s.Unsent != 0 {
				t.Errorf("%d bytes: sent %+v, received %+v", size, s, got)
			}
			if progress := g.Progress()[0]; progress != s {
				t.Errorf("progress %+v after a load of %+v", progress, s)
			}
			if counts.Duration < 200*time.Millisecond || counts.Duration > 2*time.Second {
				t.Errorf("a load of 200 ms lasted %v", counts.Duration)
			}
		}
		tids, err := g.Threads()
		if err != nil || len(tids) < 2 {
			t.Errorf("threads %v, %v", tids, err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", tids[0])); err == nil {
			t.Error("testpmd is still there after Close")
		}
		if _, err := os.Stat("/run/xdp"); (err == nil) != (statErr == nil) {
			t.Errorf("the folder of libxdp: %v before, %v after", statErr, err)
		}
		if d, err := device.Look(r.from.Netns, r.from.Ifindex); err != nil || d.XDPProgram {
			t.Errorf("the device of the source: %+v, %v", d, err)
		}
	}
}

// TestSinkTakesNothingElse sends another flow than the sink expects: all of it is foreign.
func TestSinkTakesNothingElse(t *testing.T) {
	r := newRig(t, 64)
	other := flow
	other.DestinationPort++
	if err := errors.Join(r.sink.ExpectFlows([]frame.Flow{other}), r.sink.Arm(7)); err != nil {
		t.Fatal(err)
	}
	g, err := testpmd.New(r.config, testpmd.AFPacket)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	counts, err := g.Send(t.Context(), generator.Load{Duration: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if got, err := r.sink.Collect(); err != nil || got.Received != 0 || got.Foreign != counts.Streams[0].Sent {
		t.Errorf("of %d frames of another flow %d were received and %d foreign, %v", counts.Streams[0].Sent, got.Received, got.Foreign, err)
	}
}

func TestCancelled(t *testing.T) {
	r := newRig(t, 64)
	g, err := testpmd.New(r.config, testpmd.AFPacket)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	counts, err := g.Send(ctx, generator.Load{Duration: 30 * time.Second})
	if err != nil || counts.Streams[0].Sent == 0 || time.Since(begin) > 10*time.Second {
		t.Errorf("cancelled after 100 ms: %+v, %v, after %v", counts, err, time.Since(begin))
	}
}

// TestKilled expects an error with the reason when testpmd dies.
func TestKilled(t *testing.T) {
	r := newRig(t, 64)
	g, err := testpmd.New(r.config, testpmd.AFPacket)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	tids, err := g.Threads()
	if err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(100*time.Millisecond, func() { _ = syscall.Kill(slices.Min(tids), syscall.SIGKILL) })
	defer timer.Stop()
	_, err = g.Send(t.Context(), generator.Load{Duration: 500 * time.Millisecond})
	if ended, ok := errors.AsType[*generator.EndedError](err); !ok || !strings.Contains(ended.Error(), "testpmd has ended: signal: killed") {
		t.Errorf("testpmd was killed: %v", err)
	}
}

// TestWhatItCannotDo expects each to be refused with the reason.
func TestWhatItCannotDo(t *testing.T) {
	r := newRig(t, 64)
	g, err := testpmd.New(r.config, testpmd.AFPacket)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, load := range []generator.Load{
		{PPS: 1000, Duration: time.Second},
		{Frames: 1000, Duration: time.Second},
		{PPS: 1000, Duration: time.Second, Step: generator.Step{PPS: 10, After: time.Millisecond}},
	} {
		if _, err := g.Send(t.Context(), load); !errors.Is(err, testpmd.ErrNotPaced) {
			t.Errorf("%+v: %v", load, err)
		}
	}
	both := r.config
	both.Streams = append(slices.Clone(both.Streams), both.Streams[0])
	if g, err := testpmd.New(both, testpmd.AFXDP); err == nil || !strings.Contains(err.Error(), "one way only") {
		t.Errorf("both ways by AF_XDP: %v, %v", g, err)
	}
	if g, err := testpmd.New(r.config, "netmap"); err == nil || !strings.Contains(err.Error(), "afpacket and afxdp") {
		t.Errorf("an unknown driver: %v, %v", g, err)
	}
	for want, change := range map[string]func(*generator.Config){
		"several flows": func(c *generator.Config) {
			c.Streams[0].Flows = contract.Flows(t, 4, 2, 1)
		},
		"IPv4 only":    func(c *generator.Config) { c.Streams[0].Flows = contract.Flows(t, 6, 1, 1) },
		"one size":     func(c *generator.Config) { c.Sizes = frame.Sizes{64, 128} },
		"64 to 1518":   func(c *generator.Config) { c.Sizes = frame.Sizes{9018} },
		"slowed down":  func(c *generator.Config) { c.Throttle = 10 },
		"stream":       func(c *generator.Config) { c.Streams = nil },
		"network name": func(c *generator.Config) { c.Streams[0].Netns = "no-such-namespace" },
	} {
		c := r.config
		c.Streams = slices.Clone(c.Streams)
		change(&c)
		if want == "network name" {
			want = "no-such-namespace"
		}
		if g, err := testpmd.New(c, testpmd.AFPacket); err == nil || (!strings.Contains(err.Error(), want) && want != "no-such-namespace") {
			t.Errorf("want %q: %v, %v", want, g, err)
		}
	}
}

// TestMissing expects the package to be named where testpmd is not installed.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	c := generator.Config{CPUs: []int{0}, Sizes: frame.Sizes{64}, Streams: []generator.Stream{{Port: "a", Interface: "none", Flows: []frame.Flow{flow}}}}
	_, err := testpmd.New(c, testpmd.AFPacket)
	var missing *kernel.MissingError
	if !errors.As(err, &missing) || !strings.Contains(missing.Line(), "dpdk-dev") {
		t.Errorf("without testpmd: %v", err)
	}
}
