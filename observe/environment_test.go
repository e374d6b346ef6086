package observe

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/result"
	"github.com/vishvananda/netlink"
)

func TestEnvironmentOfThisMachine(t *testing.T) {
	testenv.NeedRoot(t)
	ns := "lr-probe-env" + strconv.Itoa(os.Getpid())
	t.Cleanup(func() {
		if err := netns.Delete(ns); err != nil {
			t.Error(err)
		}
	})
	if err := netns.Create(ns); err != nil {
		t.Fatal(err)
	}
	err := netns.Do(ns, func() error {
		link := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "env0.1"}, PeerName: "env1"}
		if err := netlink.LinkAdd(link); err != nil {
			return err
		}
		for path, value := range map[string]string{"ip_forward": "1", "conf/env0.1/rp_filter": "2", "fib_multipath_hash_policy": "1"} {
			if err := os.WriteFile("/proc/sys/net/ipv4/"+path, []byte(value), 0); err != nil {
				return err
			}
		}
		return exec.Command("ethtool", "-K", "env1", "gro", "on", "tx", "off").Run()
	})
	testenv.Need(t, "veth and ethtool", err)

	e, warnings, err := Environment(ns, map[string][]string{"": {"lo"}, ns: {"lo", "env0.1", "env1"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, field := range map[string]string{
		"kernel": e.Kernel, "command line": e.KernelCmdline, "OS": e.OS, "architecture": e.Architecture,
		"CPU model": e.CPUModel, "virtualisation": e.Virtualisation, "governor": e.Governor,
	} {
		if field == "" {
			t.Errorf("%s is empty", name)
		}
	}
	online, err := exec.Command("getconf", "_NPROCESSORS_ONLN").Output()
	if err == nil && strings.TrimSpace(string(online)) != strconv.Itoa(e.CPUs) {
		t.Errorf("%d CPUs, but getconf says %s", e.CPUs, online)
	}
	if e.MemoryBytes < 64<<20 {
		t.Errorf("%d bytes of memory", e.MemoryBytes)
	}
	for key, want := range map[string]string{
		"net.ipv4.ip_forward": "1", "net.ipv4.conf.env0/1.rp_filter": "2", "net.ipv4.fib_multipath_hash_policy": "1",
	} {
		if e.Sysctls[key] != want {
			t.Errorf("sysctl %s is %q in the DUT's namespace, not %q", key, e.Sysctls[key], want)
		}
	}
	if e.Sysctls["net.core.netdev_budget"] == "" || e.Sysctls["kernel.sched_rt_runtime_us"] == "" {
		t.Errorf("sysctls of the machine are missing: %v", e.Sysctls)
	}
	for key, want := range map[string]string{"env1/gro": "on", "env1/tx-checksum": "off", "env0.1/gro": "off", "env0.1/tx-checksum": "on"} {
		if e.Offloads[key] != want {
			t.Errorf("offload %s is %q, not %q", key, e.Offloads[key], want)
		}
	}
	if e.Offloads[":lo/gso"] == "" || e.Offloads[ns+":lo/gso"] == "" || e.Offloads["lo/gso"] != "" {
		t.Errorf("devices of one name in two namespaces are not kept apart: %v", e.Offloads)
	}
	for _, w := range warnings {
		if w.Code == "" || w.Text == "" || strings.Contains(w.Text, "%!") {
			t.Errorf("badly formed warning %+v", w)
		}
	}
}

func TestEnvironmentKeepsWhatItCouldRead(t *testing.T) {
	e, _, err := Environment("lr-probe-absent", map[string][]string{"": {"nosuchdevice"}})
	if err == nil || !strings.Contains(err.Error(), "lr-probe-absent") || !strings.Contains(err.Error(), "nosuchdevice") {
		t.Errorf("error names neither the namespace nor the device: %v", err)
	}
	if e.Kernel == "" || e.CPUs == 0 {
		t.Errorf("the rest is lost: %+v", e)
	}
}

func TestWarnings(t *testing.T) {
	quiet := result.Environment{Governor: "performance", CPUs: 8, Sysctls: map[string]string{"net.core.bpf_jit_enable": "1"}}
	hardware := virtual{Hypervisor: "none"}
	calm := machine{tree{"proc/stat": "cpu  10 0 10 9980 0 0 0 0 0 0\n"}.fs()}
	with := func(change func(e *result.Environment)) result.Environment {
		e := quiet
		change(&e)
		return e
	}
	tests := []struct {
		name   string
		m      machine
		e      result.Environment
		v      virtual
		usable int
		want   []string
	}{
		{"a quiet machine", calm, quiet, hardware, 8, nil},
		{"powersave", calm, with(func(e *result.Environment) { e.Governor = "powersave" }), hardware, 8, []string{"governor"}},
		{"no governor", calm, with(func(e *result.Environment) { e.Governor = noGovernor }), hardware, 8, nil},
		{"steal of 0.2 %", machine{tree{"proc/stat": "cpu  10 0 10 9960 0 0 0 20 0 0\n"}.fs()}, quiet, hardware, 8, []string{"steal"}},
		{"two CPUs", calm, with(func(e *result.Environment) { e.CPUs = 2 }), hardware, 2, []string{"few-cpus"}},
		{"three CPUs", calm, with(func(e *result.Environment) { e.CPUs = 3 }), hardware, 3, nil},
		{"one of eight CPUs", calm, quiet, hardware, 1, []string{"cpus-restricted", "few-cpus"}},
		{"affinity not known", calm, quiet, hardware, 0, nil},
		{"KVM", calm, quiet, virtual{Hypervisor: "kvm"}, 8, []string{"virtual-machine"}},
		{"nested", calm, quiet, virtual{Hypervisor: "kvm", Nested: true}, 8, []string{"nested-virtualisation"}},
		{"container", calm, quiet, virtual{Hypervisor: "none", Container: "docker"}, 8, []string{"container"}},
		{"interpreter", calm, with(func(e *result.Environment) { e.Sysctls = map[string]string{"net.core.bpf_jit_enable": "0"} }), hardware, 8, []string{"bpf-interpreted"}},
		{"mitigated", machine{tree{cpuFolder + "/vulnerabilities/spectre_v2": "Mitigation: Retpolines", cpuFolder + "/vulnerabilities/l1tf": "Not affected"}.fs()}, quiet, hardware, 8, []string{"mitigations"}},
		{"mitigations=off", machine{tree{cpuFolder + "/vulnerabilities/spectre_v2": "Vulnerable"}.fs()}, quiet, hardware, 8, []string{"mitigations-off"}},
		{"hyper-threads", machine{tree{cpuFolder + "/smt/active": "1\n"}.fs()}, quiet, hardware, 8, []string{"smt-active"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var codes []string
			for _, w := range tt.m.warnings(tt.e, tt.v, tt.usable) {
				codes = append(codes, w.Code)
			}
			if !slices.Equal(codes, tt.want) {
				t.Errorf("warns of %v, not %v", codes, tt.want)
			}
		})
	}
}

func TestOffloadStates(t *testing.T) {
	states := offloadStates(map[string]bool{
		"rx-gro": true, "tx-tcp-segmentation": false, "tx-tcp6-segmentation": true, "tx-checksum-ip-generic": false, "highdma": true,
	})
	want := map[string]string{"gro": "on", "tso": "on", "tx-checksum": "off"}
	for key, state := range want {
		if states[key] != state {
			t.Errorf("%s is %q, not %q", key, states[key], state)
		}
	}
	if len(states) != len(want) {
		t.Errorf("%v holds what the kernel did not name", states)
	}
}
