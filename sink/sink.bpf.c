//go:build ignore

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The sink: counts the test frames of the current epoch, and everything else apart from them. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>
#include "testframe.h"
#include "copyframe.h"

#define MAX_CPUS 512
#define MAX_BINS 8192 /* of a timeline */
#define WINDOW 64 /* sequence numbers back in which a duplicate is told from a reordered frame */

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* One per CPU, so that no two CPUs write to one cache line. */
struct counters {
	__u64 received; /* unique test frames of this epoch */
	__u64 received_bytes; /* without FCS */
	__u64 duplicated;
	__u64 reordered;
	__u64 late; /* test frames of another epoch */
	__u64 foreign;
	__u64 foreign_bytes;
	__u64 wrong_size;
	__u64 wrong_tuple;
	__u64 wrong_flow;
	__u64 first_ns;
	__u64 last_ns;
	__u64 latency_sum_ns;
	__u32 latency_min_ns;
	__u32 latency_max_ns;
	__u64 gap_frames; /* frames that a later frame of their flow showed to be missing, less those that came late */
	__u64 gap_ns;     /* CLOCK_MONOTONIC at which the frame left that showed the last of them */
};

struct latencies {
	__u32 buckets[HISTOGRAM_BUCKETS];
};

struct flow_state {
	__u64 window;  /* bit i: sequence next-1-i has been seen */
	__u32 next;    /* the sequence expected next */
	__u32 received;
	__u32 tuple;   /* addresses and ports that frames of this flow must have */
	__u16 epoch;
	__u16 spare;
};

/* Differences between the latencies of two frames that follow each other in their
 * flow (RFC 5481 section 4.1, IPDV), by sign. */
struct variations {
	__u64 pairs;
	__s64 min_ns, max_ns;
	__u32 falling[HISTOGRAM_BUCKETS]; /* the later frame was faster: the amount */
	__u32 rising[HISTOGRAM_BUCKETS];  /* slower, or as fast */
};

/* Frames of this epoch by the time of their arrival. */
struct timelines {
	__u32 bins[MAX_BINS];
};

/* Addresses and ports as the last frame of a flow had them, taken while learning. */
struct learned {
	__u32 source[4], destination[4];
	__u16 source_port, destination_port;
	__u32 seen;
};

/* The mark of frames of the kernel's own generator (struct pktgen_hdr and PKTGEN_MAGIC,
 * net/core/pktgen.c, Linux 6.18), all in network byte order. */
#define PKTGEN_MAGIC 0xbe9be955

struct pktgen_payload {
	__u32 magic, sequence, seconds, microseconds;
};

const volatile __u32 pass_foreign = 1;
const volatile __u32 pktgen = 0; /* 1: count pktgen's frames; 2: their sequence too, which is that of one thread; 3: count frames without a mark that have the tuple of flow 0 */
const volatile __u32 expected_size = 0; /* without FCS; 0: the length in the IP header */

__u16 epoch;
__u64 armed_ns;       /* CLOCK_MONOTONIC when the epoch began */
__s64 realtime_ns;    /* CLOCK_REALTIME, which pktgen stamps with, less CLOCK_MONOTONIC */
__u32 check_tuple; /* compare addresses and ports with flow_state.tuple */
__u32 learning;    /* fill the table learned */
__u32 vary;        /* fill the table variation */
__u64 bin_ns;      /* width of the bins of the table timeline; 0: do not fill it */
__u64 bins_from_ns; /* CLOCK_MONOTONIC at which the first bin begins */
__u32 throttle;    /* loops burnt per frame, to plant a slow receiver in tests */
__u32 burnt;       /* keeps the loops from being optimised away */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MAX_CPUS);
	__type(key, __u32);
	__type(value, struct counters);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MAX_CPUS);
	__type(key, __u32);
	__type(value, struct latencies);
} latency SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct flow_state);
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct learned);
} tuples SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MAX_CPUS);
	__type(key, __u32);
	__type(value, struct variations);
} variation SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MAX_CPUS);
	__type(key, __u32);
	__type(value, struct timelines);
} timeline SEC(".maps");

