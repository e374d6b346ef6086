//go:build ignore

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts the frames that the kernel drops in the namespaces of a testbed, by
 * reason, place and device. Test frames of the current epoch are told from others. */
#include <linux/bpf.h>
#include <linux/in.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "testframe.h"

#define MAX_NAMESPACES 4
#define MAX_PLACES 1024
#define ETH_LEN 14
#define IPV4_PAYLOAD 28 /* where UDP payload begins, from the IP header */
#define IPV6_PAYLOAD 48

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define KERNEL __attribute__((preserve_access_index))
struct ns_common { unsigned int inum; } KERNEL;
struct net { struct ns_common ns; } KERNEL;
typedef struct { struct net *net; } KERNEL possible_net_t;
struct net_device { int ifindex; possible_net_t nd_net; } KERNEL;
struct dst_entry { struct net_device *dev; } KERNEL;
struct skb_shared_info { unsigned short gso_segs; } KERNEL;
struct sk_buff {
	struct net_device *dev;
	unsigned int data_len;
	__u16 network_header, mac_header;
	unsigned int tail, end;
	unsigned char *head;
	unsigned long _skb_refdst;
} KERNEL;
struct bpf_dtab_netdev { struct net_device *dev; } KERNEL;

/* What a count is of. The numbers are those of Go's type kind. */
enum kind {
	TEST_FRAME = 1,  /* a test frame of this epoch; code is its drop reason */
	LATE_FRAME,      /* a test frame of another epoch */
	FOREIGN_FRAME,
	XDP_EXCEPTION,   /* code is the verdict of the program */
	REDIRECT_FAILED, /* code is the error */
	XMIT_FAILED,     /* frames that a device refused altogether; code is the error */
};

struct place {
	__u64 location; /* address of the code that dropped the frame */
	__u32 inode;    /* of the network namespace */
	__u32 ifindex;
	__u32 kind;
	__u32 code;
};

const volatile __u32 namespaces[MAX_NAMESPACES]; /* inodes; 0 ends the list */
const volatile __u32 dut_inode;
/* Code of the veth driver from which every frame goes that an XDP program dropped.
 * On the tester's side that is the sink, and no loss. */
const volatile __u64 sink_from, sink_to;
const volatile __u16 epoch;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, MAX_PLACES);
	__type(key, struct place);
	__type(value, __u64);
} places SEC(".maps");

static __always_inline void count(struct place *p, __u64 frames)
{
	__u64 *n = bpf_map_lookup_elem(&places, p);

	if (n)
		*n += frames;
	else
		bpf_map_update_elem(&places, p, &frames, BPF_NOEXIST);
}

static __always_inline int watched(__u32 inode)
{
#pragma unroll
	for (int i = 0; i < MAX_NAMESPACES; i++)
		if (inode == namespaces[i])
			return inode != 0;
	return 0;
}

/* The kind of a payload that begins with its epoch and the signature. */
static __always_inline __u32 payload_kind(const __u8 *payload)
{
	__u16 e = payload[0] | payload[1] << 8;
	__u32 magic = payload[2] | payload[3] << 8 | payload[4] << 16 | (__u32)payload[5] << 24;

	if (magic != TEST_MAGIC)
		return FOREIGN_FRAME;
	return e == epoch ? TEST_FRAME : LATE_FRAME;
}

/* The linear data of a long frame may end before its payload. The address blocks of
 * benchmarks tell it then (RFC 2544 appendix C.2.2, RFC 5180). */
static __always_inline __u32 kind_by_address(struct sk_buff *skb, __u32 offset)
{
	__u8 ip[20];

	if (offset + sizeof(ip) > skb->tail || bpf_probe_read_kernel(ip, sizeof(ip), skb->head + offset))
		return FOREIGN_FRAME;
	if (ip[0] == 0x45 && ip[9] == IPPROTO_UDP && ip[16] == 198 && (ip[17] & 0xfe) == 18)
		return TEST_FRAME;
	if (ip[0] >> 4 == 6 && ip[6] == IPPROTO_UDP && ip[8] == 0x20 && ip[9] == 0x01 && ip[10] == 0 && ip[11] == 2 && !ip[12] && !ip[13])
		return TEST_FRAME;
	return FOREIGN_FRAME;
}

