package search

// DefaultGoals are NDR and PDR: loss ratios of 0 and 0.5 %, each decided by three of five trials of 1 s.
func DefaultGoals() []Goal {
	ndr := Goal{Name: "NDR", ExceedRatio: 0.5, Width: 0.005, TrialDurationS: 1, DurationSumS: 5}
	pdr := ndr
	pdr.Name, pdr.LossRatio = "PDR", 0.005
	return []Goal{ndr, pdr}
}
