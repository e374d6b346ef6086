package bench

import (
	"context"
	"strings"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

// sweep measures every value as often as the plan says. Each repeat has an order of its
// own, so that a machine that gets slower meanwhile does not bend the curve.
func (v *varied) sweep(ctx context.Context) error {
	p := v.options.Plan
	record := &result.Sweep{Field: p.Sweep.Field, Values: p.Sweep.Values, Figure: p.Figure(), RepeatsPlanned: p.Sweep.Repeats, Curves: []result.Curve{}}
	v.record.Sweep = record
	if p.Figure() == plan.FigureForwardingRate {
		if _, err := v.first(ctx); err != nil {
			return err
		}
	}
	for i, c := range v.variants[0].Cells {
		curve := result.Curve{Title: strings.TrimSuffix(c.Title(), ", "+c.Variant), LoadPPS: v.load(i)}
		for j, variant := range v.variants {
			curve.Points = append(curve.Points, result.CurvePoint{
				Value: p.Sweep.Values[j], Cell: variant.Cells[i].ID(), Skipped: v.skippedBecause(variant, variant.Cells[i]), PPS: []float64{},
			})
		}
		record.Curves = append(record.Curves, curve)
	}
	for range p.Sweep.Repeats {
		for _, j := range v.random.Perm(len(v.variants)) {
			for i, c := range v.variants[j].Cells {
				curve := &record.Curves[i]
				if curve.Points[j].Skipped != "" {
					if err := v.recordLacking(ctx, v.variants[j], c); err != nil {
						return err
					}
					continue
				}
				if err := v.repeat(ctx, v.variants[j], c, curve, j); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// repeat measures one value once more.
func (v *varied) repeat(ctx context.Context, variant plan.Variant, c plan.Cell, curve *result.Curve, value int) error {
	point := &curve.Points[value]
	f, err := v.take(ctx, variant, c, curve.LoadPPS)
	if err != nil && (ctx.Err() != nil || !withoutFigure(point, err)) {
		return err
	}
	if err == nil {
		point.PPS = append(point.PPS, f.pps)
	}
	if f.disturbed != "" {
		point.Disturbed++
	}
	v.trace(curve)
	return v.save()
}

// trace judges a curve as soon as it is complete, and until then gives the medians.
func (v *varied) trace(curve *result.Curve) {
	var values [][]float64
	var measured []*result.CurvePoint
	complete := true
	for i := range curve.Points {
		p := &curve.Points[i]
		if p.Skipped != "" {
			continue
		}
		if len(p.PPS) > 0 {
			p.EstimatePPS = stats.Median(p.PPS)
		}
		complete = complete && len(p.PPS) == v.options.Plan.Sweep.Repeats
		values = append(values, p.PPS)
		measured = append(measured, p)
	}
	if !complete || len(measured) < 2 {
		return
	}
	c := stats.CurveOf(values, v.judging())
	curve.NoiseFloorRatio, curve.MarginRatio, curve.Flat = c.NoiseFloor, c.Margin, c.Flat
	curve.BestValue, curve.EnoughValue = measured[c.Best].Value, measured[c.Enough].Value
	for i, p := range c.Points {
		q := measured[i]
		q.EstimatePPS, q.IntervalLowPPS, q.IntervalHighPPS, q.GainRatio, q.AsGood = p.Estimate, p.Low, p.High, p.GainShare, p.AsGood
	}
}