/* The kind of the frame whose IP header is at an offset of the skb's linear data. */
static __always_inline __u32 kind_at(struct sk_buff *skb, __u32 offset)
{
	__u8 ip[IPV4_PAYLOAD + 6], payload[6];
	__u32 tail = skb->tail;

	if (skb->data_len && offset + IPV6_PAYLOAD + sizeof(payload) > tail)
		return kind_by_address(skb, offset);
	if (offset + sizeof(ip) > tail || bpf_probe_read_kernel(ip, sizeof(ip), skb->head + offset))
		return FOREIGN_FRAME;
	if (ip[0] == 0x45 && ip[9] == IPPROTO_UDP)
		return payload_kind(ip + IPV4_PAYLOAD);
	if (ip[0] >> 4 != 6 || ip[6] != IPPROTO_UDP || offset + IPV6_PAYLOAD + sizeof(payload) > tail)
		return FOREIGN_FRAME;
	if (bpf_probe_read_kernel(payload, sizeof(payload), skb->head + offset + IPV6_PAYLOAD))
		return FOREIGN_FRAME;
	return payload_kind(payload);
}

/* A frame that has not come to the network layer has no network header yet. */
static __always_inline __u32 kind_of(struct sk_buff *skb)
{
	__u32 kind = FOREIGN_FRAME;
	__u16 mac = skb->mac_header;

	if (skb->network_header)
		kind = kind_at(skb, skb->network_header);
	if (kind == FOREIGN_FRAME && mac != 0xffff && mac + ETH_LEN != skb->network_header)
		kind = kind_at(skb, mac + ETH_LEN);
	return kind;
}

/* GRO may have joined several frames; they are then in fragments. */
static __always_inline __u64 frames_of(struct sk_buff *skb)
{
	__u16 segments = 0;

	if (skb->data_len)
		bpf_probe_read_kernel(&segments, sizeof(segments),
				      skb->head + skb->end + bpf_core_field_offset(struct skb_shared_info, gso_segs));
	return segments ? segments : 1;
}

SEC("tp_btf/kfree_skb")
int BPF_PROG(on_drop, struct sk_buff *skb, void *location, int reason)
{
	struct place p = {.location = (__u64)location, .code = reason};
	struct net_device *dev = skb->dev;

	if (dev) {
		p.inode = dev->nd_net.net->ns.inum;
		p.ifindex = dev->ifindex;
	} else { /* while it is sent by the machine itself: where it was going */
		struct dst_entry *dst = (void *)(skb->_skb_refdst & ~1UL);

		dev = dst ? BPF_CORE_READ(dst, dev) : 0;
		if (!dev)
			return 0;
		p.inode = BPF_CORE_READ(dev, nd_net.net, ns.inum);
		p.ifindex = BPF_CORE_READ(dev, ifindex);
	}
	if (!watched(p.inode))
		return 0;
	if (p.location >= sink_from && p.location < sink_to && p.inode != dut_inode)
		return 0;
	p.kind = kind_of(skb);
	count(&p, frames_of(skb));
	return 0;
}

static __always_inline int count_device(struct net_device *dev, __u32 kind, __u32 code, __u64 frames)
{
	struct place p = {.kind = kind, .code = code};

	p.inode = BPF_CORE_READ(dev, nd_net.net, ns.inum);
	p.ifindex = BPF_CORE_READ(dev, ifindex);
	if (watched(p.inode))
		count(&p, frames);
	return 0;
}

SEC("tp_btf/xdp_exception")
int BPF_PROG(on_exception, struct net_device *dev, void *program, __u32 act)
{
	return count_device(dev, XDP_EXCEPTION, act, 1);
}

/* Of a redirect through a device map the target is known; of others the device
 * that the frame came from. */
SEC("tp_btf/xdp_redirect_err")
int BPF_PROG(on_redirect_err, struct net_device *dev, void *program, void *target, int err, int map_type)
{
	if (target && (map_type == BPF_MAP_TYPE_DEVMAP || map_type == BPF_MAP_TYPE_DEVMAP_HASH))
		dev = BPF_CORE_READ((struct bpf_dtab_netdev *)target, dev);
	return count_device(dev, REDIRECT_FAILED, -err, 1);
}

/* A device that takes some frames of a bulk counts the others itself. One that
 * takes none because it or its peer is down does not (veth_xdp_xmit,
 * drivers/net/veth.c, Linux 6.18). */
SEC("tp_btf/xdp_devmap_xmit")
int BPF_PROG(on_xmit, struct net_device *from, struct net_device *to, int sent, int drops, int err)
{
	if (err >= 0)
		return 0;
	return count_device(to, XMIT_FAILED, -err, drops);
}
