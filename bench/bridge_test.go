package bench

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/plan"
)

// TestBridgePassesFramesAsTheyAre looks at the frames on each port of a bridge: those
// that arrive have the addresses and the TTL that they were sent with, nothing was
// routed, and each frame was passed on once.
func TestBridgePassesFramesAsTheyAre(t *testing.T) {
	for _, version := range []int{4, 6} {
		for _, directions := range []plan.Direction{plan.Uni, plan.Bi} {
			cell := cellOf("bridge", version, 500, directions)
			t.Run(cell.ID(), func(t *testing.T) {
				b := openBed(t, testPlan(), cell)
				before := forwarded(t, b.lab.DUT.Netns)
				checkClean(t, b.undisturbed(t, 10_000, 200*time.Millisecond))
				if after := forwarded(t, b.lab.DUT.Netns); after != before {
					t.Errorf("the DUT routed:\n%s\nwas\n%s", after, before)
				}
				checkUnchanged(t, b)
			})
		}
	}
}

// checkUnchanged captures a trial and compares the frames at the tester's ports.
func checkUnchanged(t *testing.T, b bed) {
	t.Helper()
	const n = 50
	ports, err := b.station.tap(n)
	if err != nil {
		t.Fatal(err)
	}
	b.measure(t, 1000, 100*time.Millisecond)
	arrived := 0
	for i, p := range ports[:2] {
		own, far := b.station.ports[i].MAC, b.station.ports[1-i].MAC
		frames, err := p.Stop(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frames {
			source, destination := own, far
			if !f.Leaving {
				source, destination = far, own
				arrived++
			}
			checkHeader(t, f.Data, source, destination)
		}
	}
	for _, p := range ports[2:] {
		if _, err := p.Stop(n); err != nil {
			t.Fatal(err)
		}
	}
	if arrived < n {
		t.Errorf("%d frames were seen to arrive, want %d at least", arrived, n)
	}
}

func checkHeader(t *testing.T, data []byte, source, destination net.HardwareAddr) {
	t.Helper()
	packet := gopacket.NewPacket(data, layers.LayerTypeEthernet, gopacket.Default)
	e, _ := packet.Layer(layers.LayerTypeEthernet).(*layers.Ethernet)
	ttl := uint8(0)
	switch ip := packet.NetworkLayer().(type) {
	case *layers.IPv4:
		ttl = ip.TTL
	case *layers.IPv6:
		ttl = ip.HopLimit
	}
	if e.SrcMAC.String() != source.String() || e.DstMAC.String() != destination.String() || ttl != 64 {
		t.Fatalf("a frame from %v to %v with TTL %d, want %v to %v with 64", e.SrcMAC, e.DstMAC, ttl, source, destination)
	}
}

// forwarded is how many packets a namespace has routed, of both IP versions.
func forwarded(t *testing.T, ns string) (counters string) {
	t.Helper()
	err := netns.Do(ns, func() error {
		v4, err := os.ReadFile("/proc/thread-self/net/snmp")
		if err != nil {
			return err
		}
		names := strings.Fields(strings.SplitN(string(v4), "\n", 3)[0])
		for i, value := range strings.Fields(strings.SplitN(string(v4), "\n", 3)[1]) {
			if names[i] == "ForwDatagrams" {
				counters = "IPv4 " + value
			}
		}
		v6, err := os.ReadFile("/proc/thread-self/net/snmp6")
		for line := range strings.Lines(string(v6)) {
			if strings.HasPrefix(line, "Ip6OutForwDatagrams") {
				counters += " IPv6 " + strings.Fields(line)[1]
			}
		}
		return err
	})
	if err != nil || !strings.Contains(counters, "IPv4") || !strings.Contains(counters, "IPv6") {
		t.Fatalf("forwarded packets %q: %v", counters, err)
	}
	return counters
}
