package trial

import (
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/result"
)

// fillVariation sets how the latency varied between frames of a flow.
func (b *Bed) fillVariation(t *result.Trial) error {
	var sum frame.Variation
	for _, d := range b.Directions {
		v, err := d.Sink.Variation()
		if err != nil {
			return err
		}
		sum.Add(v)
	}
	t.Variation = variationOf(&sum)
	return nil
}

// variationOf is nil if no two frames followed each other.
func variationOf(v *frame.Variation) *result.Variation {
	pairs := v.Pairs()
	if pairs == 0 {
		return nil
	}
	amounts, most := v.Absolute(), uint64(max(v.MaxNS, -v.MinNS))
	return &result.Variation{
		Pairs: pairs, MinNS: v.MinNS, MedianNS: v.QuantileNS(0.5), MaxNS: v.MaxNS,
		AmountP50NS: min(amounts.QuantileNS(0.5), most), AmountP99NS: min(amounts.QuantileNS(0.99), most), Amounts: bucketsOf(amounts),
	}
}

// bucketsOf are the buckets that counted something.
func bucketsOf(h *frame.Histogram) []result.Bucket {
	list := []result.Bucket{}
	for i, n := range h {
		if n > 0 {
			list = append(list, result.Bucket{UpToNS: frame.BucketUpToNS(i), Frames: n})
		}
	}
	return list
}
