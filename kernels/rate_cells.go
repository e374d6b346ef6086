package kernels

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// addTrial takes a measurement into a cell. What the twin of the first kernel measured is
// kept for the noise floor, and is not in the figures.
func addTrial(c *result.Cell, t result.KernelTrial) {
	if c.ForwardingRate == nil {
		c.ForwardingRate = &result.ForwardingRate{Trials: []result.KernelTrial{}}
	}
	f := c.ForwardingRate
	f.Trials = append(f.Trials, t)
	var pps, idle []float64
	for _, t := range f.Trials {
		if !t.Twin {
			pps, idle = append(pps, t.PPS()), append(idle, t.IdleRatio())
		}
	}
	if len(pps) == 0 {
		return
	}
	f.MedianPPS, f.MinPPS, f.MaxPPS, f.GeneratorIdleRatio = median(pps), slices.Min(pps), slices.Max(pps), median(idle)
}

// forgetRate takes all that was measured of a cell's rate out of it. The failure, if it is one, stays as the reason.
func forgetRate(c *result.Cell, failure string) {
	c.ForwardingRate, c.Verdict = nil, ""
	for _, begin := range []string{ratesNote, boundNote} {
		c.Evidence = slices.DeleteFunc(c.Evidence, func(old string) bool { return strings.HasPrefix(old, begin) })
	}
	if failure == "" {
		return
	}
	c.ForwardingRate = &result.ForwardingRate{Trials: []result.KernelTrial{}, Failure: failure}
	if c.InstructionsPerPacket == nil {
		c.Skipped = failure
	}
}

// ratesNote begins the evidence of a rate.
const ratesNote = "rates: "

// sinkOnlyRates gives each cell the rate of its kernel and traffic without a DUT.
func sinkOnlyRates(cells []result.Cell) {
	for i, c := range cells {
		if c.ForwardingRate == nil || c.ForwardingRate.MedianPPS == 0 {
			continue
		}
		f := cells[i].ForwardingRate
		for _, n := range cells {
			if n.Scenario == "none" && n.ForwardingRate != nil && n.ForwardingRate.MedianPPS > 0 && n.Kernel == c.Kernel && sameTraffic(n, c) {
				f.SinkOnlyPPS = n.ForwardingRate.MedianPPS
				f.EndHostShareRatio = f.MedianPPS / f.SinkOnlyPPS
			}
		}
	}
}

// judgeRates writes what the rounds say so far.
func (r *run) judgeRates() {
	p := r.options.Plan
	sinkOnlyRates(r.record.Cells)
	for i, c := range r.record.Cells {
		if c.ForwardingRate != nil && c.ForwardingRate.Failure == "" {
			note(&r.record.Cells[i], ratesNote, rateEvidence(*c.ForwardingRate))
		}
	}
	bindCells(r.record.Cells)
	o := stats.Options{Alpha: float64(p.AB.Alpha), Confidence: 0.95, LeastChange: float64(p.AB.LeastChange), Seed: p.Repeated.Seed}
	r.record.KernelRates.Pairs = RatePairs(r.record.Cells, p.VM.Rounds, o)
}

// RatePairs sets each kernel beside each that comes before it, in each cell that both have
// rates of. A verdict is given when all rounds are there, and not earlier: a comparison
// that may stop when it likes what it sees proves nothing.
func RatePairs(cells []result.Cell, rounds int, o stats.Options) []result.KernelRatePair {
	pairs := []result.KernelRatePair{}
	var judged []stats.Comparison
	var p []float64
	for i, b := range cells {
		for _, a := range cells[:i] {
			if a.Kernel == b.Kernel || !sameCell(a, b) || a.ForwardingRate == nil || b.ForwardingRate == nil {
				continue
			}
			pair := result.KernelRatePair{A: a.Kernel, B: b.Kernel, ComparedCell: result.ComparedCell{
				CellA: a.ID, CellB: b.ID, Pairs: adjacent(*a.ForwardingRate, *b.ForwardingRate), AAPairs: twins(cells, b)}}
			var ratios, aa []float64
			for _, one := range pair.Pairs {
				ratios = append(ratios, math.Log(one.Ratio()))
			}
			for _, one := range pair.AAPairs {
				aa = append(aa, math.Log(one.SecondPPS/one.FirstPPS))
			}
			if len(ratios) == 0 {
				continue
			}
			judged = append(judged, stats.Pairs(ratios, aa, o))
			p = append(p, judged[len(judged)-1].P)
			pairs = append(pairs, pair)
		}
	}
	for i, adjusted := range stats.Holm(p) {
		c, j := &pairs[i], judged[i].At(adjusted)
		c.EstimateRatio, c.IntervalLowRatio, c.IntervalHighRatio, c.PValue = j.EstimateRatio, j.LowRatio, j.HighRatio, j.P
		c.NoiseFloorRatio, c.MarginRatio = j.NoiseFloor, j.Margin
		if len(c.Pairs) == rounds && len(c.AAPairs) == rounds {
			c.Verdict, c.PairsNeeded = string(j.Verdict), j.Needed
		}
		c.KernelBound = boundOfRates(cellWith(cells, c.CellA), cellWith(cells, c.CellB), c.Verdict)
	}
	return pairs
}

func cellWith(cells []result.Cell, id string) result.Cell {
	i := slices.IndexFunc(cells, func(c result.Cell) bool { return c.ID == id })
	return cells[i]
}

// adjacent are the rounds in which both were measured; a packet has to arrive for a ratio.
func adjacent(a, b result.ForwardingRate) []result.Pair {
	pairs := []result.Pair{}
	for _, x := range a.Trials {
		for _, y := range b.Trials {
			if !x.Twin && !y.Twin && x.Round == y.Round && x.PPS() > 0 && y.PPS() > 0 {
				pairs = append(pairs, result.Pair{BFirst: y.Order < x.Order, APPS: x.PPS(), BPPS: y.PPS(), Disturbed: either(x.Disturbed, y.Disturbed)})
			}
		}
	}
	return pairs
}

// twins are the rounds of the kernel that was booted twice, in the same cell.
func twins(cells []result.Cell, of result.Cell) []result.AAPair {
	pairs := []result.AAPair{}
	for _, c := range cells {
		if !sameCell(c, of) || c.ForwardingRate == nil {
			continue
		}
		for _, x := range c.ForwardingRate.Trials {
			for _, y := range c.ForwardingRate.Trials {
				if x.Round == y.Round && x.Twin != y.Twin && x.Order < y.Order && x.PPS() > 0 && y.PPS() > 0 {
					pairs = append(pairs, result.AAPair{FirstPPS: x.PPS(), SecondPPS: y.PPS(), Disturbed: either(x.Disturbed, y.Disturbed)})
				}
			}
		}
	}
	return pairs
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// rateEvidence is what a cell's rate rests on.
func rateEvidence(f result.ForwardingRate) string {
	sent, received, disturbed := 0, 0, 0
	for _, t := range f.Trials {
		sent, received = sent+t.Sent, received+t.Received
		if t.Disturbed != "" {
			disturbed++
		}
	}
	text := fmt.Sprintf("%d of %d packets arrived in %d measurements in real time", received, sent, len(f.Trials))
	if disturbed > 0 {
		text += fmt.Sprintf(", of which %d stayed disturbed", disturbed)
	}
	return text
}
