package search

import "fmt"

// fits says whether a trial stays within the budget of trial time.
func fits(c Config, trials []Trial, load Load) bool {
	if c.MaxTrialSeconds == 0 {
		return true
	}
	return seconds(trials)+load.DurationS <= c.MaxTrialSeconds+slackS
}

// seconds is the trial time used up.
func seconds(trials []Trial) (sum float64) {
	for _, t := range trials {
		sum += t.DurationS
	}
	return sum
}

// endReason says why a goal ended without narrow bounds.
func endReason(c Config, budget bool) string {
	if budget {
		return fmt.Sprintf("trial time budget of %g s used up", c.MaxTrialSeconds)
	}
	return reasonNoStep
}
