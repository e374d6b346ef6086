package sink_test

import (
	"math/rand/v2"
	"testing"
)

// TestOrderOfPermutedSequences compares with the counts that the definition of RFC 4737
// section 3.3 gives for the same arrivals.
func TestOrderOfPermutedSequences(t *testing.T) {
	p := openDated(t, 3)
	r := rand.New(rand.NewPCG(7, 7))
	for _, block := range []int{1, 2, 10, 50} {
		var frames []dated
		var reordered, duplicated uint64
		for flow := range uint32(3) {
			next := 0
			for first := 0; first < 400; first += block {
				for _, i := range r.Perm(block) {
					sequence := first + i
					if sequence >= next {
						next = sequence + 1
					} else {
						reordered++
					}
					frames = append(frames, dated{flow: flow, sequence: uint32(sequence)})
					if r.IntN(20) == 0 { // again at once, so within the 64 that the sink remembers
						frames = append(frames, dated{flow: flow, sequence: uint32(sequence)})
						duplicated++
					}
				}
			}
		}
		c := p.send(frames)
		if c.Received != uint64(len(frames))-duplicated || c.Reordered != reordered || c.Duplicated != duplicated {
			t.Errorf("blocks of %d: received %d, reordered %d, duplicated %d; planted %d, %d, %d", block,
				c.Received, c.Reordered, c.Duplicated, uint64(len(frames))-duplicated, reordered, duplicated)
		}
		if block > 1 && (reordered == 0 || duplicated == 0) {
			t.Error("nothing was planted")
		}
	}
}
