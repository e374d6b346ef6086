package afpacket

import (
	"net/netip"
	"testing"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
)

// TestRingKeepsWhatDidNotLeave takes some frames out, and expects the rest to wait.
func TestRingKeepsWhatDidNotLeave(t *testing.T) {
	f := frame.Flow{Source: netip.MustParseAddr("198.18.0.1"), Destination: netip.MustParseAddr("198.19.0.1"), SourcePort: 1024, DestinationPort: 1}
	r := newRing(generator.Stream{Flows: []frame.Flow{f}}, frame.Sizes{64, 128})
	for range batchFrames {
		r.Slot().Size = 60
	}
	if r.Slot() != nil {
		t.Errorf("a batch has room for more than %d frames", batchFrames)
	}
	r.slots[1].Size = 124
	if n := r.left(2); n != 184 {
		t.Errorf("two frames of 60 and 124 bytes left as %d bytes", n)
	}
	if fresh := r.Fresh(); len(fresh) != batchFrames-2 || &fresh[0] != &r.slots[2] || !r.Waiting() {
		t.Fatalf("%d frames wait, want %d", len(fresh), batchFrames-2)
	}
	r.left(batchFrames - 2)
	if r.Waiting() || r.filled != 0 {
		t.Errorf("an empty ring begins at %d and ends at %d", r.first, r.filled)
	}
}
