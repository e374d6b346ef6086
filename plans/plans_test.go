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
	if got, want := plans.Names(), []string{"baseline", "bridge-route-dpdk", "ecmp-kernel-frames", "ecmp-kernel", "engines", "every-way", "kernels", "latency", "linux-router", "pktgen-tuning-vm", "pktgen-tuning", "rfc2544"}; !reflect.DeepEqual(got, want) {
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
