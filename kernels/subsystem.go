package kernels

import "strings"

// subsystems are the parts of the kernel by the names of their functions, or of their
// modules in brackets; the first that fits counts. What fits none is "other".
var subsystems = []struct {
	name     string
	prefixes []string
	modules  []string
}{
	{"generator (pktgen)", []string{"pktgen_", "mod_cur_headers", "fill_packet", "spin"}, []string{"pktgen"}},
	{"driver (veth)", []string{"veth_"}, []string{"veth"}},
	{"bridge", []string{"br_"}, []string{"bridge"}},
	{"NAT", []string{"nf_nat", "nf_xfrm_me"}, []string{"nf_nat", "nft_chain_nat", "nft_nat"}},
	{"connection tracking", []string{"__siphash", "siphash", "nf_conntrack", "nf_ct", "__nf_ct", "nf_confirm", "hash_conntrack", "ipv4_conntrack"}, []string{"nf_conntrack", "nf_defrag_ipv4", "nf_defrag_ipv6"}},
	{"nftables", []string{"nft_"}, []string{"nf_tables", "nft_ct"}},
	{"netfilter hooks", []string{"nf_hook", "nf_"}, nil},
	{"neighbour", []string{"neigh_", "__neigh", "arp_", "___neigh"}, nil},
	{"route look-up (FIB)", []string{"fib_", "__fib", "ip_route_", "rt_dst", "rt_set", "rt_cache", "rt_add", "ip_rt_", "ip_mc_validate", "ip_skb_dst_mtu", "dst_", "ipv4_dst", "ip_dst", "inet_addr", "skb_dst", "find_exception"}, nil},
	{"IP", []string{"ip_", "__ip_", "inet_", "udp", "ipv4_"}, nil},
	{"qdisc and transmit", []string{"dev_", "__dev_", "qdisc", "sch_", "validate_xmit", "netdev_", "xmit_", "netif_skb_features", "skb_network_protocol", "harmonize", "passthru", "eth_header", "__skb_get_hash", "netif_tx"}, nil},
	{"core receive", []string{"netif_", "__netif", "enqueue_to_backlog", "process_backlog", "net_rx", "napi_", "__napi", "gro_", "eth_type_trans", "get_rps", "net_timestamp", "eth_"}, nil},
	{"packet memory", []string{"skb_", "__skb", "pskb_", "__copy_skb", "memcg_", "__alloc_skb", "alloc_skb", "kfree_skb", "consume_skb", "__kfree_skb", "kmem_", "kmalloc", "__kmalloc", "__kmem", "kfree", "ksize", "slab_", "__slab", "___slab", "page_frag", "__build_skb", "build_skb", "memset", "memcpy", "__memset", "__memcpy", "clear_", "sock_wfree", "refill_", "cache_from_obj", "should_fail", "__napi_alloc", "__netdev_alloc", "napi_skb_free"}, nil},
	{"locks, RCU and softirq", []string{"__rcu", "rcu_", "_raw_", "__raw", "__local_bh", "__do_softirq", "do_softirq", "handle_softirqs", "__raise_softirq", "raise_softirq", "rt_spin", "rt_read", "migrate_", "queued_", "preempt_", "__cond_resched", "irqtime", "rt_mutex", "lock_", "mutex_", "local_bh"}, nil},
	{"scheduler and timers", []string{"sched", "__sched", "schedule", "__schedule", "ktime", "hrtimer", "__hrtimer", "timekeeping", "tick_", "update_", "run_timer", "read_tsc", "sysvec", "asm_sysvec", "irq_", "irqentry", "native_", "pvclock", "clocksource", "timer_", "try_to_wake", "pick_", "kthread"}, nil},
}

// subsystemOf is the part of the kernel that a function belongs to.
func subsystemOf(function string) string {
	name, module, _ := strings.Cut(function, " ")
	module = strings.Trim(module, "[]")
	for _, s := range subsystems {
		for _, m := range s.modules {
			if m == module {
				return s.name
			}
		}
	}
	for _, s := range subsystems {
		for _, p := range s.prefixes {
			if strings.HasPrefix(name, p) {
				return s.name
			}
		}
	}
	return "other"
}
