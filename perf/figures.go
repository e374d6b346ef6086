package main

import "slices"

// figures are the values of one quantity over rounds.
type figures []float64

// median is the middle value, or the mean of the two middle ones; 0 of none.
func (f figures) median() float64 {
	if len(f) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(f))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// least is the smallest value; 0 of none.
func (f figures) least() float64 {
	if len(f) == 0 {
		return 0
	}
	return slices.Min(f)
}

// most is the largest value; 0 of none.
func (f figures) most() float64 {
	if len(f) == 0 {
		return 0
	}
	return slices.Max(f)
}

// over divides round by round, as far as both were measured.
func (f figures) over(o figures) figures {
	var ratios figures
	for i := range min(len(f), len(o)) {
		if o[i] > 0 {
			ratios = append(ratios, f[i]/o[i])
		}
	}
	return ratios
}
