package lab

import "slices"

// queueCount is the number of receive queues with which each generator has a queue
// of its own. A veth puts what is sent to it by XDP into the queue of the number of
// the sending CPU modulo the number of its queues (veth_select_rxq,
// drivers/net/veth.c): generators on the CPUs 0 and 2 would share one queue of two,
// and so one CPU of the DUT. It is the least such number; where the bound leaves
// none, it is the least with the most queues in use.
func queueCount(generators []int) int {
	least := max(1, len(generators))
	best, inUse := least, 0
	for count := least; count <= 4*least+64; count++ {
		if n := len(usedQueues(count, generators)); n > inUse {
			best, inUse = count, n
		}
		if inUse == len(generators) {
			break
		}
	}
	return best
}

// usedQueues are the queues that generators send to, in the order of the generators.
func usedQueues(count int, generators []int) []int {
	var used []int
	for _, cpu := range generators {
		if queue := cpu % count; !slices.Contains(used, queue) {
			used = append(used, queue)
		}
	}
	return used
}

// homes deals out CPUs to queues: in turn to those that generators send to, and
// then in turn to the others, which only get what is sent by the hash of its flow.
func homes(count int, generators, cpus []int) []int {
	order := usedQueues(count, generators)
	for queue := range count {
		if !slices.Contains(order, queue) {
			order = append(order, queue)
		}
	}
	home := make([]int, count)
	for i, queue := range order {
		home[queue] = cpus[i%len(cpus)]
	}
	return home
}
