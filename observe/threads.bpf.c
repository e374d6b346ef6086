//go:build ignore

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whose threads have each CPU, and for how long. The scheduler's own sum is not
 * used: when a thread is about to be switched the kernel skips a clock update
 * (rq_clock_skip_update, kernel/sched/core.c, Linux 6.18), and charges the time
 * since to the thread that comes next. A NAPI thread that wakes another loses most
 * of its time that way. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define MAX_THREADS 1024
#define MAX_CPUS 1024
#define MAX_FOREIGN 1024 /* foreign processes, times CPUs, of which the latest are named */
#define COMM_BYTES 16

/* Whose a thread is; owner in threads.go holds the same. */
#define UNKNOWN 0 /* before the first switch */
#define IDLE 1
#define DUT 2
#define SINK 3
#define OWN 4 /* this process: generators, and what steers the run */
#define FOREIGN 5
#define OWNERS 6
#define OWNER_BITS 8 /* above them stands the number of a thread of the DUT */

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct task_struct {
	int pid;
	int tgid;
	char comm[COMM_BYTES];
} __attribute__((preserve_access_index));

struct running {
	__u64 since_ns;
	__u32 whose; /* owner and number, as in watched */
	__u32 pid;
};

struct times {
	__u64 ns[OWNERS];
};

struct stranger {
	__u64 ns;
	char comm[COMM_BYTES];
};

const volatile __u32 own_tgid = 0;

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
	__type(value, struct times);
} owners SEC(".maps");

/* By CPU and process, the CPU in the upper half of the key. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MAX_FOREIGN);
	__type(key, __u64);
	__type(value, struct stranger);
} strangers SEC(".maps");

/* The threads of the DUT, one by one, by their numbers. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_THREADS);
	__type(key, __u32);
	__type(value, __u64);
} dut_ns SEC(".maps");

static __always_inline void note_dut(__u32 number, __u64 ns)
{
	__u64 *sum = bpf_map_lookup_elem(&dut_ns, &number);

	if (sum)
		*sum += ns;
}

static __always_inline void note_stranger(struct task_struct *task, __u64 cpu, __u64 ns)
{
	__u64 key = cpu << 32 | (__u32)task->tgid;
	struct stranger *s = bpf_map_lookup_elem(&strangers, &key), fresh = {};

	if (s) {
		s->ns += ns;
		bpf_probe_read_kernel(s->comm, sizeof(s->comm), task->comm); /* it may have called exec */
		return;
	}
	fresh.ns = ns;
	bpf_probe_read_kernel(fresh.comm, sizeof(fresh.comm), task->comm);
	bpf_map_update_elem(&strangers, &key, &fresh, BPF_ANY);
}

static __always_inline __u32 whose_is(struct task_struct *task)
{
	__u32 pid = task->pid, *whose;

	if (!pid)
		return IDLE;
	whose = bpf_map_lookup_elem(&watched, &pid);
	if (whose)
		return *whose;
	return task->tgid == own_tgid ? OWN : FOREIGN;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct running *r = bpf_map_lookup_elem(&cpus, &cpu);
	struct times *t = bpf_map_lookup_elem(&owners, &cpu);
	__u32 whose, owner;
	__u64 now, ran;

	if (!r || !t)
		return 0;
	now = bpf_ktime_get_ns();
	ran = now - r->since_ns;
	whose = r->whose;
	/* The tracepoint misses a few switches (some threads' going to sleep, seen on
	 * Linux 6.18). The time since the last one seen is then prev's: it runs now. */
	if (whose && r->pid != (__u32)prev->pid)
		whose = whose_is(prev);
	owner = whose & ((1 << OWNER_BITS) - 1);
	if (owner < OWNERS)
		t->ns[owner] += ran;
	if (owner == DUT)
		note_dut(whose >> OWNER_BITS, ran);
	if (owner == FOREIGN)
		note_stranger(prev, cpu, ran);
	r->since_ns = now;
	r->whose = whose_is(next);
	r->pid = next->pid;
	return 0;
}
