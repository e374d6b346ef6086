package bench

import (
	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/generator/engine"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed/sim"
)

// joiningSeconds joins generator and sink without a DUT: fitted to one measured sweep of engines
// with scenario none.
const joiningSeconds = 0.4

// addCells adds what is not alike in all cells of a plan: those without a DUT, those whose
// engine cannot be paced, events, and daemons that take their time. besidesSearch is what a
// cell takes besides its search.
func (e *Estimate) addCells(p plan.Plan, cells []plan.Cell, besidesSearch float64) {
	each := handlingSeconds(p)
	if engine.Unpaced(p.Traffic.Engine) {
		traffic := unpacedTrials * unpacedDuration.Seconds()
		wall := settingUpSeconds + warmUp.Seconds() + traffic + (1+unpacedTrials)*each
		e.TrialSeconds, e.WallSeconds = always(traffic), always(wall)
		return
	}
	for _, c := range cells {
		if c.Direct() {
			e.Direct++
			continue
		}
		s := dut.Scenario{Plan: p, Cell: c}
		e.OtherSeconds += s.Convergence().Seconds()
		if event := s.Event(); event != nil {
			e.OtherSeconds += event.Duration.Seconds() + each + s.Convergence().Seconds()
		}
	}
	if e.Direct > 0 {
		e.DirectSeconds = joiningSeconds + directSearchSeconds(p) + besidesSearch
	}
}

// directSearchSeconds is the time of a search in which the highest load passes.
func directSearchSeconds(p plan.Plan) float64 {
	without := plan.Sim{Preset: "hard", CapacityPPS: new(1e9)}
	_, took, err := simulateCell(p, plan.Cell{Scenario: plan.NoDUT, Directions: plan.Uni}, without)
	if err != nil {
		return 0 // the same plan was simulated with a device before
	}
	return took
}

// handlingSeconds is what a trial takes besides its traffic.
func handlingSeconds(p plan.Plan) float64 {
	return sim.HandlingTime.Seconds() + p.Trial.DrainQuiet.Seconds() + p.Trial.Settle.Seconds()
}

func always(seconds float64) Span { return Span{seconds, seconds, seconds, seconds} }
