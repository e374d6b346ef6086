//go:build ignore

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The two ends of the comparison of sources: a counter that does as little as a
 * receiver can, and the least that a program on live frames can do to send. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct tally {
	__u64 frames;
	__u64 pad[7]; /* a cache line for each CPU */
};

/* One entry for each CPU; an array, so that it can be mapped and read without a system call. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tally);
} tallies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

SEC("xdp")
int count(struct xdp_md *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct tally *t = bpf_map_lookup_elem(&tallies, &cpu);

	if (t)
		t->frames++;
	return XDP_DROP;
}

SEC("xdp")
int bare(struct xdp_md *ctx)
{
	return bpf_redirect_map(&ports, 0, 0);
}
