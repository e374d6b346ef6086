package result

import "encoding/json"

// MarshalJSON adds loss_ratio to the counts, for readers that do not derive it.
// Reading ignores the key: the counts are the record.
func (t Trial) MarshalJSON() ([]byte, error) {
	type counts Trial
	return json.Marshal(struct {
		counts
		LossRatio float64 `json:"loss_ratio"`
	}{counts(t), t.LossRatio()})
}
