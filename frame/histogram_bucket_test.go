package frame

import "testing"

// A time belongs to the first bucket whose upper edge is not below it.
func TestBucketOf(t *testing.T) {
	for bucket := range HistogramBuckets {
		upTo := BucketUpToNS(bucket)
		if got := BucketOf(upTo); got != bucket {
			t.Errorf("%d ns is in bucket %d, want %d", upTo, got, bucket)
		}
		if bucket+1 < HistogramBuckets {
			if got := BucketOf(upTo + 1); got != bucket+1 {
				t.Errorf("%d ns is in bucket %d, want %d", upTo+1, got, bucket+1)
			}
		}
	}
	if got := BucketOf(1 << 40); got != HistogramBuckets-1 {
		t.Errorf("18 minutes are in bucket %d, want the last", got)
	}
}
