//go:build ignore

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Time on CPU of some threads. The scheduler's own sum is not used: when a thread
 * is about to be switched the kernel skips a clock update (rq_clock_skip_update,
 * kernel/sched/core.c, Linux 6.18), and charges the time since to the thread that
 * comes next. A NAPI thread that wakes another loses most of its time that way. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define MAX_THREADS 1024
#define MAX_CPUS 1024

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

struct running {
	__u64 since_ns;
	__u32 watched;
	__u32 spare;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_THREADS);
	__type(key, __u32);
	__type(value, __u32);
} watched SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MAX_CPUS);
	__type(key, __u32);
	__type(value, struct running);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MAX_CPUS);
	__type(key, __u32);
	__type(value, __u64);
} busy_ns SEC(".maps");

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u32 cpu = bpf_get_smp_processor_id(), pid = next->pid;
	struct running *r = bpf_map_lookup_elem(&cpus, &cpu);
	__u64 *sum = bpf_map_lookup_elem(&busy_ns, &cpu);
	__u64 now;

	if (!r || !sum)
		return 0;
	now = bpf_ktime_get_ns();
	if (r->watched)
		*sum += now - r->since_ns;
	r->since_ns = now;
	r->watched = bpf_map_lookup_elem(&watched, &pid) != 0;
	return 0;
}
