package attribution

import "testing"

func TestSubsystem(t *testing.T) {
	for function, want := range map[string]string{
		"veth_poll":                             "driver (veth)",
		"veth_xdp_rcv [veth]":                   "driver (veth)",
		"br_forward [bridge]":                   "bridge",
		"nft_do_chain":                          "nftables and iptables",
		"ipt_do_table":                          "nftables and iptables",
		"nft_nat_eval":                          "NAT",
		"nft_do_chain_ipv4 [nft_chain_nat]":     "NAT",
		"nf_conntrack_in":                       "connection tracking",
		"nf_hook_slow":                          "netfilter hooks",
		"ip_forward":                            "IP",
		"ip_route_input_slow":                   "route look-up (FIB)",
		"napi_skb_free_stolen_head":             "packet memory",
		"napi_gro_receive":                      "GRO and core receive",
		"netif_skb_features":                    "qdisc and transmit",
		"bpf_prog_3d1e22f6ad1bd4b8_route [bpf]": "XDP and BPF",
		"_raw_spin_lock":                        "locks, RCU and softirq",
		"finish_task_switch.isra.0":             "scheduler and timers",
		"[user] ovs-vswitchd":                   "user space",
		"no_such_function":                      Other,
	} {
		if got := Subsystem(function); got != want {
			t.Errorf("%s is in %q, want %q", function, got, want)
		}
	}
}

func TestModulesOfOneSubsystemOnly(t *testing.T) {
	modules, prefixes := map[string]string{}, map[string]string{}
	for _, s := range subsystems {
		for _, m := range s.modules {
			if was, twice := modules[m]; twice {
				t.Errorf("module %s is in %q and %q", m, was, s.name)
			}
			modules[m] = s.name
		}
		for _, p := range s.prefixes {
			if was, twice := prefixes[p]; twice {
				t.Errorf("%s* is in %q and %q", p, was, s.name)
			}
			prefixes[p] = s.name
		}
	}
}
