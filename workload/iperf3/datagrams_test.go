package iperf3

import (
	"fmt"
	"math"
	"net/netip"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/workload"
)

const (
	// plantedBytes of IP packets are dropped before a receiver's sockets, from the first on.
	plantedBytes = 500_000
	payloadBytes = 1000
	plantedEach  = plantedBytes / (payloadBytes + 28)
)

// host is one end of the link.
type host struct{ contract.End }

func (h host) run(t *testing.T, argv ...string) string {
	t.Helper()
	var out []byte
	err := netns.Do(h.Netns, func() (err error) {
		out, err = exec.Command(argv[0], argv[1:]...).CombinedOutput()
		return err
	})
	if err != nil {
		t.Fatalf("%v: %v: %s", argv, err, out)
	}
	return string(out)
}

// plant gives the host an address, and drops the first datagrams that arrive for iperf3.
func (h host) plant(t *testing.T, address string) {
	h.run(t, "ip", "addr", "add", address, "dev", h.Interface)
	h.run(t, "ip", "link", "set", "lo", "up")
	h.run(t, "nft", fmt.Sprintf("table ip planted { chain in { type filter hook input priority 0; udp length > 100 quota until %d bytes counter drop; udp length > 100 counter; }; }", plantedBytes))
}

// dropped and passed are the datagrams that the planted rule let lie, and those that went on.
func (h host) dropped(t *testing.T) (dropped, passed uint64) {
	var n []uint64
	for _, m := range regexp.MustCompile(`counter packets (\d+)`).FindAllStringSubmatch(h.run(t, "nft", "list", "table", "ip", "planted"), -1) {
		count, _ := strconv.ParseUint(m[1], 10, 64)
		n = append(n, count)
	}
	if len(n) != 2 {
		t.Fatalf("%d counters, want 2", len(n))
	}
	return n[0], n[1]
}

// overflows are the datagrams for which a socket had no room.
func (h host) overflows(t *testing.T) (n uint64) {
	err := netns.Do(h.Netns, func() error {
		text, err := os.ReadFile("/proc/thread-self/net/snmp")
		var names []string
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) == 0 || f[0] != "Udp:" {
				continue
			}
			if names == nil {
				names = f
				continue
			}
			for i, name := range names {
				if name == "RcvbufErrors" {
					n, err = strconv.ParseUint(f[i], 10, 64)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestDatagramsAgreeWithTheKernel sends UDP each way with and without omitted seconds, past a
// rule that drops the first datagrams, and compares what is said of the streams with the
// counters of the devices, of the rule and of the receiving sockets.
func TestDatagramsAgreeWithTheKernel(t *testing.T) {
	for _, tool := range []string{"iperf3", "nft", "ip"} {
		_, err := exec.LookPath(tool)
		testenv.Need(t, tool, err)
	}
	const seconds, streams, pps = 2, 2, 2500
	for _, direction := range []string{"forward", "reverse", "both ways"} {
		for _, omit := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s, %d s omitted", direction, omit), func(t *testing.T) {
				near, far := contract.Link(t, 1500)
				a, b := host{near}, host{far}
				a.plant(t, "192.0.2.1/24")
				b.plant(t, "192.0.2.2/24")
				p := plan.Default()
				p.IPerf3 = plan.IPerf3{Protocol: "udp", Reverse: direction == "reverse", Bidir: direction == "both ways", Seconds: seconds, OmitSeconds: omit, PayloadBytes: payloadBytes, TargetL4BPS: pps * payloadBytes * 8}
				take, err := Program{}.Measure(t.Context(), workload.Request{Plan: p, Streams: streams, Ends: workload.Ends{
					ClientNetns: a.Netns, ServerNetns: b.Netns, ServerAddress: netip.MustParseAddr("192.0.2.2"),
				}})
				if err != nil {
					t.Fatal(err)
				}
				for _, way := range []struct {
					name    string
					reverse bool
					from    contract.End
					to      host
				}{{"A to B", false, a.End, b}, {"B to A", true, b.End, a}} {
					if !p.IPerf3.Bidir && way.reverse != p.IPerf3.Reverse {
						continue
					}
					checkWay(t, way.name, take, way.reverse, streams*pps*seconds, omit, way.from.Counters(t).TxPackets, way.to)
				}
				if want := float64(len(take.Streams) * pps); omit > 0 && math.Abs(take.ReceiverPPS/want-1) > 0.02 {
					t.Errorf("%.0f datagrams per second arrived, want %.0f", take.ReceiverPPS, want)
				}
			})
		}
	}
}

// checkWay compares the streams of one direction with what the kernel counted of it.
func checkWay(t *testing.T, name string, take workload.Take, reverse bool, intended uint64, omit int, left uint64, to host) {
	t.Helper()
	var sent, lost uint64
	for _, s := range take.Streams {
		if s.Reverse == reverse {
			sent, lost = sent+*s.Sent, lost+*s.Lost
		}
	}
	dropped, passed := to.dropped(t)
	overflowed := to.overflows(t)
	arrived := to.Counters(t).RxPackets
	t.Logf("%s: %d of %d lost; the device sent %d and %d arrived, the rule dropped %d, sockets %d of %d", name, lost, sent, left, arrived, dropped, overflowed, passed)
	if dropped < plantedEach-1 || dropped > plantedEach+1 || arrived != left {
		t.Fatalf("%s: the rule dropped %d, want %d; %d left and %d arrived", name, dropped, plantedEach, left, arrived)
	}
	const slack = 60 // connection, exchange of results, and what is in flight when the time is over
	within := func(what string, got, least, most uint64) {
		if got < least || got > most {
			t.Errorf("%s: %d datagrams %s, want %d to %d", name, got, what, least, most)
		}
	}
	if omit == 0 {
		within("sent", sent, left-slack, left)
		within("lost", lost, dropped+overflowed, dropped+overflowed+slack)
		within("received", sent-lost, passed-overflowed-slack, passed-overflowed)
		return
	}
	// What was dropped was dropped in the omitted second.
	within("sent", sent, intended*98/100, intended*102/100)
	within("lost", lost, 0, overflowed+slack)
}
