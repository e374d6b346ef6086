/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What BPF programs and Go have to agree on: the payload of a linerate test frame, the
 * histogram that generator and sink share, the form of a schedule. frame/payload.go,
 * frame/histogram.go and generator/pace.go hold the same for Go; a test of package
 * generator compares the constants. */
#ifndef LINERATE_TESTFRAME_H
#define LINERATE_TESTFRAME_H

#include <linux/types.h>

#define TEST_MAGIC 0x3152544c /* "LTR1" in memory on a little-endian machine */

/* 18 bytes: what fits into a 64-byte IPv4 UDP frame. The epoch comes first because
 * UDP payload starts 2 bytes off a 4-byte boundary for IPv4 and IPv6 alike. */
struct test_payload {
	__u16 epoch;
	__u32 magic;
	__u32 flow;     /* number of the flow within its direction */
	__u32 sequence; /* counts per flow and trial from 0 */
	__u32 sent_ns;  /* low 32 bits of CLOCK_MONOTONIC at departure: latencies under 4.29 s */
} __attribute__((packed));

#define MAX_SIZES 16  /* of a pattern of frame sizes */
#define TIME_SHIFT 16 /* fractional bits of a nanosecond in schedule times */

/* Log-linear histogram: 32 linear buckets per power of two, a resolution of 3.1 %. */
#define HISTOGRAM_SUB_BITS 5
#define HISTOGRAM_SUB (1 << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_BUCKETS ((32 - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB)

static __always_inline __u32 histogram_bucket(__u32 value)
{
	__u32 v = value, msb = 0;

	if (value < HISTOGRAM_SUB)
		return value;
	if (v & 0xffff0000) { msb += 16; v >>= 16; }
	if (v & 0xff00) { msb += 8; v >>= 8; }
	if (v & 0xf0) { msb += 4; v >>= 4; }
	if (v & 0xc) { msb += 2; v >>= 2; }
	if (v & 0x2) msb += 1;
	return ((msb - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS) +
	       ((value >> (msb - HISTOGRAM_SUB_BITS)) & (HISTOGRAM_SUB - 1));
}

/* Addresses and ports of a frame folded into 32 bits; frame.Flow.Tuple computes the same. */
static __always_inline __u32 tuple_step(__u32 h, __u32 word)
{
	h = (h ^ word) * 0x9e3779b1;
	return h ^ (h >> 15);
}

/* Spends time on a frame, to plant a slow generator or sink; needs bpf_helpers.h. */
#define MAX_BURN_LOOPS 4096
#define burn(loops) ({						\
	__u32 x_ = (loops);					\
	for (__u32 i_ = 0; i_ < MAX_BURN_LOOPS; i_++) {		\
		if (i_ >= (loops))				\
			break;					\
		x_ = tuple_step(x_, bpf_get_prandom_u32());	\
	}							\
	x_;							\
})

#endif
