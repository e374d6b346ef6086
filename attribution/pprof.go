package attribution

import (
	"bytes"
	"fmt"
	"math"

	"github.com/google/pprof/profile"
)

// Value is what a profile gives for each call chain.
type Value struct {
	// Type and Unit are pprof's: "instructions" and "count", "cpu" and "nanoseconds".
	Type, Unit string
	// PerCount is the value of having been met once.
	PerCount float64
}

// Pprof is the chains as a file for `go tool pprof`. It holds whole numbers.
func (s *Stacks) Pprof(v Value, comment string) ([]byte, error) {
	out := &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: v.Type, Unit: v.Unit}},
		DefaultSampleType: v.Type,
		Comments:          []string{comment},
	}
	locations := make([]*profile.Location, len(s.Names))
	for i, name := range s.Names {
		f := &profile.Function{ID: uint64(i + 1), Name: name, SystemName: name}
		locations[i] = &profile.Location{ID: uint64(i + 1), Line: []profile.Line{{Function: f}}}
		out.Function, out.Location = append(out.Function, f), append(out.Location, locations[i])
	}
	for i, stack := range s.Stacks {
		n := s.met(i)
		one := &profile.Sample{Value: []int64{int64(n), int64(math.Round(float64(n) * v.PerCount))}}
		for _, f := range stack {
			one.Location = append(one.Location, locations[f])
		}
		out.Sample = append(out.Sample, one)
	}
	var b bytes.Buffer
	if err := out.CheckValid(); err != nil {
		return nil, fmt.Errorf("build a profile: %w", err)
	}
	if err := out.Write(&b); err != nil {
		return nil, fmt.Errorf("build a profile: %w", err)
	}
	return b.Bytes(), nil
}
