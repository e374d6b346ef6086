//go:build ignore

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The generator: run with BPF_F_TEST_XDP_LIVE_FRAMES, each invocation either sends
 * one frame of a stream that is due, or drops the frame because none is.
 *
 * A live frame comes back as the DUT left it and is not initialised again, so
 * every header field that a path can change is written for each departure. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>
#include "testframe.h"
#include "copyframe.h"

#define MAX_STREAMS 2
#define ETH_LEN 14
#define UDP_LEN 8
/* Unpaced, so many frames share one reading of the clock, which costs as much as
 * half of sending a frame. The kernel hands frames to a device in bulks of 16
 * (DEV_MAP_BULK_SIZE, Linux 6.18), so they leave together anyway. */
#define CLOCK_SHARE 16

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct flow {
	__u32 source[4]; /* IPv4: the first word */
	__u32 destination[4];
	__u16 source_port, destination_port;
	__u16 ip_sum;  /* IPv4 header without its total length */
	__u16 udp_sum; /* pseudo header, ports and payload without lengths, epoch, sequence and time stamp */
	__u32 number;
	__u32 sequence;
};

struct stream {
	__u64 interval;  /* ns << TIME_SHIFT between departures; 0 sends as fast as it goes */
	__u64 catch_up;  /* ns << TIME_SHIFT that departures may lag before they are given up */
	__u64 burst;     /* ns << TIME_SHIFT of lag that may be made good at once */
	__u64 least_gap; /* ns << TIME_SHIFT between departures while more lag is made good */
	__u64 earliest;  /* ns << TIME_SHIFT after start before which the burst limit allows no departure */
	__u64 next;      /* ns << TIME_SHIFT after start of the next departure */
	__u64 step_at;   /* ns << TIME_SHIFT after start from which the load is another; ~0 for never */
	__u64 step_interval, step_catch_up, step_burst, step_least_gap; /* of that load */
	__u64 limit;     /* frames to send */
	__u64 sent;
	__u64 sent_bytes; /* without FCS */
	__u64 last_ns;
	__u64 first_ns;
	__u64 head[3];   /* Ethernet header and IP header up to its addresses or checksum */
	__u32 flow;      /* next entry of the flow table */
	__u32 size;      /* next entry of the size pattern */
};

const volatile __u32 ip_version = 4;
const volatile __u32 stream_count = 1;
const volatile __u32 flow_count = 1; /* per stream */
const volatile __u32 size_count = 1;
const volatile __u32 throttle = 0; /* loops burnt per frame sent; none are compiled in for 0 */
const volatile __u16 largest = 60; /* of the pattern: the length that each frame begins with */
const volatile __u16 sizes[MAX_SIZES] = {60}; /* the pattern of frame lengths without FCS */

/* Set for each trial by the loader, read here. */
__u64 start_ns;
__u64 deadline_ns; /* after start: nothing leaves later */
__u16 epoch;

struct stream streams[MAX_STREAMS];
__u32 turn;
__u32 gaps[HISTOGRAM_BUCKETS];
__u64 clock_ns; /* as last read */
__u32 clock_age; /* frames since then, on the whole */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct flow);
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, MAX_STREAMS);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

struct ipv4_frame {
	__u64 head[3]; /* Ethernet, then IPv4 up to and with the protocol */
	__u16 checksum;
	__u32 source, destination;
	__u16 source_port, destination_port, udp_length, udp_checksum;
	struct test_payload payload;
} __attribute__((packed));

struct ipv6_frame {
	__u64 head[2]; /* Ethernet, then the first two bytes of IPv6 */
	__u16 flow_label;
	__u16 length;
	__u16 next_header;
	__u32 source[4], destination[4];
	__u16 source_port, destination_port, udp_length, udp_checksum;
	struct test_payload payload;
} __attribute__((packed));

/* Of a packed member the compiler assumes no alignment and writes byte by byte. The
 * verifier allows unaligned access to frames on machines that have it (x86, arm64). */
#define PUT(member, value) (*(typeof(member) *)(void *)&(member) = (value))

static __always_inline __u16 fold(__u64 sum)
{
	sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32 & 0xffff);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static __always_inline void fill_payload(struct test_payload *p, struct flow *f, __u32 now)
{
	PUT(p->epoch, epoch);
	PUT(p->magic, TEST_MAGIC);
	PUT(p->flow, f->number);
	PUT(p->sequence, f->sequence);
	PUT(p->sent_ns, now);
}

/* RFC 768: a checksum that comes out as zero is sent as all ones. */
static __always_inline __u16 udp_checksum(struct flow *f, __u16 udp_length, __u32 now)
{
	__u64 sum = f->udp_sum;
	__u16 c;

	sum += 2ULL * udp_length; /* once in the pseudo header, once in the header */
	sum += epoch;
	sum += f->sequence; /* fold adds the halves of words */
	sum += now;
	c = ~fold(sum);
	return c ? c : 0xffff;
}

