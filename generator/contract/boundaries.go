package contract

import (
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
)

// twoCPUs are the first two; a machine with one has its only CPU carry both threads.
func twoCPUs(t *testing.T) []int {
	t.Helper()
	return []int{0, min(1, runtime.NumCPU()-1)}
}

// gaps expects one time between every two departures, with a mean that is the interval asked for.
func gaps(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{flows: 10})
	const pps = 10_000
	counts, _ := r.send(t.Context(), generator.Load{PPS: pps, Duration: 200 * time.Millisecond, Epoch: epoch})
	if got, want := counts.Gaps.Total(), counts.Streams[0].Sent-1; got != want {
		t.Errorf("%d gaps between %d frames, want %d", got, counts.Streams[0].Sent, want)
	}
	var sum float64
	for i, n := range counts.Gaps {
		sum += float64(n) * float64(frame.BucketUpToNS(i))
	}
	// A bucket's edge is up to 3.1 % above its values.
	if all := float64(counts.Duration); sum < all*0.99 || sum > all*1.04 {
		t.Errorf("the gaps add up to %v, the load lasted %v", time.Duration(sum), counts.Duration)
	}
	if counts.Streams[0].Unsent == 0 {
		if mean := float64(counts.Duration) / float64(counts.Gaps.Total()); math.Abs(mean-1e9/pps) > 0.05*1e9/pps {
			t.Errorf("mean gap %.0f ns at %d pps, want %.0f", mean, pps, 1e9/pps)
		}
	}
	if counts, _ := r.send(t.Context(), generator.Load{Duration: 20 * time.Millisecond, Epoch: epoch}); counts.Gaps.Total() != 0 {
		t.Errorf("an unbounded load was given %d gaps", counts.Gaps.Total())
	}
}

// announcedFlows expects the sink to see the addresses and ports that each stream was
// given, and those only.
func announcedFlows(t *testing.T, newGenerator New) {
	const n = 50
	r := newRig(t, newGenerator, setup{flows: n, streams: 2})
	sent := r.config.Streams[0].Flows
	if err := r.sinks[0].ExpectFlows(Flows(t, 4, n, 99)); err != nil {
		t.Fatal(err)
	}
	if err := r.sinks[0].Learn(true); err != nil {
		t.Fatal(err)
	}
	load := generator.Load{PPS: 10_000, Duration: 100 * time.Millisecond, Epoch: epoch}
	counts, received := r.send(t.Context(), load)
	if got := received[0]; got.Received != counts.Streams[0].Sent || got.WrongTuple != got.Received {
		t.Errorf("stream 0: sent %d, received %d, of which %d do not have the flows of another seed", counts.Streams[0].Sent, got.Received, got.WrongTuple)
	}
	if got := received[1]; got.Received != counts.Streams[1].Sent || got.WrongTuple != 0 {
		t.Errorf("stream 1: sent %d, received %d, %d with other flows", counts.Streams[1].Sent, got.Received, got.WrongTuple)
	}
	learned, err := r.sinks[0].Learned(4)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(learned, sent) {
		t.Errorf("flows arrived as %v ..., want %v ...", learned[:2], sent[:2])
	}
	if err := r.sinks[0].ExpectFlows(sent); err != nil {
		t.Fatal(err)
	}
	load.Epoch++
	counts, received = r.send(t.Context(), load)
	r.checkDelivered(counts, received)
}

// millionFlows sends each flow once or not at all: a short load shows that the
// table is walked from its beginning, without repeating a flow.
func millionFlows(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{flows: frame.MaxFlows})
	load := generator.Load{PPS: 100_000, Duration: 200 * time.Millisecond, Epoch: epoch}
	counts, received := r.send(t.Context(), load)
	r.checkSum(load, counts)
	r.checkDelivered(counts, received)
	if s := counts.Streams[0]; s.Sent < s.Intended/4 {
		t.Errorf("sent %d of %d frames: the load was over before its flows were ready", s.Sent, s.Intended)
	}
	perFlow, err := r.sinks[0].PerFlow(epoch)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range perFlow {
		if want := uint64(i) < counts.Streams[0].Sent; n > 1 || (n == 1) != want {
			t.Fatalf("flow %d of a million has %d frames after %d were sent", i, n, counts.Streams[0].Sent)
		}
	}
}

