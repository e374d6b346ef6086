package pktgen_test

import (
	"os"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/generator/pktgen"
	"github.com/linerate/linerate/internal/netns"
)

// dummy is a device that takes every frame and drops it.
func dummy(t *testing.T) generator.Stream {
	t.Helper()
	needPktgen(t)
	a, _ := contract.Link(t, 1500)
	s := generator.Stream{Port: "d", Netns: a.Netns, Interface: "dummy7", SourceMAC: a.MAC, DestinationMAC: a.MAC, Flows: portsFrom(t, 4, 1)}
	if err := netns.Do(a.Netns, func() error {
		if err := netlink.LinkAdd(&netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Name: s.Interface, MTU: 9000}}); err != nil {
			return err
		}
		link, err := netlink.LinkByName(s.Interface)
		if err != nil {
			return err
		}
		s.Ifindex = link.Attrs().Index
		return netlink.LinkSetUp(link)
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

// counted is what a device says it sent.
func counted(t *testing.T, s generator.Stream) (n, bytes uint64) {
	t.Helper()
	if err := netns.Do(s.Netns, func() error {
		link, err := netlink.LinkByName(s.Interface)
		if err == nil {
			n, bytes = link.Attrs().Statistics.TxPackets, link.Attrs().Statistics.TxBytes
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n, bytes
}

// TestCopies sends by a driver that takes copies: the counts hold, whatever the tuning.
func TestCopies(t *testing.T) {
	s := dummy(t)
	for _, o := range []pktgen.Options{{}, {CloneSKB: 1}, {CloneSKB: 100}, {Burst: 32}, {CloneSKB: 10, Burst: 8}} {
		g, err := pktgen.New(generator.Config{Sizes: frame.Sizes{64}, CPUs: []int{0}, Streams: []generator.Stream{s}}, o)
		if err != nil {
			t.Fatal(err)
		}
		before, _ := counted(t, s)
		counts, err := g.Send(t.Context(), generator.Load{Duration: time.Second, Frames: 5003})
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		after, _ := counted(t, s)
		want := 5003 - 5003%uint64(max(1, o.Burst))
		if c := counts.Streams[0]; c.Sent != want || c.Sent+c.Unsent != 5003 || after-before != c.Sent {
			t.Errorf("%+v: %d frames by pktgen's account and %d by the device's, %d unsent, want %d of 5,003", o, c.Sent, after-before, c.Unsent, want)
		}
		// A burst is due when its first frame is.
		load := generator.Load{PPS: 8000, Duration: 200 * time.Millisecond}
		if counts, err = g.Send(t.Context(), load); err != nil {
			t.Fatal(err)
		}
		if took := counts.Duration; counts.Streams[0].Sent != 1600 || took < load.Duration*9/10 || took > load.Duration*11/10 {
			t.Errorf("%+v: %d frames took %v, want 1,600 in %v", o, counts.Streams[0].Sent, took, load.Duration)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSendExactly drives one device without the engine around it: what is tuned costs less.
func TestSendExactly(t *testing.T) {
	s := dummy(t)
	least := map[int]uint64{}
	for _, size := range []int{64, 9014} {
		for _, o := range []pktgen.Options{{}, {CloneSKB: 10}, {Burst: 8}} {
			d, err := pktgen.Bind(s.Netns, s.Interface, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Shape(s, size, o); err != nil {
				t.Fatal(err)
			}
			n, bytes := counted(t, s)
			r, err := d.SendExactly(4000)
			if err != nil {
				t.Fatal(err)
			}
			after, bytesAfter := counted(t, s)
			if after-n != 4000 || bytesAfter-bytes != 4000*uint64(size-frame.FCSBytes) || r.Packets != 4000 || r.BusyUS == 0 || r.FrameBytes != uint64(size-frame.FCSBytes) {
				t.Errorf("%d bytes, %+v: the device counted %d frames with %d bytes, and pktgen says %+v", size, o, after-n, bytesAfter-bytes, r)
			}
			t.Logf("%d bytes, %+v: %d ns per frame, %d frames a second", size, o, r.BusyUS*1000/4000, r.PPS)
			if o == (pktgen.Options{}) {
				least[size] = r.BusyUS
			} else if os.Getpid() == 1 && r.BusyUS > least[size]/2 {
				t.Errorf("%d bytes, %+v: %d µs, and %d without tuning", size, o, r.BusyUS, least[size])
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
