package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// observer is what the best conceivable instrument makes of a device whose capacity
// wanders: one that sees the capacity of each second exactly, and takes the mean.
type observer struct {
	Seconds int `json:"trial_seconds"`
	// Median and Worst are the error's size in percent in the median of all, and the
	// largest of 50: that is the median over batches of 50, Low and High are the 5th and 95th percentile.
	Median float64 `json:"median_error_percent"`
	Worst  float64 `json:"worst_error_percent"`
	Low    float64 `json:"worst_error_p05_percent"`
	High   float64 `json:"worst_error_p95_percent"`
	// Within is the share of the batches with no error above what is published as the largest for S=21 s.
	Within float64 `json:"within_published_ratio"`
}

// observe watches a device for so many seconds, in batches of 50 observations.
func observe(d simDUT, seconds, batches int, r *rand.Rand) observer {
	o := observer{Seconds: seconds}
	var all, worst []float64
	for range batches {
		most := 0.0
		for range 50 {
			sum := 0.0
			for range seconds {
				// What is forwarded far above the capacity is the capacity of this second.
				t := d.trial(r, Load{PPS: 2 * d.CapacityPPS, DurationS: 1})
				sum += t.ForwardedPPS()
			}
			e := 100 * math.Abs(sum/float64(seconds)/d.CapacityPPS-1)
			all, most = append(all, e), math.Max(most, e)
		}
		worst = append(worst, most)
		if most <= d.published.worst21 {
			o.Within += 1 / float64(batches)
		}
	}
	slices.Sort(all)
	slices.Sort(worst)
	at := func(list []float64, q float64) float64 { return list[int(q*float64(len(list)))] }
	o.Median, o.Worst, o.Low, o.High = at(all, 0.5), at(worst, 0.5), at(worst, 0.05), at(worst, 0.95)
	return o
}

// TestPerfectObserver says how well the throughput of preset jitter can be known at all: in
// the trial seconds that the search takes, and in those published for S=21 s. No search can do
// better than this, because a trial tells it less.
func TestPerfectObserver(t *testing.T) {
	i := slices.IndexFunc(simDUTs(), func(d simDUT) bool { return d.Jitter > 0.005 })
	d := simDUTs()[i]
	ours := searchSeeds(t, d, 50, func() Search { return newDefault(t) })
	batches := 1000
	if testing.Short() {
		batches = 200
	}
	for _, seconds := range []int{int(math.Round(ours.seconds.median())), int(d.published.seconds21)} {
		o := observe(d, seconds, batches, rand.New(rand.NewPCG(uint64(seconds), 50)))
		t.Logf("%d s: median error %.3f %%, largest of 50 %.2f %% (%.2f to %.2f); none above %.2f %% in %.0f %% of the batches",
			seconds, o.Median, o.Worst, o.Low, o.High, d.published.worst21, 100*o.Within)
		writeRow(t, map[string]observer{"observer": o})
		// Half of all normally distributed errors are below 0.6745 standard deviations.
		if want := 0.6745 * 100 * d.Jitter / math.Sqrt(float64(seconds)); math.Abs(o.Median/want-1) > 0.03 {
			t.Errorf("%d s: the median error is %.4f %%, of a mean of so many it has to be %.4f %%", seconds, o.Median, want)
		}
	}
}
