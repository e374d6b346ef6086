package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// pairPlan is one pair that is to be measured: of A and B, or of A with itself.
type pairPlan struct {
	cell       int
	aa, bFirst bool
}

// pairsOf are the pairs of all cells in a random order. In each a coin says which half
// comes first: a drift is then as often for B as against it.
func pairsOf(cells, pairs, aaPairs int, r *rand.Rand) []pairPlan {
	var list []pairPlan
	for c := range cells {
		for i := range pairs + aaPairs {
			list = append(list, pairPlan{cell: c, aa: i >= pairs, bFirst: r.Uint64()&1 == 1})
		}
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// compare measures all pairs and judges them. What was measured before an error is kept.
func (v *varied) compare(ctx context.Context) error {
	ab := v.options.Plan.AB
	a, b := v.variants[0], v.variants[1]
	record := &result.Comparison{
		A: slices.Concat([]string{}, ab.A), B: slices.Concat([]string{}, ab.B), Figure: v.options.Plan.Figure(), PairsPlanned: ab.Pairs,
		AlphaRatio: float64(ab.Alpha), LeastChangeRatio: float64(ab.LeastChange), Cells: []result.ComparedCell{},
	}
	v.record.Comparison = record
	skipped, err := v.first(ctx)
	if err != nil {
		return err
	}
	cells := make([]*result.ComparedCell, len(a.Cells))
	for i := range a.Cells {
		cells[i] = &result.ComparedCell{CellA: a.Cells[i].ID(), CellB: b.Cells[i].ID(), LoadPPS: v.load(i), Pairs: []result.Pair{}, AAPairs: []result.AAPair{}}
	}
	keep := func() {
		record.Cells = record.Cells[:0]
		for i, c := range cells {
			if !skipped[i] {
				record.Cells = append(record.Cells, *c)
			}
		}
		v.judge(record)
	}
	for _, pair := range pairsOf(len(cells), ab.Pairs, ab.AAPairs, v.random) {
		if skipped[pair.cell] {
			continue
		}
		if err := v.pair(ctx, pair, cells[pair.cell]); err != nil {
			return err
		}
		keep()
		if err := v.save(); err != nil {
			return err
		}
	}
	return nil
}

// pair measures two halves, one right after the other.
func (v *varied) pair(ctx context.Context, p pairPlan, cell *result.ComparedCell) error {
	order := []int{0, 1}
	switch {
	case p.aa:
		order = []int{0, 0}
	case p.bFirst:
		order = []int{1, 0}
	}
	var halves [2]figure
	disturbed := ""
	for i, side := range order {
		var err error
		if halves[i], err = v.take(ctx, v.variants[side], v.variants[side].Cells[p.cell], cell.LoadPPS); err != nil {
			return fmt.Errorf("measure a pair: %w", err)
		}
		if halves[i].disturbed != "" {
			disturbed = halves[i].disturbed
		}
	}
	switch {
	case p.aa:
		cell.AAPairs = append(cell.AAPairs, result.AAPair{FirstPPS: halves[0].pps, SecondPPS: halves[1].pps, Disturbed: disturbed})
	case p.bFirst:
		cell.Pairs = append(cell.Pairs, result.Pair{BFirst: true, APPS: halves[1].pps, BPPS: halves[0].pps, Disturbed: disturbed})
	default:
		cell.Pairs = append(cell.Pairs, result.Pair{APPS: halves[0].pps, BPPS: halves[1].pps, Disturbed: disturbed})
	}
	return nil
}

// judge writes estimates, and verdicts where all pairs are there: none is given
// earlier, because a comparison that may stop when it likes what it sees proves nothing.
func (v *varied) judge(record *result.Comparison) {
	var judged []stats.Comparison
	var p []float64
	for _, c := range record.Cells {
		var ratios, aa []float64
		for _, pair := range c.Pairs {
			ratios = append(ratios, math.Log(pair.Ratio()))
		}
		for _, pair := range c.AAPairs {
			aa = append(aa, math.Log(pair.SecondPPS/pair.FirstPPS))
		}
		if len(ratios) == 0 {
			return
		}
		judged = append(judged, stats.Pairs(ratios, aa, v.judging()))
		p = append(p, judged[len(judged)-1].P)
	}
	for i, adjusted := range stats.Holm(p) {
		c, j := &record.Cells[i], judged[i].At(adjusted)
		c.EstimateRatio, c.IntervalLowRatio, c.IntervalHighRatio, c.PValue = j.EstimateRatio, j.LowRatio, j.HighRatio, j.P
		c.NoiseFloorRatio, c.MarginRatio = j.NoiseFloor, j.Margin
		if len(c.Pairs) == record.PairsPlanned && len(c.AAPairs) == v.options.Plan.AB.AAPairs {
			c.Verdict, c.PairsNeeded = string(j.Verdict), j.Needed
		}
	}
}
