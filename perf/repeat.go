package main

import (
	"context"
	"fmt"
)

// repeatTolerance is how far the PDR of a run may be from the median, in percent.
const repeatTolerance = 5

// repeated are the figures of one cell over runs.
type repeated struct {
	pdr      figures
	warnings []string
	verdicts []string
}

// repeat measures the plan baseline again and again.
func repeat(ctx context.Context, s *session, t *table) error {
	runs := pick(s, 5, 2)
	t.Compared = fmt.Sprintf("`linerate bench baseline`, %d runs one after another: the PDR of each cell against its median over the runs", runs)
	t.Wanted = "within 5 % of the median, or linerate itself names the disturbance"
	t.columns = []column{
		{"cell", "cell", "%s"}, {"run", "run", "%d"}, {"PDR Mpps", "conditional_mpps", "%.3f"}, {"off %", "deviation_percent", "%+.2f"},
		{"verdict", "verdict", "%s"}, {"linerate warns of", "warnings", "%s"},
	}
	p, err := loadPlan("baseline")
	if err == nil && s.short {
		err = p.Set([]string{"traffic.flows=1"})
	}
	if err != nil {
		return err
	}
	cells := map[string]*repeated{}
	var order []string
	missing := 0
	for n := range runs {
		s.say("repeat: run %d of %d", n+1, runs)
		r, err := s.run(ctx, p)
		if err != nil {
			return err
		}
		for _, c := range r.Cells {
			g, ok := goalNamed(c, "PDR")
			if !ok {
				t.note("%v", noFigure(c, "PDR"))
				missing++
				continue
			}
			if cells[c.ID] == nil {
				cells[c.ID] = &repeated{}
				order = append(order, c.ID)
			}
			of := cells[c.ID]
			of.pdr = append(of.pdr, g.ConditionalPPS)
			of.warnings = append(of.warnings, warned(c))
			of.verdicts = append(of.verdicts, string(c.Verdict))
		}
	}
	for _, id := range order {
		tabulateRepeated(t, id, cells[id])
	}
	t.want(atMost("cells without a PDR", float64(missing), 0, ""))
	return nil
}

func tabulateRepeated(t *table, id string, c *repeated) {
	median, worst, said := c.pdr.median(), 0.0, ""
	for i, pps := range c.pdr {
		off := 100 * (pps/median - 1)
		if abs(off) > abs(worst) {
			worst, said = off, c.warnings[i]
		}
		t.add(id, i+1, pps/1e6, off, c.verdicts[i], c.warnings[i])
	}
	t.want(atMost("largest deviation of "+id, abs(worst), repeatTolerance, " %"))
	if abs(worst) > repeatTolerance {
		if said == "" {
			said = "nothing"
		}
		t.note("%s: the run that is furthest off was warned of by linerate with: %s", id, said)
	}
}
