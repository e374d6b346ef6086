package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// noFigureError says that a measurement was made as it should be and has no figure: no load
// was found to pass, or the DUT cannot be had. Another value of a sweep may have one.
type noFigureError struct{ reason string }

func (e *noFigureError) Error() string { return e.reason }

func noFigure(format string, a ...any) error { return &noFigureError{fmt.Sprintf(format, a...)} }

// withoutFigure leaves a value out of a curve from now on if that is all that is wrong, and
// tells whether it did. Its other repeats would take time and could not mend the curve.
func withoutFigure(point *result.CurvePoint, err error) bool {
	none, ok := errors.AsType[*noFigureError](err)
	if ok {
		point.Skipped = none.reason
		point.EstimatePPS, point.IntervalLowPPS, point.IntervalHighPPS, point.GainRatio, point.AsGood = 0, 0, 0, 0, false
	}
	return ok
}

// skippedBecause is why a value has no point from the start: this machine cannot send its
// traffic, or its first search was skipped. Empty if neither is so.
func (v *varied) skippedBecause(variant plan.Variant, c plan.Cell) string {
	if lacking := v.lacks(variant, c); lacking != "" {
		return lacking
	}
	i := slices.IndexFunc(v.record.Cells, func(known result.Cell) bool { return known.ID == c.ID() })
	if i < 0 {
		return ""
	}
	return v.record.Cells[i].Skipped
}

// recordLacking puts a cell that cannot be sent into the record, with why.
func (v *varied) recordLacking(ctx context.Context, variant plan.Variant, c plan.Cell) error {
	if v.lacks(variant, c) == "" {
		return nil // it is there already, with its trials
	}
	_, err := v.searchOf(ctx, variant, c)
	return err
}

// lacks is why this machine cannot send a cell's traffic; empty if it can.
func (v *varied) lacks(variant plan.Variant, c plan.Cell) string {
	return v.lacking[shapeOf(variant.Plan, c)]
}
