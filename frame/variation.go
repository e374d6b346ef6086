package frame

import "math"

// Variation holds the differences between the latencies of frames that follow each
// other in a flow: the inter-packet delay variation (IPDV) of RFC 5481 section 4.1.
type Variation struct {
	// Falling counts the amounts by which a frame was faster than the one before it,
	// Rising those by which it was slower, or as fast.
	Falling, Rising Histogram
	// MinNS and MaxNS are the least and the greatest difference, exact; below 0 the
	// later frame was the faster one.
	MinNS, MaxNS int64
}

// Pairs is the number of differences.
func (v *Variation) Pairs() uint64 { return v.Falling.Total() + v.Rising.Total() }

// Add counts the differences of another stream too.
func (v *Variation) Add(o *Variation) {
	if o.Pairs() == 0 {
		return
	}
	if v.Pairs() == 0 {
		v.MinNS, v.MaxNS = o.MinNS, o.MaxNS
	}
	v.MinNS, v.MaxNS = min(v.MinNS, o.MinNS), max(v.MaxNS, o.MaxNS)
	v.Falling.Add(&o.Falling)
	v.Rising.Add(&o.Rising)
}

// QuantileNS is the q-quantile of the differences with their sign, at most 3.1 % of
// its amount off; 0 if there are none.
func (v *Variation) QuantileNS(q float64) int64 {
	pairs := v.Pairs()
	if pairs == 0 {
		return 0
	}
	rank := max(1, uint64(math.Ceil(q*float64(pairs))))
	for i := HistogramBuckets - 1; i >= 0; i-- { // the largest fall is the least difference
		n := v.Falling[i]
		if n >= rank {
			return min(max(-int64(BucketUpToNS(i)), v.MinNS), v.MaxNS)
		}
		rank -= n
	}
	for i, n := range v.Rising {
		if n >= rank {
			return max(min(int64(BucketUpToNS(i)), v.MaxNS), v.MinNS)
		}
		rank -= n
	}
	return v.MaxNS
}

// Absolute counts the differences without their sign.
func (v *Variation) Absolute() *Histogram {
	h := v.Falling
	h.Add(&v.Rising)
	return &h
}
