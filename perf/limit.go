package main

import (
	"context"
	"fmt"

	"github.com/linerate/linerate/result"
)

// limitTolerance is the largest error of the PDR, in percent.
const limitTolerance = 1

// limit measures a DUT whose capacity is known: a rule that drops what exceeds a rate.
func limit(ctx context.Context, s *session, t *table) error {
	runs := pick(s, 3, 1)
	t.Compared = fmt.Sprintf("`linerate bench --set scenarios=limit --set limit.pps=N` against N, %d runs each: "+
		"the conditional throughput of the PDR of each cell, error in %% of N", runs)
	t.Wanted = "every cell of every run within 1 % of N"
	t.columns = []column{
		{"N pps", "limit_pps", "%d"}, {"run", "run", "%d"}, {"flows", "flows", "%d"}, {"PDR pps", "conditional_pps", "%.0f"}, {"error %", "error_percent", "%+.3f"},
		{"burst allows %", "burst_percent", "%+.3f"}, {"trial s", "trial_seconds", "%.1f"}, {"verdict", "verdict", "%s"}, {"linerate warns of", "warnings", "%s"},
	}
	t.note("the rule lets a burst of packets pass on top of its rate: in a trial of 1 s it may deliver that share more than N")
	var found limits
	for _, pps := range []int{50_000, 100_000, 200_000} {
		for n := range runs {
			s.say("limit: %d pps, run %d of %d", pps, n+1, runs)
			p, err := loadPlan("baseline", "scenarios=limit", fmt.Sprintf("limit.pps=%d", pps), "traffic.flows=1", "latency.enabled=false")
			if err != nil {
				return err
			}
			r, err := s.run(ctx, p)
			if err != nil {
				return err
			}
			if err := found.add(t, r, n+1); err != nil {
				return err
			}
		}
	}
	t.want(atMost("largest |error|", found.worst, limitTolerance, " %"))
	t.want(atMost("cells without a PDR", float64(found.missing), 0, ""))
	return nil
}

// limits are the figures of all cells so far: the largest error in percent, and how many had none.
type limits struct {
	worst   float64
	missing int
}

// add tabulates the cells of a run.
func (l *limits) add(t *table, r *result.Run, number int) error {
	pps := r.Plan.Limit.PPS
	burst := 100 * float64(r.Plan.Limit.BurstPackets) / float64(pps)
	for _, c := range r.Cells {
		if c.Skipped != "" {
			return fmt.Errorf("cell %s was skipped: %s", c.ID, c.Skipped)
		}
		g, ok := goalNamed(c, "PDR")
		if !ok {
			l.missing++
			t.add(pps, number, c.Flows, nil, nil, burst, g.TrialSeconds, string(c.Verdict), warned(c))
			continue
		}
		off := 100 * (g.ConditionalPPS/float64(pps) - 1)
		l.worst = max(l.worst, abs(off))
		t.add(pps, number, c.Flows, g.ConditionalPPS, off, burst, g.TrialSeconds, string(c.Verdict), warned(c))
	}
	return nil
}
