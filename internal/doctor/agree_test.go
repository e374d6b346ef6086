package doctor

import (
	"errors"
	"slices"
	"testing"

	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/internal/testenv"
)

// TestDoctorAndBenchAskForTheSame compares what doctor calls missing for the lab with
// what Require refuses for.
func TestDoctorAndBenchAskForTheSame(t *testing.T) {
	testenv.NeedRoot(t)
	r := Examine()
	var asked []string
	for _, g := range r.Groups {
		for _, row := range g.Rows {
			if row.Need == kernel.ForLab {
				asked = append(asked, row.Name)
			}
		}
	}
	var required []string
	for _, f := range kernel.ForLabFeatures() {
		required = append(required, f.Name)
	}
	if len(required) < 5 || !slices.Equal(asked, required) {
		t.Errorf("doctor asks for %q, bench requires %q", asked, required)
	}
	if d, b := r.Err(), kernel.Require(); (d == nil) != (b == nil) || d != nil && names(d) != names(b) {
		t.Errorf("doctor says %v, bench %v", d, b)
	}
}

func names(err error) string {
	var missing *kernel.MissingError
	errors.As(err, &missing)
	return missing.Names()
}
