package plans_test

import (
	"errors"
	"io/fs"
	"reflect"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/plans"
)

func TestNames(t *testing.T) {
	if got, want := plans.Names(), []string{"baseline", "linux-router"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadUnknown(t *testing.T) {
	for _, name := range []string{"", "nosuch", "../plans/baseline", "embed.go", "baseline.yaml"} {
		if _, err := plans.Read(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Read(%q): %v", name, err)
		}
	}
}

func TestShippedPlans(t *testing.T) {
	for _, name := range plans.Names() {
		p, err := plan.Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Name != name {
			t.Errorf("%s names itself %s", name, p.Name)
		}
		if p.Description == "" {
			t.Errorf("%s has no description", name)
		}
	}
}

// The shipped plans promise their times even if each cell uses up its trial time.
func TestShippedPlansEndInTime(t *testing.T) {
	tests := []struct {
		name    string
		cells   int
		seconds float64
	}{
		{"baseline", 2, 90},
		{"linux-router", 16, 600},
	}
	for _, tt := range tests {
		p, err := plan.Load(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		cells := p.Cells()
		if len(cells) != tt.cells {
			t.Errorf("%s has %d cells, want %d", tt.name, len(cells), tt.cells)
		}
		for i := range p.Search.Goals {
			p.Search.Goals[i].DurationSum *= 10 // far beyond the bound
		}
		if got := plan.EstimateSeconds(cells, p); got > tt.seconds {
			t.Errorf("%s takes up to %.0f s, promised are %.0f s", tt.name, got, tt.seconds)
		}
	}
}
