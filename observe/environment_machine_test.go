package observe

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// tree is a machine's files by path. A content that begins with "-> " is a symbolic link.
type tree map[string]string

func (t tree) fs() fs.FS {
	files := fstest.MapFS{}
	for path, content := range t {
		if target, found := strings.CutPrefix(content, "-> "); found {
			files[path] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
			continue
		}
		files[path] = &fstest.MapFile{Data: []byte(content), Mode: 0o444}
	}
	return files
}

// acpi is the header of an ACPI table with an OEM ID of six characters.
func acpi(oem string) string { return "FACP\x14\x01\x00\x00\x06\x99" + oem + "TABLE   " }

const (
	guestFlags = "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Processor\nflags\t\t: fpu vme hypervisor lahf_lm\n"
	bareFlags  = "processor\t: 0\nmodel name\t: AMD EPYC 7402P 24-Core Processor\nflags\t\t: fpu vme svm\n"
	armInfo    = "processor\t: 0\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd crc32 cpuid\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd08\nCPU revision\t: 3\n"
	clocks     = "sys/devices/system/clocksource/clocksource0/available_clocksource"
	dmi        = "sys/class/dmi/id/"
)

func TestVirtualisation(t *testing.T) {
	tests := []struct {
		name, want string
		files      tree
	}{
		{"nothing is known", "none", tree{}},
		{"server", "none", tree{"proc/cpuinfo": bareFlags, dmi + "sys_vendor": "Supermicro\n"}},
		{"a cloud's bare metal", "none", tree{"proc/cpuinfo": bareFlags, dmi + "sys_vendor": "Amazon EC2\n"}},
		{"firecracker by ACPI", "firecracker", tree{"proc/cpuinfo": guestFlags, "sys/firmware/acpi/tables/FACP": acpi("FIRECK"), clocks: "tsc kvm-clock acpi_pm\n"}},
		{"QEMU with KVM", "kvm", tree{"proc/cpuinfo": guestFlags, dmi + "sys_vendor": "QEMU\n", clocks: "kvm-clock tsc\n"}},
		{"QEMU without KVM", "qemu", tree{"proc/cpuinfo": guestFlags, dmi + "sys_vendor": "QEMU\n", clocks: "tsc acpi_pm\n"}},
		{"a cloud's virtual machine", "kvm", tree{"proc/cpuinfo": guestFlags, dmi + "sys_vendor": "Amazon EC2\n", clocks: "kvm-clock tsc\n"}},
		{"VMware", "vmware", tree{"proc/cpuinfo": guestFlags, dmi + "sys_vendor": "VMware, Inc.\n"}},
		{"VirtualBox", "virtualbox", tree{"proc/cpuinfo": guestFlags, dmi + "product_name": "VirtualBox\n"}},
		{"Hyper-V", "hyper-v", tree{"proc/cpuinfo": guestFlags, dmi + "sys_vendor": "Microsoft Corporation\n", dmi + "product_name": "Virtual Machine\n"}},
		{"Xen", "xen", tree{"proc/cpuinfo": guestFlags, "sys/hypervisor/type": "xen\n"}},
		{"a hypervisor without a name", "unknown hypervisor", tree{"proc/cpuinfo": guestFlags}},
		{"no firmware tables, KVM's clock", "kvm", tree{"proc/cpuinfo": guestFlags, clocks: "tsc kvm-clock\n"}},
		{"nested", "kvm, nested", tree{"proc/cpuinfo": guestFlags, clocks: "kvm-clock\n", "proc/cmdline": "quiet nested_pvm=1\n"}},
		{"nesting turned off", "kvm", tree{"proc/cpuinfo": guestFlags, clocks: "kvm-clock\n", "proc/cmdline": "quiet nested_pvm=0\n"}},
		{"ARM board", "none", tree{"proc/cpuinfo": armInfo, "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\x00"}},
		{"ARM guest", "kvm", tree{"proc/cpuinfo": armInfo, "proc/device-tree/hypervisor/compatible": "linux,kvm\x00"}},
		{"container on a server", "container (docker)", tree{"proc/cpuinfo": bareFlags, "proc/self/ns/pid": "-> pid:[4026532201]", ".dockerenv": ""}},
		{"container in a guest", "container (podman) on kvm", tree{"proc/cpuinfo": guestFlags, clocks: "kvm-clock\n", "proc/self/ns/pid": "-> pid:[4026532201]", "run/.containerenv": ""}},
		{"an image unpacked into a guest", "kvm", tree{"proc/cpuinfo": guestFlags, clocks: "kvm-clock\n", "proc/self/ns/pid": "-> pid:[4026531836]", ".dockerenv": ""}},
		{"own user namespace", "container (unnamed)", tree{"proc/cpuinfo": bareFlags, "proc/self/ns/user": "-> user:[4026532999]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (machine{tt.files.fs()}).virtualisation().String(); got != tt.want {
				t.Errorf("%q, not %q", got, tt.want)
			}
		})
	}
}

