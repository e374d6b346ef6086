package frame

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// bucketByHeader is histogram_bucket of testframe.h, step by step.
func bucketByHeader(value uint32) int {
	if value < histogramSub {
		return int(value)
	}
	v, msb := value, 0
	for _, half := range []struct {
		mask uint32
		bits int
	}{{0xffff0000, 16}, {0xff00, 8}, {0xf0, 4}, {0xc, 2}, {0x2, 1}} {
		if v&half.mask != 0 {
			msb += half.bits
			v >>= half.bits
		}
	}
	return (msb-histogramSubBits+1)<<histogramSubBits + int(value>>(msb-histogramSubBits)&(histogramSub-1))
}

func TestBucketEdges(t *testing.T) {
	below := -1
	for i := range HistogramBuckets {
		edge := BucketUpToNS(i)
		if int(edge) <= below {
			t.Fatalf("bucket %d ends at %d, not above the %d of the one before", i, edge, below)
		}
		if got := bucketByHeader(uint32(edge)); got != i {
			t.Fatalf("bucket %d ends at %d, but that value falls into bucket %d", i, edge, got)
		}
		if got := bucketByHeader(uint32(below + 1)); got != i {
			t.Fatalf("value %d follows bucket %d, but falls into bucket %d", below+1, i-1, got)
		}
		if width := int(edge) - below; edge >= histogramSub && float64(width-1)/float64(below+1) > 1.0/histogramSub {
			t.Fatalf("bucket %d from %d to %d is wider than 3.1 %%", i, below+1, edge)
		}
		below = int(edge)
	}
	if below != 1<<32-1 {
		t.Errorf("the last bucket ends at %d, want 2^32-1", below)
	}
}

func TestBucketHoldsValue(t *testing.T) {
	if BucketOf(1<<40) != HistogramBuckets-1 {
		t.Error("a time of 2^40 ns is not in the last bucket")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		v := r.Uint32() >> r.IntN(32)
		i := BucketOf(uint64(v))
		if i != bucketByHeader(v) {
			t.Fatalf("value %d falls into bucket %d in Go and %d in BPF", v, i, bucketByHeader(v))
		}
		if up := BucketUpToNS(i); uint64(v) > up || i > 0 && uint64(v) <= BucketUpToNS(i-1) {
			t.Fatalf("value %d falls into bucket %d, which ends at %d", v, i, up)
		}
	}
}

// TestQuantile compares with the quantile of the sorted values themselves.
func TestQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 10, 999, 1000} {
		var h Histogram
		values := make([]uint32, n)
		for i := range values {
			values[i] = r.Uint32() >> (8 + r.IntN(16))
			h[BucketOf(uint64(values[i]))]++
		}
		slices.Sort(values)
		if h.Total() != uint64(n) {
			t.Errorf("total %d, want %d", h.Total(), n)
		}
		for _, q := range []float64{0, 0.25, 0.5, 0.99, 0.999, 1} {
			rank := int(q * float64(n))
			if float64(rank) == q*float64(n) && rank > 0 {
				rank--
			}
			want := BucketUpToNS(BucketOf(uint64(values[rank])))
			if got := h.QuantileNS(q); got != want {
				t.Errorf("%d values: quantile %v is %d, want %d, the edge above %d", n, q, got, want, values[rank])
			}
		}
	}
}

func TestQuantileOfNothing(t *testing.T) {
	if got := new(Histogram).QuantileNS(0.5); got != 0 {
		t.Errorf("median of no values is %d, want 0", got)
	}
}

func TestHistogramAdd(t *testing.T) {
	var a, b Histogram
	a[3], b[3], b[HistogramBuckets-1] = 2, 5, 1
	a.Add(&b)
	if a[3] != 7 || a.Total() != 8 || a.QuantileNS(1) != 1<<32-1 {
		t.Errorf("sum has %d in bucket 3, %d in all, maximum %d", a[3], a.Total(), a.QuantileNS(1))
	}
}
