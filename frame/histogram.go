package frame

import "math/bits"

// Buckets of the log-linear histogram of testframe.h: 32 linear buckets per
// power of two, so that an edge is at most 3.1 % above a value it holds.
const (
	histogramSubBits = 5
	histogramSub     = 1 << histogramSubBits
	HistogramBuckets = (32 - histogramSubBits + 1) * histogramSub
)

// Histogram counts times in nanoseconds below 2^32 by bucket.
type Histogram [HistogramBuckets]uint64

// BucketOf is the bucket that holds a time; those of 2^32 ns and more are in the last.
func BucketOf(ns uint64) int {
	v := uint32(min(ns, 1<<32-1))
	if v < histogramSub {
		return int(v)
	}
	group := bits.Len32(v) - histogramSubBits
	return group<<histogramSubBits + int(v>>(group-1)&(histogramSub-1))
}

// BucketUpToNS is the largest value that the bucket holds.
func BucketUpToNS(bucket int) uint64 {
	if bucket < histogramSub {
		return uint64(bucket)
	}
	group := bucket>>histogramSubBits - 1
	sub := uint64(bucket & (histogramSub - 1))
	return (histogramSub+sub+1)<<group - 1
}

// Total is the number of values counted.
func (h *Histogram) Total() uint64 {
	var n uint64
	for _, c := range h {
		n += c
	}
	return n
}

// QuantileNS is the upper edge of the bucket that holds the q-quantile, 0 if
// nothing was counted. With a rank that is not whole the higher value is taken.
func (h *Histogram) QuantileNS(q float64) uint64 {
	total := h.Total()
	if total == 0 {
		return 0
	}
	rank := uint64(q * float64(total))
	if float64(rank) < q*float64(total) || rank == 0 {
		rank++
	}
	var seen uint64
	for i, c := range h {
		seen += c
		if seen >= rank {
			return BucketUpToNS(i)
		}
	}
	return BucketUpToNS(HistogramBuckets - 1)
}

// Add counts the values of another histogram too.
func (h *Histogram) Add(o *Histogram) {
	for i, c := range o {
		h[i] += c
	}
}