/* The latency of the frame with the highest sequence of each flow. A table of its own,
 * so that it costs nothing while it is not filled. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} last_latency SEC(".maps");

/* Of a packed member the compiler assumes no alignment and reads byte by byte. The
 * verifier allows unaligned access to frames on machines that have it (x86, arm64). */
#define GET(member) (*(const typeof(member) *)(const void *)&(member))

struct udp_ports {
	__u16 source, destination, length, checksum;
	struct test_payload payload;
} __attribute__((packed));

struct ipv4_test {
	__u8 ethernet[14];
	__u8 version_length, tos;
	__u16 total_length;
	__u8 identification[5];
	__u8 protocol;
	__u16 checksum;
	__u32 source[1], destination[1];
	struct udp_ports udp;
} __attribute__((packed));

struct ipv6_test {
	__u8 ethernet[14];
	__u32 version;
	__u16 payload_length;
	__u8 next_header, hop_limit;
	__u32 source[4], destination[4];
	struct udp_ports udp;
} __attribute__((packed));

struct parsed {
	struct udp_ports *udp;
	__u32 *source, *destination;
	__u32 words; /* of an address */
	__u32 length; /* of the frame, as its IP header says */
};

enum mark { NO_MARK, TEST_MARK, PKTGEN_MARK, UNMARKED };

static __always_inline int mark_of(struct udp_ports *udp)
{
	if (GET(udp->payload.magic) == TEST_MAGIC)
		return TEST_MARK;
	if (pktgen == 3)
		return UNMARKED;
	if (pktgen && *(const __u32 *)(const void *)&udp->payload == bpf_htonl(PKTGEN_MAGIC))
		return PKTGEN_MARK;
	return NO_MARK;
}

/* What a frame that is IP and UDP is marked with. */
static __always_inline int parse(void *data, void *end, struct parsed *out)
{
	struct ipv4_test *v4 = data;
	struct ipv6_test *v6 = data;
	__u16 type;

	if ((void *)(v4 + 1) > end)
		return 0;
	type = *(__u16 *)(data + 12);
	if (type == bpf_htons(ETH_P_IP)) {
		if (v4->version_length != 0x45 || v4->protocol != IPPROTO_UDP)
			return 0;
		out->udp = &v4->udp;
		out->source = v4->source;
		out->destination = v4->destination;
		out->words = 1;
		out->length = ETH_HLEN + bpf_ntohs(GET(v4->total_length));
		return mark_of(out->udp);
	}
	if (type == bpf_htons(ETH_P_IPV6)) {
		if ((void *)(v6 + 1) > end || v6->next_header != IPPROTO_UDP)
			return 0;
		out->udp = &v6->udp;
		out->source = v6->source;
		out->destination = v6->destination;
		out->words = 4;
		out->length = ETH_HLEN + 40 + bpf_ntohs(GET(v6->payload_length));
		return mark_of(out->udp);
	}
	return 0;
}

static __always_inline __u32 tuple_of(struct parsed *p)
{
	__u32 h = tuple_step(0, p->source[0]);

	if (p->words == 4) {
#pragma unroll
		for (int i = 1; i < 4; i++)
			h = tuple_step(h, p->source[i]);
	}
	h = tuple_step(h, p->destination[0]);
	if (p->words == 4) {
#pragma unroll
		for (int i = 1; i < 4; i++)
			h = tuple_step(h, p->destination[i]);
	}
	return tuple_step(h, (__u32)GET(p->udp->source) << 16 | GET(p->udp->destination));
}

