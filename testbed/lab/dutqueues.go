package lab

import (
	"strings"

	"github.com/linerate/linerate/testbed"
)

// DUTQueues are the DUT's receive queues in the order of DUTThreads.
func (l *Lab) DUTQueues() []testbed.Queue {
	var all []testbed.Queue
	for _, d := range l.DUT.Devices() {
		for number, cpu := range homes(l.Queues(), l.CPUs.Generators, l.cpusOf(d)) {
			part := strings.TrimSuffix(d.Interface, "-"+l.ID)
			all = append(all, testbed.Queue{Netns: d.Netns, Interface: d.Interface, Device: part, Number: number, CPU: cpu})
		}
	}
	return all
}
