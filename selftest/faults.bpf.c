//go:build ignore

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A DUT with known faults: on the egress of the DUT's second device, every Nth test
 * frame is dropped, sent twice, or exchanged with the one before it. Frames are
 * IPv4 without options, as the generator makes them. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>
#include "testframe.h"

#define FAULT_DROP 1
#define FAULT_DUPLICATE 2
#define FAULT_EXCHANGE 3

#define PROTOCOL_AT (ETH_HLEN + 9)
#define CHECKSUM_AT (ETH_HLEN + 20 + 6)
#define PAYLOAD_AT (ETH_HLEN + 20 + 8)
#define MAGIC_AT (PAYLOAD_AT + 2)
#define SEQUENCE_AT (PAYLOAD_AT + 10)
/* A clone passes this program too, and is known by its mark. */
#define CLONE_MARK 0x5eed

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 fault = 0;
const volatile __u32 every = 1;

__u64 seen;    /* test frames */
__u64 planted; /* faults made */
__u64 failed;  /* faults that could not be made */
__u32 first;   /* the sequence of the earlier frame of a pair that is exchanged */

static __always_inline int is_test(struct __sk_buff *skb)
{
	__u16 type = 0;
	__u8 protocol = 0;
	__u32 magic = 0;

	if (bpf_skb_load_bytes(skb, 12, &type, sizeof(type)) || type != bpf_htons(ETH_P_IP))
		return 0;
	if (bpf_skb_load_bytes(skb, PROTOCOL_AT, &protocol, sizeof(protocol)) || protocol != IPPROTO_UDP)
		return 0;
	return !bpf_skb_load_bytes(skb, MAGIC_AT, &magic, sizeof(magic)) && magic == TEST_MAGIC;
}

static __always_inline int renumber(struct __sk_buff *skb, __u32 was, __u32 is)
{
	if (bpf_l4_csum_replace(skb, CHECKSUM_AT, was, is, BPF_F_MARK_MANGLED_0 | sizeof(is)))
		return -1;
	return bpf_skb_store_bytes(skb, SEQUENCE_AT, &is, sizeof(is), 0);
}

/* Two frames of one flow differ in their sequence only, and in a time stamp of some
 * microseconds: to exchange their numbers is to exchange the frames. */
static __always_inline void exchange(struct __sk_buff *skb, __u64 number)
{
	__u32 sequence = 0;

	if (bpf_skb_load_bytes(skb, SEQUENCE_AT, &sequence, sizeof(sequence)))
		return;
	if (number % every == every - 1) {
		first = sequence;
		if (renumber(skb, sequence, sequence + 1))
			failed++;
	} else if (number % every == 0) {
		if (sequence != first + 1 || renumber(skb, sequence, first))
			failed++;
		else
			planted++;
	}
}

SEC("tc")
int faulty(struct __sk_buff *skb)
{
	__u64 number;

	if (skb->mark == CLONE_MARK || !is_test(skb))
		return TC_ACT_OK;
	number = ++seen;
	if (fault == FAULT_EXCHANGE) {
		exchange(skb, number);
		return TC_ACT_OK;
	}
	if (number % every)
		return TC_ACT_OK;
	if (fault == FAULT_DROP) {
		planted++;
		return TC_ACT_SHOT;
	}
	if (fault == FAULT_DUPLICATE) {
		skb->mark = CLONE_MARK;
		if (bpf_clone_redirect(skb, skb->ifindex, 0))
			failed++;
		else
			planted++;
	}
	return TC_ACT_OK;
}