static __always_inline void learn(__u32 flow, struct parsed *p)
{
	struct learned *l = bpf_map_lookup_elem(&tuples, &flow);

	if (!l)
		return;
	l->source[0] = p->source[0];
	l->destination[0] = p->destination[0];
	if (p->words == 4) {
#pragma unroll
		for (int i = 1; i < 4; i++) {
			l->source[i] = p->source[i];
			l->destination[i] = p->destination[i];
		}
	}
	l->source_port = GET(p->udp->source);
	l->destination_port = GET(p->udp->destination);
	l->seen++;
}

/* What the sequence of a frame makes of it. */
enum order {
	DUPLICATE,
	BEHIND,  /* reordered */
	AHEAD,   /* the first of its flow, or some before it are missing */
	FOLLOWS, /* the one before it in its flow came before it */
};

/* RFC 4737: a frame is reordered if its sequence is below the one expected next. */
static __always_inline enum order in_order(struct counters *c, struct flow_state *f, __u32 sequence, __u32 sent_ns)
{
	__u32 ahead, behind;
	__u64 now;

	if (f->epoch != epoch) {
		f->epoch = epoch;
		f->window = 0;
		f->next = 0;
		f->received = 0;
	}
	if (sequence == f->next) {
		f->window = f->window << 1 | 1;
		f->next = sequence + 1;
		return sequence ? FOLLOWS : AHEAD;
	}
	ahead = sequence - f->next;
	if (ahead < 0x80000000) {
		f->window = ahead < WINDOW - 1 ? f->window << (ahead + 1) | 1 : 1;
		f->next = sequence + 1;
		c->gap_frames += ahead;
		now = bpf_ktime_get_ns();
		c->gap_ns = now - (__u32)((__u32)now - sent_ns);
		return AHEAD;
	}
	behind = f->next - 1 - sequence;
	if (behind < WINDOW) {
		if (f->window >> behind & 1) {
			c->duplicated++;
			return DUPLICATE;
		}
		f->window |= 1ULL << behind;
	}
	c->reordered++;
	c->gap_frames--;
	return BEHIND;
}

static __always_inline void in_time(__u32 cpu, __u64 now)
{
	struct timelines *t = bpf_map_lookup_elem(&timeline, &cpu);
	__u64 bin = (now - bins_from_ns) / bin_ns;

	if (t && bin < MAX_BINS)
		t->bins[bin]++;
}

static __always_inline __u32 time(struct counters *c, __u32 cpu, __u32 sent_ns)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 lag = (__u32)now - sent_ns, bucket = histogram_bucket(lag);
	struct latencies *l = bpf_map_lookup_elem(&latency, &cpu);

	if (!c->first_ns) {
		c->first_ns = now;
		c->latency_min_ns = lag;
	}
	c->last_ns = now;
	if (bin_ns)
		in_time(cpu, now);
	c->latency_sum_ns += lag;
	if (lag < c->latency_min_ns)
		c->latency_min_ns = lag;
	if (lag > c->latency_max_ns)
		c->latency_max_ns = lag;
	if (l && bucket < HISTOGRAM_BUCKETS)
		l->buckets[bucket]++;
	return lag;
}

/* A frame that follows its predecessor in the flow is compared with it. One that
 * overtook others becomes the next to be compared with, one behind does not. */
static __always_inline void compare(__u32 cpu, __u32 flow, enum order order, __u32 lag)
{
	__u32 *last = bpf_map_lookup_elem(&last_latency, &flow), amount, bucket;
	struct variations *v;
	__s64 difference;

	if (!last || order == BEHIND)
		return;
	difference = (__s64)lag - *last;
	*last = lag;
	v = bpf_map_lookup_elem(&variation, &cpu);
	if (!v || order != FOLLOWS)
		return;
	if (!v->pairs++)
		v->min_ns = v->max_ns = difference;
	if (difference < v->min_ns)
		v->min_ns = difference;
	if (difference > v->max_ns)
		v->max_ns = difference;
	amount = difference < 0 ? -difference : difference;
	bucket = histogram_bucket(amount);
	barrier_var(bucket); /* one register for the check and the index: Linux 6.1 does not see that two are equal */
	if (bucket >= HISTOGRAM_BUCKETS)
		return;
	if (difference < 0)
		v->falling[bucket]++;
	else
		v->rising[bucket]++;
}