func TestCPUModel(t *testing.T) {
	tests := []struct {
		name, want string
		files      tree
	}{
		{"x86", "Intel(R) Xeon(R) Processor", tree{"proc/cpuinfo": guestFlags}},
		{"ARM board", "Raspberry Pi 4 Model B Rev 1.4, implementer 0x41 part 0xd08 revision 3", tree{"proc/cpuinfo": armInfo, "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\x00"}},
		{"ARM server", "implementer 0x41 part 0xd08 revision 3", tree{"proc/cpuinfo": armInfo}},
		{"nothing", "", tree{}},
	}
	for _, tt := range tests {
		if got := (machine{tt.files.fs()}).cpuModel(); got != tt.want {
			t.Errorf("%s: %q, not %q", tt.name, got, tt.want)
		}
	}
}

func TestGovernor(t *testing.T) {
	governor := func(cpu string) string { return cpuFolder + "/" + cpu + "/cpufreq/scaling_governor" }
	tests := []struct {
		name, want string
		files      tree
	}{
		{"none", noGovernor, tree{cpuFolder + "/online": "0-1"}},
		{"one", "performance", tree{governor("cpu0"): "performance\n", governor("cpu11"): "performance\n"}},
		{"two", "performance (1 CPUs), powersave (2 CPUs)", tree{governor("cpu0"): "powersave\n", governor("cpu1"): "performance\n", governor("cpu2"): "powersave\n"}},
	}
	for _, tt := range tests {
		if got := (machine{tt.files.fs()}).governor(); got != tt.want {
			t.Errorf("%s: %q, not %q", tt.name, got, tt.want)
		}
	}
}

func TestStealRatio(t *testing.T) {
	tests := []struct {
		stat   string
		want   float64
		failed bool
	}{
		{"cpu  100 0 100 700 50 10 20 20 90 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n", 0.02, false},
		{"cpu  0 0 0 0 0 0 0 0 0 0\n", 0, false},
		{"cpu  100 0 100 700 50 10 20\n", 0, true},
		{"cpu  1 1 1 x 1 1 1 1\n", 0, true},
		{"", 0, true},
	}
	for _, tt := range tests {
		got, err := machine{tree{"proc/stat": tt.stat}.fs()}.stealRatio()
		if got != tt.want || (err != nil) != tt.failed {
			t.Errorf("%q: %v, %v", tt.stat, got, err)
		}
	}
}

func TestSmallFiles(t *testing.T) {
	m := machine{tree{
		"etc/os-release":                        "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n",
		"proc/meminfo":                          "MemTotal:       24684084 kB\nMemFree:        23403076 kB\n",
		cpuFolder + "/online":                   "0-3,6\n",
		cpuFolder + "/vulnerabilities/meltdown": "Mitigation: PTI\n",
		cpuFolder + "/vulnerabilities/l1tf":     "Not affected\n",
		cpuFolder + "/vulnerabilities/retbleed": "Vulnerable: Microcode\n",
		"proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
		"proc/sys/net/ipv4/conf/all/rp_filter":  "1\n",
	}.fs()}
	if got := m.osName(); got != "Debian GNU/Linux 12 (bookworm)" {
		t.Errorf("OS %q", got)
	}
	if got := (machine{tree{"usr/lib/os-release": "PRETTY_NAME='Alpine Linux v3.20'\n"}.fs()}).osName(); got != "Alpine Linux v3.20" {
		t.Errorf("OS %q", got)
	}
	if got := m.memoryBytes(); got != 24684084*1024 {
		t.Errorf("%d bytes of memory", got)
	}
	if got := m.onlineCPUs(); !slices.Equal(got, []int{0, 1, 2, 3, 6}) {
		t.Errorf("CPUs %v", got)
	}
	active, open := m.mitigations()
	if !slices.Equal(active, []string{"meltdown (PTI)"}) || !slices.Equal(open, []string{"retbleed"}) {
		t.Errorf("mitigations %v, open %v", active, open)
	}
	values := map[string]string{}
	if err := m.readSysctls(values, sysctlsOfNamespace); err != nil {
		t.Fatal(err)
	}
	if len(values) != 2 || values["net.ipv4.ip_local_port_range"] != "32768 60999" || values["net.ipv4.conf.all.rp_filter"] != "1" {
		t.Errorf("sysctls %v", values)
	}
}
