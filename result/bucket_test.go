package result

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestBucketsOfBothForms(t *testing.T) {
	want := Latency{Frames: 12, Histogram: []Bucket{{1023, 9}, {4294967295, 3}}}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var shape struct{ Histogram [][2]uint64 }
	if err := json.Unmarshal(data, &shape); err != nil || len(shape.Histogram) != 2 || shape.Histogram[1] != [2]uint64{4294967295, 3} {
		t.Errorf("written as %s, %v", data, err)
	}
	for _, text := range []string{
		string(data),
		`{"frames":12,"histogram":[{"up_to_ns":1023,"frames":9},{"frames":3,"up_to_ns":4294967295}]}`,
	} {
		var got Latency
		if err := json.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s reads as %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{`{"histogram":[[1,-2]]}`, `{"histogram":[[1,"2"]]}`, `{"histogram":[7]}`} {
		if err := json.Unmarshal([]byte(text), new(Latency)); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}
