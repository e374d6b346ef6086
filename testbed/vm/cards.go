package vm

import "fmt"

// CardDriver is the module that drives the cards of a guest. QEMU's card of this kind sends
// when the driver writes to it, and has no timers: it does not disturb a guest that counts. Its
// driver is part of small kernels too.
const CardDriver = "vmxnet3"

// cards are the emulator's arguments for the cards, which a hub joins.
func (g Guest) cards() (arguments []string) {
	for i, mac := range g.Cards {
		arguments = append(arguments,
			"-netdev", fmt.Sprintf("hubport,id=cable%d,hubid=0", i),
			"-device", fmt.Sprintf("%s,netdev=cable%d,mac=%s", CardDriver, i, mac))
	}
	return arguments
}
