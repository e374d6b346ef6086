package generator

import "testing"

// TestShares deals frames and flows out among threads: none is lost or dealt twice.
func TestShares(t *testing.T) {
	for _, flows := range []int{1, 2, 7, 100} {
		for of := 1; of <= min(flows, 5); of++ {
			seen := map[int]bool{}
			for index := range of {
				s := Share{index, of}
				for i := range s.Flows(flows) {
					if n := s.Number(i); n >= flows || seen[n] {
						t.Fatalf("%d flows on %d threads: flow %d is outside or dealt twice", flows, of, n)
					}
					seen[s.Number(i)] = true
				}
			}
			if len(seen) != flows {
				t.Errorf("%d flows on %d threads: %d were dealt out", flows, of, len(seen))
			}
			for _, n := range []uint64{0, 1, 6, 99, 100, 12345} {
				var sum uint64
				for index := range of {
					s := Share{index, of}
					dealt := uint64(0)
					for i := range n {
						if int(i%uint64(flows))%of == index {
							dealt++
						}
					}
					if got := s.Frames(n, flows); got != dealt {
						t.Errorf("thread %d of %d gets %d of %d frames of %d flows, want %d", index, of, got, n, flows, dealt)
					}
					sum += s.Frames(n, flows)
				}
				if sum != n {
					t.Errorf("%d frames of %d flows on %d threads add up to %d", n, flows, of, sum)
				}
			}
		}
	}
}
