package report

import (
	"time"

	"github.com/linerate/linerate/plan"
)

func fixtureLatencyPlan() plan.Latency {
	return plan.Latency{Enabled: true, Loads: []plan.Ratio{0.1, 0.5, 0.9, 1}, LoadsPPS: []float64{200_000}, TrialDuration: plan.Duration(time.Second), TrialsPerLoad: 1}
}
