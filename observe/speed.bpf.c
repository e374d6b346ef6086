//go:build ignore

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How fast CPUs are while they work. A timer of each CPU runs a fixed piece of work
 * some dozens of times a second, in the interrupt, and takes the time that it needs. */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>

#define MAX_CPUS 1024
#define TURNS 1000 /* of the loop: 1 to 2 us */

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct speed {
	__u64 turns; /* of the loop, in time_ns */
	__u64 time_ns;
	/* The CPU was taken away, or the interrupt itself interrupted: not counted above. */
	__u64 broken;
	__u64 fastest_ns;
	__u64 sink;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MAX_CPUS);
	__type(key, __u32);
	__type(value, struct speed);
} speeds SEC(".maps");

SEC("perf_event")
int on_timer(struct bpf_perf_event_data *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct speed *s = bpf_map_lookup_elem(&speeds, &cpu);
	__u64 start, took, x;
	int i;

	if (!s)
		return 0;
	x = s->sink;
	start = bpf_ktime_get_ns();
	/* Each turn needs the result of the one before: latency, not width, decides. */
	for (i = 0; i < TURNS; i++)
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
	took = bpf_ktime_get_ns() - start;
	s->sink = x;
	if (took < s->fastest_ns || !s->fastest_ns)
		s->fastest_ns = took;
	if (took > 3 * s->fastest_ns) {
		s->broken++;
		return 0;
	}
	s->turns += TURNS;
	s->time_ns += took;
	return 0;
}
