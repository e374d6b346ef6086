package search

import (
	"cmp"
	"math"
	"slices"
)

const (
	// retryVotes is the price, in duration sums, of a load that comes out otherwise than wanted.
	retryVotes = 1.6
	// errorVotes is the price, in duration sums, of a lower bound that lies a width away
	// from the critical load. It falls as the trial time grows: errorDecay for each
	// duration sum beyond errorSums.
	errorVotes = 1.3
	errorDecay = 0.6
	errorSums  = 2
	// hurdleVotes is what another pair has to be cheaper by, in duration sums, once the
	// bounds are narrow.
	hurdleVotes = 0.4
	// candidateSteps is the number of new loads considered per width, mostCandidates
	// the number of them in all.
	candidateSteps = 10
	mostCandidates = 80
	// unlikely is the share of the largest weight below which a device is passed over.
	unlikely = 0.01
)

// candidate is a load that may be made a bound.
type candidate struct {
	pps, x float64
	sums   sums
	class  class
	// low and high are the prices in seconds of making it a lower and an upper bound.
	low, high float64
	// miss is the price of it as the lower bound for its distance from the critical load.
	miss              float64
	lowOdds, highOdds float64
}

// pair is a lower and an upper bound that are or may be made out of two loads.
type pair struct {
	low, high candidate
	price     float64
}

// bestPair returns the two loads within a width that are the cheapest to make bounds
// of: in trial seconds, and in the distance of the lower one from the critical load.
func (v *view) bestPair(e estimate) (best pair, ok bool) {
	list := v.candidates(e)
	v.price(e, list)
	best.price = math.Inf(1)
	unraised := 0.0 // price of the upper bounds below a
	for i, a := range list {
		if i > 0 && list[i-1].class == upperBound {
			unraised += list[i-1].low
		}
		between := 0.0 // price of the lower bounds between a and b
		for j := i + 1; j < len(list); j++ {
			b := list[j]
			if !narrow(a.pps, b.pps, v.goal.Width) {
				break
			}
			if price := a.low + b.high + a.miss + unraised + between + v.hurdle(a, b); price < best.price {
				best, ok = pair{a, b, price}, true
			}
			if b.class == lowerBound {
				between += b.high
			}
		}
	}
	return best, ok
}

// hurdle is what making a pair costs besides, when there are narrow bounds already.
func (v *view) hurdle(a, b candidate) float64 {
	if !v.bounds.Done || a.class == lowerBound && b.class == upperBound {
		return 0
	}
	return hurdleVotes * v.goal.DurationSumS
}

// candidates are the loads tried, near to the estimate, and new ones, rising and priced.
func (v *view) candidates(e estimate) []candidate {
	w := v.goal.Width
	from, to := e.quantile(0.02)-w, e.quantile(0.98)+w
	for _, bound := range []float64{v.bounds.LowerPPS, v.bounds.UpperPPS} {
		if bound > 0 {
			from, to = math.Min(from, math.Log(bound)-w), math.Max(to, math.Log(bound)+w)
		}
	}
	var list []candidate
	add := func(pps float64) {
		pps = math.Min(math.Max(pps, v.config.MinLoadPPS), v.config.MaxLoadPPS)
		if !slices.ContainsFunc(list, func(c candidate) bool { return c.pps == pps }) {
			list = append(list, candidate{pps: pps, x: math.Log(pps)})
		}
	}
	for i, p := range v.points {
		if x := v.at(i); p.class == undecided && p.fullTrials == 0 || x < from || x > to {
			continue
		}
		add(p.loadPPS)
		list[len(list)-1].sums, list[len(list)-1].class = p.sums, p.class
	}
	for _, c := range slices.Clone(list) {
		add(above(c.pps, w))
		add(below(c.pps, w))
	}
	step := math.Max(w/candidateSteps, (to-from)/mostCandidates)
	for x := from; x <= to; x += step {
		add(v.load(x))
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(a.pps, b.pps) })
	return list
}

// price fills in what the candidates cost.
func (v *view) price(e estimate, list []candidate) {
	g := v.goal
	shift := g.balance()
	freshLow, freshHigh := g.courseOf(sums{}, lowerBound), g.courseOf(sums{}, upperBound)
	likely := e.likely()
	late := math.Max(0, seconds(v.trials)/g.DurationSumS-errorSums)
	missPrice := errorVotes * g.DurationSumS / g.Width / (1 + errorDecay*late)
	for i := range list {
		c := &list[i]
		low, high := &freshLow, &freshHigh
		if c.sums != (sums{}) {
			l, h := g.courseOf(c.sums, lowerBound), g.courseOf(c.sums, upperBound)
			low, high = &l, &h
		}
		var lowS, highS float64
		for _, q := range likely {
			p := fails(c.x-q.x+q.scatter*shift, q.scatter)
			odds, s := low.at(p)
			c.lowOdds += q.weight * odds
			lowS += q.weight * s
			odds, s = high.at(p)
			c.highOdds += q.weight * odds
			highS += q.weight * s
			c.miss += q.weight * math.Abs(c.x-q.x)
		}
		c.low = lowS + (1-c.lowOdds)*retryVotes*g.DurationSumS
		c.high = highS + (1-c.highOdds)*retryVotes*g.DurationSumS
		c.miss *= missPrice
	}
}

// likelihood is a device that an estimate holds likely.
type likelihood struct{ x, scatter, weight float64 }

// likely returns the devices of an estimate without the improbable ones.
func (e estimate) likely() (list []likelihood) {
	most := 0.0
	for _, k := range e.kinds {
		most = math.Max(most, slices.Max(k.weights))
	}
	sum := 0.0
	for _, k := range e.kinds {
		for i, weight := range k.weights {
			if weight > unlikely*most {
				list = append(list, likelihood{e.at(i), k.scatter, weight})
				sum += weight
			}
		}
	}
	for i := range list {
		list[i].weight /= sum
	}
	return list
}

// pursue asks for the next trial of the best pair; false if it is made of bounds already.
func (v *view) pursue(e estimate) (Load, bool) {
	best, ok := v.bestPair(e)
	if !ok {
		return Load{}, false
	}
	low, high := best.low, best.high
	for _, p := range v.points {
		if p.class == upperBound && p.loadPPS < low.pps || p.class == lowerBound && p.loadPPS > low.pps && p.loadPPS < high.pps {
			return v.full(p.loadPPS, "doubtful bound"), true
		}
	}
	switch {
	case low.class == lowerBound && high.class == upperBound:
		return Load{}, false
	case high.class == upperBound || low.class != lowerBound && low.lowOdds <= high.highOdds:
		return v.full(low.pps, "lower bound"), true
	}
	return v.full(high.pps, "upper bound"), true
}
