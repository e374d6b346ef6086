package contract

import (
	"context"
	"testing"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
)

// epoch is what the frames of most tests carry.
const epoch = 7

// Run puts generators that newGenerator makes through the whole suite. It needs root.
func Run(t *testing.T, newGenerator New) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, New)
	}{
		{"exact at 10 kpps", func(t *testing.T, n New) { exact(t, n, setup{flows: 16}, 10_000) }},
		{"exact at 100 kpps", func(t *testing.T, n New) { exact(t, n, setup{flows: 1000}, 100_000) }},
		{"one flow", func(t *testing.T, n New) { exact(t, n, setup{flows: 1}, 10_000) }},
		{"IPv6", func(t *testing.T, n New) { exact(t, n, setup{flows: 100, ipVersion: 6}, 20_000) }},
		{"1518 bytes", func(t *testing.T, n New) { exact(t, n, setup{flows: 10, sizes: frame.Sizes{1518}}, 20_000) }},
		{"two streams", func(t *testing.T, n New) { exact(t, n, setup{flows: 100, streams: 2}, 20_000) }},
		{"two CPUs", func(t *testing.T, n New) { exact(t, n, setup{flows: 101, cpus: twoCPUs(t)}, 20_000) }},
		{"IMIX", imix},
		{"a second load begins anew", again},
		{"frames of another epoch are late", otherEpoch},
		{"limit of frames", frameLimit},
		{"unbounded load", unbounded},
		{"step", step},
		{"bad steps", badSteps},
		{"cancelled", cancelled},
		{"cancelled before the start", cancelledBefore},
		{"progress", progress},
		{"gaps", gaps},
		{"the flows announced", announcedFlows},
		{"a million flows", millionFlows},
		{"close leaves nothing", closeLeavesNothing},
		{"a device that vanishes", vanishes},
		{"bad configurations", badConfigs},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newGenerator) })
	}
}

// exact offers a load that the machine can carry, and accounts for every frame.
func exact(t *testing.T, newGenerator New, s setup, pps float64) {
	r := newRig(t, newGenerator, s)
	load := generator.Load{PPS: pps, Duration: 300 * time.Millisecond, Epoch: epoch}
	counts, received := r.send(t.Context(), load)
	r.checkSum(load, counts)
	r.checkDelivered(counts, received)
	for i := range counts.Streams {
		r.checkShares(i, epoch, max(1, len(s.cpus)))
	}
	if want := max(1, len(s.cpus)); counts.Threads != want {
		t.Errorf("%d threads sent on %d CPUs", counts.Threads, want)
	}
	if s := counts.Streams[0]; s.Sent < s.Intended/4 {
		t.Errorf("sent %d of %d frames: the engine cannot pace so slow a load", s.Sent, s.Intended)
	}
	if longest := load.Duration + 20*time.Millisecond; counts.Duration <= 0 || counts.Duration > longest {
		t.Errorf("the load lasted %v, want at most %v", counts.Duration, longest)
	}
}

// imix expects the bytes of whole rounds of the pattern.
func imix(t *testing.T, newGenerator New) {
	for _, version := range []int{4, 6} {
		sizes := frame.SimpleIMIX(version)
		r := newRig(t, newGenerator, setup{flows: 5, ipVersion: version, sizes: sizes})
		rounds := 100
		load := generator.Load{PPS: 20_000, Duration: 300 * time.Millisecond, Frames: uint64(rounds * len(sizes)), Epoch: epoch}
		counts, received := r.send(t.Context(), load)
		r.checkSum(load, counts)
		r.checkDelivered(counts, received)
		var want uint64
		for i := range int(counts.Streams[0].Sent) {
			want += uint64(sizes[i%len(sizes)] - frame.FCSBytes)
		}
		if got := counts.Streams[0].SentBytes; got != want {
			t.Errorf("IPv%d: %d frames of the mix with %d bytes, want %d", version, counts.Streams[0].Sent, got, want)
		}
	}
}

// again expects counts, sequences and limits to begin anew with each load.
func again(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{flows: 3})
	for i := range uint16(3) {
		load := generator.Load{PPS: 10_000, Duration: 60 * time.Millisecond, Epoch: epoch + i}
		counts, received := r.send(t.Context(), load)
		r.checkSum(load, counts)
		r.checkDelivered(counts, received)
	}
}

