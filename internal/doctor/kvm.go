package doctor

import (
	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/testbed/vm"
)

// kvmRow says what came of trying to execute a guest by KVM. Counting instructions does without.
func kvmRow(found vm.Probe) Row {
	row := Row{Name: "KVM", Status: OK, Need: kernel.ForComparison, Detail: found.Reason + ": rates in guests, `linerate kernels --metric rate`"}
	if !found.Usable {
		row.Status, row.Detail = Missing, found.Reason
		row.Cost = "`linerate kernels` counts instructions, but measures no rates other than the emulator's"
		row.Fix = "see the reason given; a machine of its own, or nested virtualisation switched on at its host"
	}
	return row
}
