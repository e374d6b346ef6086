package vm

import "strconv"

// Accelerator is what executes a guest's instructions.
type Accelerator string

// The values of Accelerator.
const (
	// Counting is QEMU's translator with icount: one instruction in a nanosecond of the guest's time.
	Counting Accelerator = "icount"
	// Emulated is QEMU's translator in real time.
	Emulated Accelerator = "tcg"
	// Hardware is KVM.
	Hardware Accelerator = "kvm"
)

// arguments are the emulator's. A counting guest has a named CPU model: with -cpu max, the
// memset of some kernels is one instruction with a repeat prefix, whose repetitions icount
// counts each. A guest in real time does what this machine's CPU can.
func (a Accelerator) arguments(seed int64) []string {
	number := strconv.FormatInt(seed, 10)
	switch a {
	case Hardware:
		return []string{"-accel", "kvm", "-cpu", "host", "-seed", number}
	case Emulated:
		return []string{"-accel", "tcg", "-cpu", "qemu64", "-seed", number}
	}
	return []string{"-accel", "tcg", "-cpu", "qemu64", "-icount", "shift=0,sleep=off", "-seed", number, "-rtc", "base=2026-01-01,clock=vm"}
}
