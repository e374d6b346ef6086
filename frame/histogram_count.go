package frame

import "math/bits"

// BucketOf is the bucket that holds a time in nanoseconds; the last one holds all
// that are longer than the histogram reaches.
func BucketOf(ns uint64) int {
	if ns < histogramSub {
		return int(ns)
	}
	group := bits.Len64(ns) - histogramSubBits - 1
	bucket := (group+1)<<histogramSubBits + int(ns>>group) - histogramSub
	return min(bucket, HistogramBuckets-1)
}
