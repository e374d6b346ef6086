//go:build ignore

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Devices under test that forward in XDP, before the kernel makes an skb of a frame.
 * What a program cannot forward itself it leaves to the kernel's stack. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

#define AF_INET 2
#define AF_INET6 10

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* What became of a frame; dut/xdp/xdp.go has the names. */
enum action { REDIRECTED, NOT_IP, TTL_EXPIRES, NOT_IN_FIB, OTHER_PORT, ACTIONS };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ACTIONS);
	__type(key, __u32);
	__type(value, __u64);
} actions SEC(".maps");

/* The DUT's devices by ifindex: the router asks for the one that a frame leaves by, and
 * the bridge for the one that it came from, whose entry is the other one. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

static __always_inline int took(__u32 action, int verdict)
{
	__u64 *n = bpf_map_lookup_elem(&actions, &action);

	if (n)
		++*n;
	return verdict;
}

/* With a port that the map lacks the helper returns its flags, XDP_PASS. */
static __always_inline int redirect(__u32 port)
{
	int verdict = bpf_redirect_map(&ports, port, XDP_PASS);

	return took(verdict == XDP_REDIRECT ? REDIRECTED : OTHER_PORT, verdict);
}

/* The header checksum after the TTL has become one less (RFC 1624). */
static __always_inline void decrease_ttl(struct iphdr *ip)
{
	__u32 sum = ip->check + bpf_htons(0x0100);

	ip->check = sum + (sum >= 0xffff);
	ip->ttl--;
}

SEC("xdp.frags")
int route(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *ethernet = data;
	struct bpf_fib_lookup fib = {.ifindex = ctx->ingress_ifindex};
	struct ipv6hdr *ip6 = 0;
	struct iphdr *ip = 0;

	if ((void *)(ethernet + 1) > end)
		return took(NOT_IP, XDP_PASS);
	if (ethernet->h_proto == bpf_htons(ETH_P_IP)) {
		ip = (void *)(ethernet + 1);
		if ((void *)(ip + 1) > end || ip->ihl != 5)
			return took(NOT_IP, XDP_PASS);
		if (ip->ttl <= 1)
			return took(TTL_EXPIRES, XDP_PASS);
		fib.family = AF_INET;
		fib.tos = ip->tos;
		fib.l4_protocol = ip->protocol;
		fib.tot_len = bpf_ntohs(ip->tot_len);
		fib.ipv4_src = ip->saddr;
		fib.ipv4_dst = ip->daddr;
	} else if (ethernet->h_proto == bpf_htons(ETH_P_IPV6)) {
		ip6 = (void *)(ethernet + 1);
		if ((void *)(ip6 + 1) > end)
			return took(NOT_IP, XDP_PASS);
		if (ip6->hop_limit <= 1)
			return took(TTL_EXPIRES, XDP_PASS);
		fib.family = AF_INET6;
		fib.l4_protocol = ip6->nexthdr;
		fib.tot_len = bpf_ntohs(ip6->payload_len) + sizeof(*ip6);
		__builtin_memcpy(fib.ipv6_src, &ip6->saddr, sizeof(fib.ipv6_src));
		__builtin_memcpy(fib.ipv6_dst, &ip6->daddr, sizeof(fib.ipv6_dst));
	} else {
		return took(NOT_IP, XDP_PASS);
	}
	if (bpf_fib_lookup(ctx, &fib, sizeof(fib), 0) != BPF_FIB_LKUP_RET_SUCCESS)
		return took(NOT_IN_FIB, XDP_PASS);
	/* Nothing may be changed of a frame that the stack is to forward instead. */
	if (!bpf_map_lookup_elem(&ports, &fib.ifindex))
		return took(OTHER_PORT, XDP_PASS);
	if (ip)
		decrease_ttl(ip);
	else if (ip6)
		ip6->hop_limit--;
	__builtin_memcpy(ethernet->h_dest, fib.dmac, ETH_ALEN);
	__builtin_memcpy(ethernet->h_source, fib.smac, ETH_ALEN);
	return redirect(fib.ifindex);
}

SEC("xdp.frags")
int bridge(struct xdp_md *ctx)
{
	return redirect(ctx->ingress_ifindex);
}
