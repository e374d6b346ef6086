// Package testpmd is the generator that has DPDK's testpmd send (its forwarding mode
// txonly), for comparison: a process for each stream, in the namespace of its device,
// which it opens by AF_PACKET sockets. It cannot be paced: the only times that it knows
// are those of network cards that send on time stamps (`set txtimes`, app/test-pmd/txonly.c,
// DPDK 22.11), and its virtual devices have neither those nor rate limits. Its frames are of
// one flow, of IPv4, and carry no mark: a sink knows them by their addresses and ports.
package testpmd
