// Package attribution says which parts of the kernel a packet's cost belongs to. What
// samples or counts, on the host or in a guest, names functions; this names their subsystems.
package attribution

import "strings"

// Other is the subsystem of functions that fit none.
const Other = "other"

// subsystem is a part of the kernel by the beginnings of its functions' names and by its modules.
type subsystem struct {
	name     string
	prefixes []string
	modules  []string
}

var subsystems = []subsystem{
	{"user space", []string{User}, nil},
	{"generator (pktgen)", []string{"pktgen_", "mod_cur_headers", "fill_packet", "spin"}, []string{"pktgen"}},
	{"driver (veth)", []string{"veth_"}, []string{"veth"}},
	{"XDP and BPF", []string{"bpf_", "__bpf_", "xdp_", "__xdp_", "dev_map_", "__dev_map", "cpu_map_", "do_xdp", "__htab_map", "htab_", "array_map", "percpu_array"}, []string{"bpf"}},
	{"bridge", []string{"br_", "__br_"}, []string{"bridge"}},
	{"NAT", []string{"nf_nat", "__nf_nat", "nf_xfrm_me", "nft_nat", "nft_masq", "xt_nat", "masquerade_tg", "nf_ct_nat"}, []string{"nf_nat", "nft_chain_nat", "nft_nat", "nft_masq", "xt_nat", "xt_MASQUERADE", "iptable_nat"}},
	{"connection tracking", []string{"__siphash", "siphash", "nf_conntrack", "__nf_conntrack", "nf_ct", "__nf_ct", "nf_confirm", "hash_conntrack", "ipv4_conntrack", "ipv6_conntrack", "nf_defrag", "ipv4_confirm"}, []string{"nf_conntrack", "nf_defrag_ipv4", "nf_defrag_ipv6"}},
	{"nftables and iptables", []string{"nft_", "__nft_", "ipt_", "ip6t_", "xt_", "iptable_", "conntrack_mt", "state_mt", "udp_mt", "tcp_mt", "comment_mt"}, []string{"nf_tables", "nft_ct", "nft_compat", "ip_tables", "x_tables", "iptable_filter"}},
	{"netfilter hooks", []string{"nf_"}, nil},
	{"IPsec policy (xfrm)", []string{"xfrm_", "__xfrm_", "decode_session", "security_xfrm"}, nil},
	{"neighbour", []string{"neigh_", "__neigh", "___neigh", "arp_"}, nil},
	{"route look-up (FIB)", []string{"fib_", "__fib", "fib6_", "rt6_", "ip6_pol_route", "ip6_route", "ip_route_", "rt_dst", "rt_set", "rt_cache", "rt_add", "ip_rt_", "ip_mc_validate", "ip_skb_dst_mtu", "ip_dst_mtu", "dst_", "ipv4_dst", "ip_dst", "ip6_dst", "inet_addr", "skb_dst", "find_exception", "nexthop_", "nh_", "make_kuid", "map_id_"}, nil},
	{"IP", []string{"ip_", "__ip_", "ip6_", "__ip6_", "ipv6_", "inet_", "udp", "ipv4_"}, nil},
	{"qdisc and transmit", []string{"dev_", "__dev_", "qdisc", "__qdisc", "sch_", "pfifo_fast", "validate_xmit", "netdev_", "xmit_", "netif_skb_features", "skb_network_protocol", "harmonize", "passthru", "eth_header", "__skb_get_hash", "netif_tx"}, nil},
	{"GRO and core receive", []string{"netif_", "__netif", "enqueue_to_backlog", "process_backlog", "net_rx", "napi_", "__napi", "gro_", "inet_gro", "udp_gro", "udp4_gro", "udp6_gro", "ipv6_gro", "skb_gro", "dev_gro", "eth_type_trans", "get_rps", "net_timestamp", "eth_"}, nil},
	{"packet memory", []string{"skb_", "__skb", "pskb_", "__copy_skb", "memcg_", "__alloc_skb", "alloc_skb", "kfree_skb", "sk_skb_reason_drop", "consume_skb", "__kfree_skb", "kmem_", "kmalloc", "__kmalloc", "__kmem", "kfree", "ksize", "__ksize", "slab_", "__slab", "___slab", "page_", "__page_", "__build_skb", "build_skb", "memset", "memcpy", "__memset", "__memcpy", "clear_", "sock_wfree", "refill_", "cache_from_obj", "should_fail", "__napi_alloc", "napi_alloc", "napi_build_skb", "__netdev_alloc", "netdev_alloc", "napi_skb_", "napi_consume", "put_page", "get_page", "alloc_pages", "__alloc_pages", "__alloc_frozen_pages", "free_frozen_pages", "__free_frozen", "rmqueue", "free_unref", "free_pcppages", "__folio_put", "inet_frag", "csum_", "do_csum", "get_partial_node", "put_cpu_partial"}, nil},
	{"locks, RCU and softirq", []string{"__rcu", "rcu_", "_raw_", "__raw", "__local_bh", "__do_softirq", "do_softirq", "handle_softirqs", "__raise_softirq", "raise_softirq", "rt_spin", "rt_read", "migrate_", "queued_", "native_queued", "preempt_", "__cond_resched", "_cond_resched", "irqtime", "rt_mutex", "lock_", "mutex_", "local_bh"}, nil},
	{"mitigations and hardening", []string{"its_return", "srso_", "retbleed", "__x86_return", "__x86_indirect", "__pi___x86_indirect", "__pi_its_", "__list_add_valid", "__list_del_entry_valid", "__check_object", "__stack_chk", "__fortify", "usercopy_"}, nil},
	{"scheduler and timers", []string{"sched", "__sched", "schedule", "__schedule", "ktime", "hrtimer", "__hrtimer", "timekeeping", "tick_", "update_", "run_timer", "read_tsc", "sysvec", "asm_sysvec", "irq_", "irqentry", "native_", "pvclock", "kvm_clock", "clocksource", "timer_", "try_to_wake", "pick_", "kthread", "dequeue_task", "enqueue_task", "dl_server", "rt_task", "finish_task", "perf_", "__perf_", "smp_", "__smp", "entry_", "do_idle", "cpuidle", "default_idle", "acct_", "account_"}, nil},
}

// Subsystem is the part of the kernel that a function belongs to, by its name as in
// /proc/kallsyms, with its module in brackets behind it if it has one: that of its module,
// else that of the longest beginning of its name that is known.
func Subsystem(function string) string {
	name, module, _ := strings.Cut(function, " ")
	module = strings.Trim(module, "[]")
	best, longest := Other, 0
	for _, s := range subsystems {
		for _, m := range s.modules {
			if m == module {
				return s.name
			}
		}
		for _, p := range s.prefixes {
			if len(p) > longest && strings.HasPrefix(name, p) {
				best, longest = s.name, len(p)
			}
		}
	}
	return best
}

// Subsystems are the names of all parts of the kernel but Other.
func Subsystems() []string {
	names := make([]string, len(subsystems))
	for i, s := range subsystems {
		names[i] = s.name
	}
	return names
}