// closeLeavesNothing compares the process's BPF objects and sockets before and after.
func closeLeavesNothing(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{flows: 10, streams: 2})
	if err := r.generator.Close(); err != nil {
		t.Fatal(err)
	}
	r.generator = nil
	before := openObjects(t)
	g, err := newGenerator(r.config)
	if err != nil {
		t.Fatal(err)
	}
	if len(openObjects(t)) <= len(before) {
		t.Error("an open generator holds no BPF object and no socket: this test sees nothing")
	}
	if _, err := g.Send(t.Context(), generator.Load{PPS: 1000, Duration: 10 * time.Millisecond, Epoch: epoch}); err != nil {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	for fd, what := range openObjects(t) {
		if before[fd] != what {
			t.Errorf("file descriptor %s is still open after Close: %s", fd, what)
		}
	}
	if err := g.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

// openObjects are this process's BPF objects and sockets by file descriptor. A
// program lives no longer than what refers to it: these and a link or a pin, which
// no generator makes.
func openObjects(t *testing.T) map[string]string {
	t.Helper()
	dir, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range dir {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil || !strings.HasPrefix(target, "socket:") && !strings.Contains(target, "bpf") {
			continue
		}
		if strings.Contains(target, "bpf") {
			target += " " + bpfID(e.Name())
		}
		found[e.Name()] = target
	}
	return maps.Clone(found)
}

// bpfID is the kernel's number of a BPF object.
func bpfID(fd string) string {
	info, err := os.ReadFile("/proc/self/fdinfo/" + fd)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if key, id, ok := strings.Cut(line, ":"); ok && strings.HasSuffix(key, "_id") {
			return fmt.Sprintf("%s %s", key, strings.TrimSpace(id))
		}
	}
	return ""
}

// vanishes removes the device under a load: Send must end by itself and say what
// is gone, for frames that no device took are not sent.
func vanishes(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{flows: 10})
	r.arm(epoch)
	load := generator.Load{PPS: 10_000, Duration: 500 * time.Millisecond, Epoch: epoch}
	timer := time.AfterFunc(150*time.Millisecond, func() { r.ends[0].Remove(t) })
	defer timer.Stop()
	begin := time.Now()
	counts, err := r.generator.Send(t.Context(), load)
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("Send took %v", took)
	}
	r.checkSum(load, counts)
	if err == nil || !strings.Contains(err.Error(), r.ends[0].Interface) {
		t.Errorf("the device is gone, and %d of %d frames count as sent; Send says %v, want an error that names %s",
			counts.Streams[0].Sent, counts.Streams[0].Intended, err, r.ends[0].Interface)
	}
}

func badConfigs(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{flows: 3})
	stream := r.config.Streams[0]
	fewer, gone := stream, stream
	fewer.Flows = stream.Flows[:2]
	gone.Ifindex = 1 << 20
	for _, tt := range []struct {
		name   string
		config generator.Config
		says   string
	}{
		{"no stream", generator.Config{Sizes: frame.Sizes{64}}, "1 or 2 streams"},
		{"three streams", generator.Config{Sizes: frame.Sizes{64}, Streams: []generator.Stream{stream, stream, stream}}, "1 or 2 streams"},
		{"streams of unlike size", generator.Config{Sizes: frame.Sizes{64}, Streams: []generator.Stream{stream, fewer}}, "flows"},
		{"a device that does not exist", generator.Config{Sizes: frame.Sizes{64}, Streams: []generator.Stream{gone}}, stream.Interface},
	} {
		g, err := newGenerator(tt.config)
		if err == nil {
			_ = g.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v does not say %q", tt.name, err, tt.says)
		}
	}
}
