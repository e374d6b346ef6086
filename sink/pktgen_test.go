package sink_test

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/sink"
)

// pktgenFrame is a frame as the kernel's generator marks it (struct pktgen_hdr).
func (w *wire) pktgenFrame(sequence uint32, sent time.Time) []byte {
	b := w.build(0, sizeOf(w.flows[0].IPVersion()), frame.Payload{})
	payload := b[len(b)-frame.PayloadBytes:]
	binary.BigEndian.PutUint32(payload, 0xbe9be955)
	binary.BigEndian.PutUint32(payload[4:], sequence)
	binary.BigEndian.PutUint32(payload[8:], uint32(sent.Unix()))
	binary.BigEndian.PutUint32(payload[12:], uint32(sent.Nanosecond()/1000))
	return b
}

func openPktgenWire(t *testing.T, ipVersion int, mode sink.Pktgen) *wire {
	t.Helper()
	w := &wire{t: t}
	w.from, w.to = contract.Link(t, 1500)
	w.flows = contract.Flows(t, ipVersion, flows, 1)
	var err error
	w.sink, err = sink.Open(sink.Config{
		Port: "b", Netns: w.to.Netns, Interface: w.to.Interface, Ifindex: w.to.Ifindex, Flows: flows, IPVersion: ipVersion, Pktgen: mode,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { err = errors.Join(err, w.sink.Close()) })
	w.arm(epoch)
	return w
}

// TestPktgenFrames expects frames of the kernel's generator to be counted as the
// configuration says: foreign, without a look at their sequence, or with it.
func TestPktgenFrames(t *testing.T) {
	for _, version := range []int{4, 6} {
		for _, tt := range []struct {
			mode sink.Pktgen
			want sink.Counts
		}{
			{sink.PktgenForeign, sink.Counts{Received: 1, Foreign: 7}},
			{sink.PktgenFrames, sink.Counts{Received: 7, Late: 1}},
			{sink.PktgenOrder, sink.Counts{Received: 6, Late: 1, Duplicated: 1, Reordered: 1, GapFrames: 1}},
		} {
			w := openPktgenWire(t, version, tt.mode)
			now := time.Now()
			got := w.inject(
				w.pktgenFrame(1, now), w.pktgenFrame(2, now), w.pktgenFrame(2, now), // a duplicate
				w.pktgenFrame(4, now), w.pktgenFrame(3, now), // overtaken
				w.pktgenFrame(6, now), // 5 is missing
				w.pktgenFrame(9, now.Add(-time.Minute)),
				w.test(0, 0),
			)
			if tt.mode == sink.PktgenOrder {
				// The sequence of linerate's own frame is that of flow 0 too, and falls behind.
				tt.want.Duplicated++
				tt.want.Received--
			}
			if got.Received != tt.want.Received || got.Foreign != tt.want.Foreign || got.Late != tt.want.Late || got.Duplicated != tt.want.Duplicated || got.Reordered != tt.want.Reordered {
				t.Errorf("IPv%d, mode %d: %+v, want %+v", version, tt.mode, got, tt.want)
			}
			if tt.mode == sink.PktgenOrder && got.GapFrames != tt.want.GapFrames {
				t.Errorf("IPv%d: %d frames are missing, want %d", version, got.GapFrames, tt.want.GapFrames)
			}
			if tt.mode != sink.PktgenForeign && (got.LatencyMaxNS == 0 || got.LatencyMaxNS > 2e9) {
				t.Errorf("IPv%d, mode %d: the highest latency is %d ns", version, tt.mode, got.LatencyMaxNS)
			}
		}
	}
}
