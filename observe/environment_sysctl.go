package observe

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/linerate/linerate/internal/netns"
)

// sysctlsOfNamespace matter for forwarding and may differ between namespaces.
var sysctlsOfNamespace = []string{
	"net.ipv4.ip_forward",
	"net.ipv4.conf.all.rp_filter",
	"net.ipv4.conf.default.rp_filter",
	"net.ipv4.conf.all.accept_local",
	"net.ipv4.fib_multipath_hash_policy",
	"net.ipv4.fib_multipath_use_neigh",
	"net.ipv4.ip_early_demux",
	"net.ipv4.ip_forward_update_priority",
	"net.ipv4.ip_local_port_range",
	"net.ipv6.conf.all.disable_ipv6",
	"net.ipv6.conf.all.forwarding",
	"net.ipv6.fib_multipath_hash_policy",
	"net.bridge.bridge-nf-call-iptables",
	"net.netfilter.nf_conntrack_acct",
	"net.netfilter.nf_conntrack_buckets",
	"net.netfilter.nf_conntrack_checksum",
	"net.netfilter.nf_conntrack_max",
	"net.netfilter.nf_conntrack_timestamp",
	"net.netfilter.nf_conntrack_udp_timeout",
	"net.netfilter.nf_conntrack_udp_timeout_stream",
}

// sysctlsOfMachine hold for all namespaces; most are shown in the first one only.
var sysctlsOfMachine = []string{
	"kernel.numa_balancing",
	"kernel.perf_event_paranoid",
	"kernel.sched_rt_period_us",
	"kernel.sched_rt_runtime_us",
	"kernel.timer_migration",
	"kernel.unprivileged_bpf_disabled",
	"kernel.watchdog",
	"net.core.bpf_jit_enable",
	"net.core.bpf_jit_harden",
	"net.core.busy_poll",
	"net.core.busy_read",
	"net.core.default_qdisc",
	"net.core.dev_weight",
	"net.core.flow_limit_cpu_bitmap",
	"net.core.netdev_budget",
	"net.core.netdev_budget_usecs",
	"net.core.netdev_max_backlog",
	"net.core.netdev_tstamp_prequeue",
	"net.core.rps_sock_flow_entries",
	"net.core.skb_defer_max",
}

// sysctlsOfDevice are read for each device of the DUT: the kernel uses the
// greater rp_filter of the device and of "all".
var sysctlsOfDevice = []string{"rp_filter", "forwarding"}

// sysctls reads what this kernel has of them.
func sysctls(m machine, dutNetns string, dutDevices []string) (map[string]string, error) {
	values := map[string]string{}
	err := m.readSysctls(values, sysctlsOfMachine)
	if inside := netns.Do(dutNetns, func() error {
		err := m.readSysctls(values, sysctlsOfNamespace)
		for _, device := range dutDevices {
			for _, name := range sysctlsOfDevice {
				// In a path the name of a device may hold a dot, which a key writes as a slash (sysctl(8)).
				key := "net.ipv4.conf." + strings.ReplaceAll(device, ".", "/") + "." + name
				path := "proc/sys/net/ipv4/conf/" + device + "/" + name
				err = errors.Join(err, m.readSysctl(values, key, path))
			}
		}
		return err
	}); inside != nil {
		err = errors.Join(err, fmt.Errorf("read sysctls in the network namespace %s: %w", inNetns(dutNetns), inside))
	}
	return values, err
}

func (m machine) readSysctls(values map[string]string, keys []string) error {
	var err error
	for _, key := range keys {
		err = errors.Join(err, m.readSysctl(values, key, "proc/sys/"+strings.ReplaceAll(key, ".", "/")))
	}
	return err
}

// readSysctl keeps a value if the kernel has it: many belong to modules.
func (m machine) readSysctl(values map[string]string, key, path string) error {
	content, err := fs.ReadFile(m.root, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read sysctl %s: %w", key, err)
	}
	values[key] = strings.Join(strings.Fields(string(content)), " ")
	return nil
}