static __always_inline int fill_ipv4(struct xdp_md *ctx, struct stream *s, struct flow *f, __u16 size, __u32 now)
{
	struct ipv4_frame *p = (void *)(long)ctx->data;
	__u16 total = bpf_htons(size - ETH_LEN), udp = bpf_htons(size - ETH_LEN - 20);

	if ((void *)(p + 1) > (void *)(long)ctx->data_end)
		return -1;
	PUT(p->head[0], s->head[0]);
	PUT(p->head[1], s->head[1]);
	PUT(p->head[2], s->head[2]);
	if (size_count > 1)
		*(__u16 *)((void *)p + ETH_LEN + 2) = total;
	PUT(p->checksum, ~fold((__u64)f->ip_sum + total));
	PUT(p->source, f->source[0]);
	PUT(p->destination, f->destination[0]);
	PUT(p->source_port, f->source_port);
	PUT(p->destination_port, f->destination_port);
	PUT(p->udp_length, udp);
	PUT(p->udp_checksum, udp_checksum(f, udp, now));
	fill_payload(&p->payload, f, now);
	return 0;
}

static __always_inline int fill_ipv6(struct xdp_md *ctx, struct stream *s, struct flow *f, __u16 size, __u32 now)
{
	struct ipv6_frame *p = (void *)(long)ctx->data;
	__u16 udp = bpf_htons(size - ETH_LEN - 40);

	if ((void *)(p + 1) > (void *)(long)ctx->data_end)
		return -1;
	PUT(p->head[0], s->head[0]);
	PUT(p->head[1], s->head[1]);
	PUT(p->flow_label, s->head[2]);
	PUT(p->length, udp);
	PUT(p->next_header, s->head[2] >> 32);
#pragma unroll
	for (int i = 0; i < 4; i++) {
		PUT(p->source[i], f->source[i]);
		PUT(p->destination[i], f->destination[i]);
	}
	PUT(p->source_port, f->source_port);
	PUT(p->destination_port, f->destination_port);
	PUT(p->udp_length, udp);
	PUT(p->udp_checksum, udp_checksum(f, udp, now));
	fill_payload(&p->payload, f, now);
	return 0;
}

/* True if the stream has a frame to send now; takes the departure off its schedule. */
static __always_inline int due(struct stream *s, __u64 elapsed)
{
	__u64 at = elapsed << TIME_SHIFT;

	if (s->sent >= s->limit)
		return 0;
	if (!s->interval)
		return 1;
	if (at < s->next || at < s->earliest)
		return 0;
	/* A generator that was descheduled gives up what it missed beyond one
	 * burst: a receive ring could not take it, and it would count as loss of the DUT. */
	if (at - s->next > s->catch_up)
		s->next = at - s->catch_up;
	if (s->next >= s->step_at) {
		s->interval = s->step_interval;
		s->catch_up = s->step_catch_up;
		s->burst = s->step_burst;
		s->least_gap = s->step_least_gap;
		s->step_at = ~0ULL;
	}
	s->next += s->interval;
	if (at - s->earliest > s->burst)
		s->earliest = at - s->burst;
	s->earliest += s->least_gap;
	return 1;
}

static __always_inline int send(struct xdp_md *ctx, __u32 index, struct stream *s, __u64 now)
{
	__u32 key = s->flow, next = key + 1, bucket;
	__u16 size = sizes[0];
	struct flow *f;

	s->flow = next >= flow_count ? 0 : next;
	key += index * flow_count;
	f = bpf_map_lookup_elem(&flows, &key);
	if (!f)
		return XDP_ABORTED;
	if (size_count > 1) {
		__u32 i = s->size;

		size = sizes[i & (MAX_SIZES - 1)];
		s->size = i + 1 >= size_count ? 0 : i + 1;
		/* The kernel restores a changed length before the frame is used again. */
		if (bpf_xdp_adjust_tail(ctx, (int)size - (int)largest))
			return XDP_ABORTED;
	}
	if (ip_version == 4 ? fill_ipv4(ctx, s, f, size, now) : fill_ipv6(ctx, s, f, size, now))
		return XDP_ABORTED;
	f->sequence++;
	if (throttle && burn(throttle) == 0x5eed)
		turn = 0;
	if (s->interval && s->last_ns) {
		__u64 gap = now - s->last_ns;

		bucket = histogram_bucket(gap > 0xffffffff ? 0xffffffff : gap);
		if (bucket < HISTOGRAM_BUCKETS)
			gaps[bucket]++;
	}
	if (!s->sent)
		s->first_ns = now;
	s->last_ns = now;
	s->sent++;
	s->sent_bytes += size;
	copy_frame(ctx, size);
	return bpf_redirect_map(&ports, index, 0);
}

SEC("xdp")
int generate(struct xdp_md *ctx)
{
	__u64 now, elapsed;
	__u32 i = turn & (MAX_STREAMS - 1);

	if (streams[0].interval || clock_age++ % CLOCK_SHARE == 0)
		clock_ns = bpf_ktime_get_ns();
	now = clock_ns;
	elapsed = now - start_ns; /* before the start, and by the clock of an earlier load, beyond any deadline */
	if (elapsed >= deadline_ns)
		return XDP_DROP;
	if (stream_count == 1) {
		if (due(&streams[0], elapsed))
			return send(ctx, 0, &streams[0], now);
		return XDP_DROP;
	}
	turn = i ^ 1;
	if (due(&streams[i], elapsed))
		return send(ctx, i, &streams[i], now);
	i ^= 1;
	if (due(&streams[i], elapsed))
		return send(ctx, i, &streams[i], now);
	return XDP_DROP;
}
