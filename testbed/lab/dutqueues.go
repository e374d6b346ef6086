package lab

import (
	"strings"

	"github.com/linerate/linerate/testbed"
)

// DUTQueues are the DUT's receive queues in the order of DUTThreads.
func (l *Lab) DUTQueues() []testbed.Queue {
	var all []testbed.Queue
	for _, device := range []string{l.names.da, l.names.db} {
		for number, cpu := range homes(l.Queues(), l.CPUs.Generators, l.CPUs.DUT) {
			part := strings.TrimSuffix(device, "-"+l.ID)
			all = append(all, testbed.Queue{Netns: l.names.nsDUT, Interface: device, Device: part, Number: number, CPU: cpu})
		}
	}
	return all
}
