package kernels_test

import (
	"os"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed/vm"
)

// TestOldKernels measures kernels that have no live frames (before Linux 5.18), of suites
// that the mirrors may have left: buster has 4.19, bullseye 5.10.
func TestOldKernels(t *testing.T) {
	needSeveral(t)
	program := guestProgram(t)
	for _, tt := range []struct{ suite, release string }{{"bullseye", "5.10."}, {"buster", "4.19."}} {
		t.Run(tt.suite, func(t *testing.T) {
			name := kernelPackage + "/" + tt.suite
			o := options(t, program, name)
			if _, err := vm.Open(t.Context(), name, o.Cache); err != nil && strings.Contains(err.Error(), "mirrors has no package") && os.Getenv("LINERATE_REQUIRE_ALL") != "1" {
				t.Skip(err)
			}
			o.Plan.Scenarios = []plan.Scenario{"none", "route", "conntrack-nft", "snat-nft", "bridge"}
			run := measured(t, o)
			if len(run.Kernels) != 1 || run.Kernels[0].Error != "" || !strings.HasPrefix(run.Kernels[0].Release, tt.release) {
				t.Fatalf("kernels %+v", run.Kernels)
			}
			least := map[string]float64{"none": 1000, "route": 3000, "bridge": 1000, "conntrack": 4000, "snat": 4000}
			for _, c := range run.Cells {
				v := c.InstructionsPerPacket
				if v == nil || v.Value < least[c.Scenario] {
					t.Errorf("%s: %+v %s", c.ID, v, c.Skipped)
					continue
				}
				t.Logf("%s: %v", c.ID, v.Value)
				if c.Engine != "pktgen" || !strings.Contains(c.Evidence[0], "pktgen sent") {
					t.Errorf("%s does not say who sent: engine %q, evidence %q", c.ID, c.Engine, c.Evidence)
				}
			}
		})
	}
}
