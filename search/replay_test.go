package search

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReplayIsExact(t *testing.T) {
	for _, d := range append(simDUTs(), moreDUTs()...) {
		for seed := range uint64(3) {
			first := newSearch(t, "mlr", config(simMaxLoadPPS))
			log := d.run(first, seed)
			stored, err := json.Marshal(log)
			if err != nil {
				t.Fatal(err)
			}
			var read []Trial
			if err := json.Unmarshal(stored, &read); err != nil {
				t.Fatal(err)
			}
			second := newSearch(t, "mlr", config(simMaxLoadPPS))
			if err := Replay(second, read); err != nil {
				t.Errorf("%s, seed %d: %v", d.name, seed, err)
				continue
			}
			a, b := first.Bounds(), second.Bounds()
			for i := range a {
				if a[i] != b[i] {
					t.Errorf("%s, seed %d: bounds %+v after the replay, %+v before", d.name, seed, b[i], a[i])
				}
			}
		}
	}
}

func TestReplaySaysWhereItDiverges(t *testing.T) {
	d := simDUTs()[0]
	log := d.run(newSearch(t, "mlr", config(simMaxLoadPPS)), 1)
	for _, c := range []struct {
		name   string
		change func([]Trial) []Trial
		want   string
	}{
		{"load", func(l []Trial) []Trial { l[4].LoadPPS++; return l }, "trial 5 of "},
		{"duration", func(l []Trial) []Trial { l[2].DurationS *= 2; return l }, "trial 3 of "},
		{"loss", func(l []Trial) []Trial { l[0].LossRatio /= 2; return l }, "trial 2 of "},
		{"too long", func(l []Trial) []Trial { return append(l, l[0]) }, "the search ended before it"},
	} {
		changed := c.change(append([]Trial(nil), log...))
		err := Replay(newSearch(t, "mlr", config(simMaxLoadPPS)), changed)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s changed: error %v, want %q", c.name, err, c.want)
		}
	}
}