/* A frame of pktgen has no epoch: one that left before this one began is late. Its time
 * stamp is in microseconds, rounded down. */
static __always_inline int receive_pktgen(struct counters *c, __u32 cpu, struct parsed *p, __u32 length)
{
	struct pktgen_payload *mark = (void *)&p->udp->payload;
	__u64 sent = (__u64)bpf_ntohl(mark->seconds) * 1000000000 + (__u64)bpf_ntohl(mark->microseconds) * 1000 - realtime_ns;
	__u32 number = 0;
	struct flow_state *f = bpf_map_lookup_elem(&flows, &number);

	if ((__s64)(sent + 1000 - armed_ns) < 0) {
		c->late++;
		return XDP_DROP;
	}
	/* pktgen counts from 1. */
	if (pktgen == 2 && f && in_order(c, f, bpf_ntohl(mark->sequence) - 1, (__u32)sent) == DUPLICATE)
		return XDP_DROP;
	c->received++;
	c->received_bytes += length;
	if (length != (expected_size ? expected_size : p->length))
		c->wrong_size++;
	time(c, cpu, (__u32)sent);
	return XDP_DROP;
}

/* A frame without a mark is known by its addresses and ports. It carries nothing else
 * that could be told of it. */
static __always_inline int is_flow_0(struct parsed *p)
{
	__u32 number = 0;
	struct flow_state *f = bpf_map_lookup_elem(&flows, &number);

	return f && tuple_of(p) == f->tuple;
}

static __always_inline int receive_unmarked(struct counters *c, __u32 cpu, struct parsed *p, __u32 length)
{
	__u64 now = bpf_ktime_get_ns();

	if (!c->first_ns)
		c->first_ns = now;
	c->last_ns = now;
	if (bin_ns)
		in_time(cpu, now);
	c->received++;
	c->received_bytes += length;
	if (length != (expected_size ? expected_size : p->length))
		c->wrong_size++;
	return XDP_DROP;
}

SEC("xdp.frags")
int receive(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 cpu = bpf_get_smp_processor_id(), number, length;
	struct parsed p;
	struct counters *c = bpf_map_lookup_elem(&counts, &cpu);
	struct flow_state *f;
	enum order order;
	__u32 lag;

	if (!c)
		return XDP_PASS;
	length = bpf_xdp_get_buff_len(ctx);
	copy_frame(ctx, length);
	switch (parse(data, end, &p)) {
	case UNMARKED:
		if (is_flow_0(&p))
			return receive_unmarked(c, cpu, &p, length);
		/* fallthrough */
	case NO_MARK:
		c->foreign++;
		c->foreign_bytes += length;
		return pass_foreign ? XDP_PASS : XDP_DROP;
	case PKTGEN_MARK:
		return receive_pktgen(c, cpu, &p, length);
	}
	if (GET(p.udp->payload.epoch) != epoch) {
		c->late++;
		return XDP_DROP;
	}
	number = GET(p.udp->payload.flow);
	f = bpf_map_lookup_elem(&flows, &number);
	if (!f) {
		c->wrong_flow++;
		return XDP_DROP;
	}
	if (throttle && burn(throttle) == 0x5eed)
		burnt++;
	order = in_order(c, f, GET(p.udp->payload.sequence), GET(p.udp->payload.sent_ns));
	if (order == DUPLICATE)
		return XDP_DROP;
	f->received++;
	c->received++;
	c->received_bytes += length;
	if (length != (expected_size ? expected_size : p.length))
		c->wrong_size++;
	if (learning)
		learn(number, &p);
	if (check_tuple && tuple_of(&p) != f->tuple)
		c->wrong_tuple++;
	lag = time(c, cpu, GET(p.udp->payload.sent_ns));
	if (vary)
		compare(cpu, number, order, lag);
	return XDP_DROP;
}
