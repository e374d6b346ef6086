package generator

// Share is the part of the flows that one of several threads sends: those whose
// number leaves Index when divided by Of, the number of threads.
type Share struct{ Index, Of int }

// Flows is how many of n flows fall to the share.
func (s Share) Flows(n int) int { return (n - s.Index + s.Of - 1) / s.Of }

// Number is the number in its stream of the share's i-th flow.
func (s Share) Number(i int) int { return i*s.Of + s.Index }

// Frames is how many of n frames, dealt out over all flows in turn, fall to the share.
func (s Share) Frames(n uint64, flows int) uint64 {
	whole := n / uint64(flows) * uint64(s.Flows(flows))
	if rest := int(n % uint64(flows)); rest > s.Index {
		whole += uint64((rest - s.Index + s.Of - 1) / s.Of)
	}
	return whole
}
