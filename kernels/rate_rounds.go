package kernels

import (
	"fmt"
	"slices"

	"github.com/linerate/linerate/stats"
)

// withTwin puts a twin behind the first contender: beside it, it shows the noise.
func withTwin(list []contender) []contender {
	if len(list) == 0 {
		return nil
	}
	twin := list[0]
	twin.twin = true
	return slices.Insert(list, 1, twin)
}

// lacksTwin tells that the kernel that was booted twice is gone while others are left to be
// compared: without it there is no noise floor, and so no verdict.
func (r *run) lacksTwin(list []contender) bool {
	return len(list) > 1 && !slices.ContainsFunc(list, func(c contender) bool { return c.twin })
}

// beginAnew gives the twin to the first kernel that is left. What was measured until now is
// dropped: a noise floor half of one kernel and half of another is that of neither.
func (r *run) beginAnew(list []contender) []contender {
	rates := r.record.KernelRates
	r.warn("rates-began-anew", fmt.Sprintf("the kernel that was booted twice in each round failed in round %d: the rounds began anew with %s in its place, and those before are not in the figures", rates.RoundsMeasured, list[0].name))
	rates.RoundsMeasured = 0
	for i, c := range r.record.Cells {
		if c.ForwardingRate != nil && c.ForwardingRate.Failure == "" {
			forgetRate(&r.record.Cells[i], "")
		}
	}
	for _, k := range r.record.Kernels {
		if k.Error != "" {
			skipUnmeasured(r.record.Cells, k)
		}
	}
	r.judgeRates()
	return withTwin(list)
}

// foresee tells before the first round that the rounds are too few for a change to be seen
// in as many rows as there will be.
func (r *run) foresee(list []contender) {
	p := r.options.Plan
	if text := tooFewRounds(ratePairs(list), p.VM.Rounds, float64(p.AB.Alpha)); text != "" {
		r.warn("too-few-rounds", text)
	}
}

// tooFewRounds is why so many rounds cannot show a change in so many rows; empty if they can.
func tooFewRounds(rows, rounds int, alpha float64) string {
	least := float64(rows) * stats.LeastSignFlip(rounds)
	if least < alpha {
		return ""
	}
	remedy := "compare fewer kernels, scenarios or flows"
	if need := stats.FewestPairs(rows, alpha); need > 0 {
		remedy = fmt.Sprintf("set vm.rounds=%d, or %s", need, remedy)
	}
	return fmt.Sprintf("%d rounds (vm.rounds) cannot show a change of a rate, however large it is: with %d rows, each a pair of kernels in one cell, the smallest p is %.2g, and a change needs one below %g (ab.alpha): %s",
		rounds, rows, min(1, least), alpha, remedy)
}

// ratePairs is how many pairs of kernels in one cell the contenders give.
func ratePairs(list []contender) (rows int) {
	for i, b := range list {
		for _, a := range list[:i] {
			if a.twin || b.twin {
				continue
			}
			for _, cell := range b.request.cells {
				if slices.Contains(a.request.cells, cell) {
					rows++
				}
			}
		}
	}
	return rows
}

// doubtRates says why pairs have no verdict although all rounds were measured.
func (r *run) doubtRates() {
	unjudged := 0
	for _, p := range r.record.KernelRates.Pairs {
		if p.Verdict == "" {
			unjudged++
		}
	}
	if unjudged > 0 {
		r.warn("rates-without-verdict", fmt.Sprintf("%d of %d pairs have no verdict: a rate of one of the two, or of the kernel that is booted twice, is missing in some round, because it failed or nothing arrived", unjudged, len(r.record.KernelRates.Pairs)))
	}
}
