package sink_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/sink"
	"golang.org/x/sys/unix"
)

// Sizes of the frames of a test, FCS included, and what is common to all of them.
const (
	epoch = 7
	flows = 4
	size4 = 64 // the least that holds a test payload, IPv4
	size6 = 84
)

func sizeOf(ipVersion int) int {
	if ipVersion == 6 {
		return size6
	}
	return size4
}

// wire is a sink at one end of a veth; the test puts hand-made frames into the other.
type wire struct {
	t     *testing.T
	from  contract.End
	to    contract.End
	sink  *sink.Sink
	flows []frame.Flow
}

// openWire attaches a sink that counts epoch. A sizeBytes of 0 takes each frame's
// length from its IP header.
func openWire(t *testing.T, ipVersion, sizeBytes int) *wire {
	t.Helper()
	w := &wire{t: t}
	w.from, w.to = contract.Link(t, 1500)
	w.flows = contract.Flows(t, ipVersion, flows, 1)
	var err error
	w.sink, err = sink.Open(sink.Config{
		Port: "b", Netns: w.to.Netns, Interface: w.to.Interface, Ifindex: w.to.Ifindex, Flows: flows, IPVersion: ipVersion, SizeBytes: sizeBytes,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.sink.Close(); err != nil {
			t.Error(err)
		}
	})
	w.arm(epoch)
	return w
}

func (w *wire) arm(epoch uint16) {
	w.t.Helper()
	if err := w.sink.Arm(epoch); err != nil {
		w.t.Fatal(err)
	}
}

// test is a test frame of a flow as the generator would send it, without its FCS.
func (w *wire) test(flow, sequence uint32) []byte {
	return w.build(flow, sizeOf(w.flows[0].IPVersion()), frame.Payload{Epoch: epoch, Flow: flow, Sequence: sequence})
}

func (w *wire) build(flow uint32, sizeBytes int, p frame.Payload) []byte {
	p.SentNS = uint32(monotonicNS())
	return frame.Build(w.flows[flow%flows], w.from.MAC, w.to.MAC, sizeBytes, p)
}

// inject sends the frames in order and waits until the sink has seen them all.
func (w *wire) inject(frames ...[]byte) sink.Counts {
	w.t.Helper()
	before := w.seen()
	err := netns.Do(w.from.Netns, func() error {
		runtime.LockOSThread() // one CPU after the other: the order of the frames is that of the calls
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		to := &unix.SockaddrLinklayer{Ifindex: w.from.Ifindex}
		for _, f := range frames {
			if err := unix.Sendto(fd, f, 0, to); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatalf("inject %d frames: %v", len(frames), err)
	}
	want := before + uint64(len(frames))
	for end := time.Now().Add(2 * time.Second); w.seen() < want; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("the sink saw %d of %d frames", w.seen()-before, len(frames))
		}
	}
	c := w.collect()
	if got := w.seen(); got != want {
		w.t.Fatalf("the sink saw %d frames, %d were injected", got-before, len(frames))
	}
	return c
}

func (w *wire) collect() sink.Counts {
	w.t.Helper()
	c, err := w.sink.Collect()
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// seen is every frame that the sink has put into one of its classes.
func (w *wire) seen() uint64 {
	c := w.collect()
	return c.Received + c.Duplicated + c.Late + c.Foreign + c.WrongFlow
}

func monotonicNS() uint64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return uint64(t.Nano())
}