func otherEpoch(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{flows: 4})
	r.arm(epoch)
	counts, err := r.generator.Send(t.Context(), generator.Load{PPS: 10_000, Duration: 50 * time.Millisecond, Epoch: epoch + 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.drain()[0]; got.Received != 0 || got.Late != counts.Streams[0].Sent || got.Late == 0 {
		t.Errorf("%d frames of another epoch sent: %d received and %d late", counts.Streams[0].Sent, got.Received, got.Late)
	}
}

func frameLimit(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{flows: 7})
	for _, load := range []generator.Load{
		{PPS: 20_000, Duration: 5 * time.Second, Frames: 1000, Epoch: epoch},
		{Duration: 5 * time.Second, Frames: 100, Epoch: epoch + 1}, // as fast as it goes, within a ring
	} {
		begin := time.Now()
		counts, received := r.send(t.Context(), load)
		r.checkSum(load, counts)
		r.checkDelivered(counts, received)
		if counts.Streams[0].Intended != load.Frames || load.PPS == 0 && counts.Streams[0].Sent != load.Frames {
			t.Errorf("limit of %d frames: %+v", load.Frames, counts.Streams[0])
		}
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("%d frames took %v: the limit did not end the load", load.Frames, took)
		}
	}
}

// unbounded sends more than arrives: nothing is intended, so nothing is unsent.
func unbounded(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{flows: 100})
	counts, received := r.send(t.Context(), generator.Load{Duration: 150 * time.Millisecond, Epoch: epoch})
	s, got := counts.Streams[0], received[0]
	if s.Intended != 0 || s.Unsent != 0 {
		t.Errorf("unbounded load: intended %d, unsent %d; want neither", s.Intended, s.Unsent)
	}
	if s.Sent < 1000 {
		t.Errorf("unbounded load: %d frames in 150 ms", s.Sent)
	}
	if got.Received == 0 || got.Received > s.Sent || got.Duplicated+got.Reordered+got.WrongSize+got.WrongTuple != 0 {
		t.Errorf("sent %d frames, received %+v", s.Sent, got)
	}
	if counts.Duration <= 0 || counts.Duration > 200*time.Millisecond {
		t.Errorf("a load of 150 ms lasted %v", counts.Duration)
	}
}

func cancelled(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{flows: 10})
	ctx, cancel := context.WithCancel(t.Context())
	load := generator.Load{PPS: 20_000, Duration: 30 * time.Second, Epoch: epoch}
	var asked time.Time
	timer := time.AfterFunc(200*time.Millisecond, func() { asked = time.Now(); cancel() })
	defer timer.Stop()
	counts, received := r.send(ctx, load)
	// 20 ms are promised; a busy machine gets ten times as long. Draining is in it too.
	if took := time.Since(asked); took > 250*time.Millisecond {
		t.Errorf("Send went on for %v after it was cancelled", took)
	}
	r.checkSum(load, counts)
	r.checkDelivered(counts, received)
	if sent := counts.Streams[0].Sent; sent > load.Intended()/2 {
		t.Errorf("sent %d frames, of %d, in the first 200 ms of 30 s", sent, load.Intended())
	}
}

func cancelledBefore(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	load := generator.Load{PPS: 10_000, Duration: 10 * time.Second, Epoch: epoch}
	begin := time.Now()
	counts, received := r.send(ctx, load)
	if took := time.Since(begin); took > time.Second {
		t.Errorf("Send took %v of a context that had ended", took)
	}
	r.checkSum(load, counts)
	if received[0].Received != counts.Streams[0].Sent {
		t.Errorf("sent %d, received %d", counts.Streams[0].Sent, received[0].Received)
	}
}

// progress expects counts to grow while Send runs, never to shrink, and to end at those that Send returns.
func progress(t *testing.T, newGenerator New) {
	r := newRig(t, newGenerator, setup{flows: 10})
	r.arm(epoch)
	done := make(chan struct{})
	var counts generator.Counts
	var err error
	go func() {
		defer close(done)
		counts, err = r.generator.Send(t.Context(), generator.Load{PPS: 10_000, Duration: 250 * time.Millisecond, Epoch: epoch})
	}()
	seen := map[uint64]bool{}
	var last uint64
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-time.After(10 * time.Millisecond):
		}
		now := r.generator.Progress()[0]
		if now.Sent < last {
			t.Errorf("progress fell from %d to %d", last, now.Sent)
		}
		last = now.Sent
		seen[last] = true
	}
	if err != nil {
		t.Fatal(err)
	}
	if last != counts.Streams[0].Sent || len(seen) < 3 {
		t.Errorf("progress showed %d values up to %d; Send returned %d", len(seen), last, counts.Streams[0].Sent)
	}
}
