package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// brokenOff takes the measurements of a cell back if a process of the DUT has ended: what
// it lost tells nothing about a DUT that runs. The other cells can still be measured, so
// that is no error but the reason why this one has no figures; and so is a program of the
// generator that has ended, and a DUT that does not let the flows pass.
func brokenOff(ctx context.Context, cell *result.Cell, made madeDUT, err error) error {
	if ctx.Err() != nil {
		return err
	}
	var ended error
	if made.alive != nil {
		ended = made.alive()
	}
	if ended == nil {
		if blocked, ok := errors.AsType[*blockedError](err); ok {
			cell.Skipped = blocked.Error()
			return nil
		}
		if _, gone := errors.AsType[*generator.EndedError](err); gone {
			*cell = brokenCell(cell, fmt.Sprintf("the generator broke down while it sent: %v", err))
			return nil
		}
		return err
	}
	*cell = brokenCell(cell, fmt.Sprintf("the DUT broke down while it was measured: %v", ended))
	return nil
}

// brokenCell is a cell without its measurements, and why it has none.
func brokenCell(cell *result.Cell, why string) result.Cell {
	empty := newCell(plan.Cell{Scenario: cell.Scenario, Backend: cell.Backend, IPVersion: cell.IPVersion, FrameSize: cell.FrameSize, Flows: cell.Flows, Directions: cell.Directions, Variant: cell.Variant}, result.Ceiling{PPS: cell.CeilingPPS, Bound: cell.CeilingBound})
	empty.Engine, empty.Setup = cell.Engine, cell.Setup
	empty.Skipped = why
	return empty
}

// busyPolling is the code of the warning that the DUT is busy whatever the load is.
const busyPolling = "busy-polling"

// dutDoubts are what is to be known about any figure of a scenario.
func dutDoubts(s dut.Scenario) []result.Warning {
	if !s.BusyPolling() {
		return nil
	}
	return []result.Warning{{Code: busyPolling, Text: "the DUT asks for frames in a loop: its core is busy all the time by design, whatever the load is, so busy cores do not tell how near it is to its limit, and the CPU time per packet is the time of that core over the frames of the trial, idle turns included"}}
}
