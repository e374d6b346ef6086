package search

import "sort"

// conditionalPPS is the conditional throughput (RFC 9971) of a load
// from its full trials: the load times one minus the loss ratio at the quantile
// that the exceed ratio names. Trial time that is missing counts as total loss.
func (g Goal) conditionalPPS(loadPPS float64, trials []Trial) float64 {
	var full []Trial
	sum := 0.0
	for _, t := range trials {
		if t.LoadPPS == loadPPS && t.full(g) {
			full = append(full, t)
			sum += t.DurationS
		}
	}
	sort.SliceStable(full, func(i, j int) bool { return full[i].LossRatio < full[j].LossRatio })
	remaining := max(g.DurationSumS, sum) * (1 - g.ExceedRatio)
	quantile := 0.0
	for _, t := range full {
		if remaining <= slackS {
			break
		}
		quantile = t.LossRatio
		remaining -= t.DurationS
	}
	if remaining > slackS {
		quantile = 1
	}
	return loadPPS * (1 - quantile)
}
