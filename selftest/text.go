package selftest

import (
	"cmp"
	"fmt"
)

// PlantedText is the truth in a few words: "100 frames lost", "receiver-bound".
func (r Result) PlantedText() string {
	if q := r.telling(); q != nil {
		text := amount(q.Truth, q.Unit) + " " + q.Name
		if q.ToleranceRatio > 0 {
			text += fmt.Sprintf(" ±%.3g %%", 100*q.ToleranceRatio)
		}
		return text
	}
	return cmp.Or(r.ExpectedDisturbance, r.ExpectedVerdict)
}

// FoundText is what was found, in the same words; what contradicts the truth comes first.
func (r Result) FoundText() string {
	if r.Status == Skipped {
		return ""
	}
	if q := r.telling(); q != nil {
		return q.String()
	}
	if r.ExpectedDisturbance != "" {
		return cmp.Or(r.Disturbance, "no disturbance")
	}
	return cmp.Or(string(r.Verdict), "no verdict")
}

// telling is the quantity that a row shows: one that does not hold, or else the
// first that something was planted in.
func (r Result) telling() *Quantity {
	for i := range r.Quantities {
		if !r.Quantities[i].holds() {
			return &r.Quantities[i]
		}
	}
	for i := range r.Quantities {
		if r.Quantities[i].Truth != 0 {
			return &r.Quantities[i]
		}
	}
	return nil
}
