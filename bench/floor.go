package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// measureFloors measures the latency of generator and sink without a DUT, for each
// shape of traffic at the loads that its cells were measured at.
func (r *run) measureFloors(ctx context.Context) error {
	if !r.options.Plan.Latency.Enabled {
		return nil
	}
	ceilings := r.record.Calibration.Ceilings
	for i := range ceilings {
		c := &ceilings[i]
		s := shapeOf(r.options.Plan, plan.Cell{IPVersion: c.IPVersion, FrameSize: c.FrameSize, Flows: c.Flows, Directions: c.Directions})
		ofShape := func(cell result.Cell) bool {
			return s == shapeOf(r.options.Plan, plan.Cell{IPVersion: cell.IPVersion, FrameSize: cell.FrameSize, Flows: cell.Flows, Directions: cell.Directions})
		}
		for _, cell := range r.record.Cells {
			if ofShape(cell) && cell.Direct() {
				c.LatencyFloor = append(c.LatencyFloor, cell.LatencyAt...)
			}
		}
		if loads := floorLoads(r.record.Cells, ofShape); len(loads) > 0 {
			floor, err := r.floorOf(ctx, s, loads)
			c.LatencyFloor = append(c.LatencyFloor, floor...)
			if err != nil {
				return fmt.Errorf("measure the latency without a DUT: %w", err)
			}
		}
		slices.SortStableFunc(c.LatencyFloor, func(a, b result.LatencyAt) int { return cmp.Compare(a.LoadPPS, b.LoadPPS) })
		if err := r.save(); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) floorOf(ctx context.Context, s shape, loads []float64) (floor []result.LatencyAt, err error) {
	cell := s.cell()
	st, err := r.testbed.openStation(cell)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	if err := st.learn(ctx); err != nil {
		return nil, err
	}
	m := &measurement{run: r, bed: st, cell: cell.ID(), purpose: result.ForLatency, directions: s.directions.Count(), repeatLimit: unlimited}
	for _, load := range loads {
		at, err := m.latencyAt(ctx, latencyLoad{pps: load}, r.options.Plan.Latency)
		if err != nil {
			return floor, err
		}
		floor = append(floor, at)
	}
	return floor, nil
}
