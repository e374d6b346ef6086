package stats

import (
	"math"
	"slices"
)

// Point is one setting of a curve.
type Point struct {
	// Estimate is the median over the repeats; Low and High are the ends of its interval.
	Estimate, Low, High float64
	// GainShare is by how much the best setting is better than this one: 0.1 for 10 %.
	GainShare float64
	// AsGood tells that the best setting is not better by more than the margin.
	AsGood bool
}

// Curve is what repeated measurements at several settings say.
type Curve struct {
	Points []Point
	// NoiseFloor is the share by which the best of as many equal settings would seem to
	// be better than another; Margin the greater of it and the least change that matters.
	NoiseFloor, Margin float64
	// Best has the highest estimate. Enough is the first setting, in their order, that is
	// as good as the best.
	Best, Enough int
	// Flat tells that every setting is as good as the best.
	Flat bool
}

// CurveOf judges values[setting][repeat], greater than 0. In each repeat every setting was
// measured once, in random order, so that what drifts from repeat to repeat is taken out.
// The scatter that is left is that of all settings together: three repeats of one
// setting alone would not tell it.
func CurveOf(values [][]float64, o Options) Curve {
	settings, repeats := len(values), len(values[0])
	estimates := make([]float64, settings)
	for i, list := range values {
		estimates[i] = Median(logs(list))
	}
	noise := residuals(values)
	r := random(o.Seed)
	medians := make([]float64, settings)
	alone, behind := make([]float64, resamples), make([]float64, resamples)
	drawn := make([]float64, repeats)
	for i := range alone {
		for s := range medians {
			for j := range drawn {
				drawn[j] = noise[r.IntN(len(noise))]
			}
			medians[s] = medianOf(drawn)
		}
		alone[i] = math.Abs(medians[0])
		behind[i] = slices.Max(medians) - medians[0]
	}
	slices.Sort(alone)
	slices.Sort(behind)
	half := quantile(alone, o.Confidence)
	c := Curve{NoiseFloor: math.Expm1(quantile(behind, o.Confidence)), Enough: -1, Flat: true}
	c.Margin = max(o.LeastChange, c.NoiseFloor)
	for i, e := range estimates {
		if e > estimates[c.Best] {
			c.Best = i
		}
	}
	for i, e := range estimates {
		p := Point{Estimate: math.Exp(e), Low: math.Exp(e - half), High: math.Exp(e + half), GainShare: math.Expm1(estimates[c.Best] - e)}
		p.AsGood = p.GainShare <= c.Margin
		if p.AsGood && c.Enough < 0 {
			c.Enough = i
		}
		c.Flat = c.Flat && p.AsGood
		c.Points = append(c.Points, p)
	}
	return c
}

// residuals are the logarithms without what their setting and their repeat account for,
// stretched for the freedom that taking that out has cost.
func residuals(values [][]float64) []float64 {
	settings, repeats := len(values), len(values[0])
	table := make([][]float64, settings)
	for i, list := range values {
		table[i] = logs(list)
		mean := meanOf(table[i])
		for j := range table[i] {
			table[i][j] -= mean
		}
	}
	var list []float64
	for j := range repeats {
		var sum float64
		for i := range settings {
			sum += table[i][j]
		}
		for i := range settings {
			list = append(list, table[i][j]-sum/float64(settings))
		}
	}
	if free := (settings - 1) * (repeats - 1); free > 0 {
		stretch := math.Sqrt(float64(settings*repeats) / float64(free))
		for i := range list {
			list[i] *= stretch
		}
	}
	return list
}

func meanOf(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
