package result

import "encoding/json"

// Bucket counts the latencies up to its upper edge, in nanoseconds, and above the edge
// of the bucket before it. In JSON it is the pair [UpToNS, Frames]: a trial has
// hundreds, and as objects with keys they were most of trials.jsonl.
type Bucket struct {
	UpToNS uint64
	Frames uint64
}

// MarshalJSON writes the pair.
func (b Bucket) MarshalJSON() ([]byte, error) { return json.Marshal([2]uint64{b.UpToNS, b.Frames}) }

// UnmarshalJSON reads the pair, and the object with keys that the first runs hold.
func (b *Bucket) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, &[]any{&b.UpToNS, &b.Frames})
	}
	var object struct {
		UpToNS uint64 `json:"up_to_ns"`
		Frames uint64 `json:"frames"`
	}
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	b.UpToNS, b.Frames = object.UpToNS, object.Frames
	return nil
}
