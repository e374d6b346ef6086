package doctor

import (
	"testing"

	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/testbed/vm"
)

func TestKVMRow(t *testing.T) {
	good := kvmRow(vm.Probe{Usable: true, Reason: "it runs"})
	if good.Status != OK || good.Cost != "" || good.Fix != "" {
		t.Errorf("%+v", good)
	}
	bad := kvmRow(vm.Probe{Reason: "it hangs"})
	if bad.Status != Missing || bad.Detail != "it hangs" || bad.Cost == "" || bad.Fix == "" || bad.Need != kernel.ForComparison {
		t.Errorf("%+v", bad)
	}
}
