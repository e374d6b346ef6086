package observe

import (
	"io/fs"
	"strings"
)

// virtual is what stands between this process and the hardware.
type virtual struct {
	// Hypervisor is "kvm", "firecracker", "qemu" ...; "none" on hardware; "unknown hypervisor" if it keeps its name to itself.
	Hypervisor string
	// Container is "docker", "podman", "container" ...; empty outside of one.
	Container string
	// Nested is set if the hypervisor is known to be a virtual machine's.
	Nested bool
}

// String is "none", "firecracker", "container (docker)" or "container (docker) on kvm".
func (v virtual) String() string {
	s := v.Hypervisor
	if v.Nested {
		s += ", nested"
	}
	switch {
	case v.Container == "":
		return s
	case v.Hypervisor == "none":
		return "container (" + v.Container + ")"
	}
	return "container (" + v.Container + ") on " + s
}

func (v virtual) isMachine() bool { return v.Hypervisor != "none" }

func (m machine) virtualisation() virtual {
	return virtual{Hypervisor: m.hypervisor(), Container: m.container(), Nested: m.nested()}
}

// signatures map words of firmware tables to hypervisors. QEMU's name stays also
// when KVM runs the CPUs, which the clock sources tell.
var signatures = []struct{ word, hypervisor string }{
	{"Firecracker", "firecracker"}, {"FIRECK", "firecracker"},
	{"CLOUDH", "cloud-hypervisor"}, {"Cloud Hypervisor", "cloud-hypervisor"},
	{"VMware", "vmware"}, {"VirtualBox", "virtualbox"}, {"innotek GmbH", "virtualbox"}, {"VBOX", "virtualbox"},
	{"Virtual Machine", "hyper-v"}, {"VRTUAL", "hyper-v"},
	{"Parallels", "parallels"}, {"Apple Virtualization", "apple"}, {"BHYVE", "bhyve"}, {"Xen", "xen"},
	{"Amazon EC2", "kvm"}, {"Google Compute Engine", "kvm"}, {"OpenStack", "kvm"}, {"DigitalOcean", "kvm"}, {"KVM", "kvm"},
	{"QEMU", "qemu"}, {"BOCHS", "qemu"},
}

// hypervisor looks at the firmware's names (DMI, ACPI, device tree) and at the
// clocks that a hypervisor offers. A CPU flag of x86 tells for certain that there is one.
func (m machine) hypervisor() string {
	flagged := m.cpuHas("hypervisor")
	if m.cpuField("flags") != "" && !flagged && !m.exists("sys/hypervisor/type") {
		return "none" // also a cloud's bare metal, whose firmware has the cloud's name
	}
	named := signatureIn(m.firmwareNames())
	clocks := m.line("sys/devices/system/clocksource/clocksource0/available_clocksource")
	kvm := strings.Contains(clocks, "kvm-clock") || strings.Contains(m.text("proc/device-tree/hypervisor/compatible"), "linux,kvm")
	switch {
	case named == "qemu" && kvm:
		return "kvm"
	case named != "":
		return named
	case kvm:
		return "kvm"
	case strings.Contains(clocks, "hyperv"):
		return "hyper-v"
	case m.line("sys/hypervisor/type") == "xen":
		return "xen"
	case strings.Contains(m.text("proc/device-tree/compatible"), "linux,dummy-virt"):
		return "qemu"
	case flagged:
		return "unknown hypervisor"
	}
	return "none"
}

// firmwareNames joins the names that DMI and the headers of ACPI tables carry.
func (m machine) firmwareNames() string {
	var names []string
	for _, field := range []string{"sys_vendor", "product_name", "board_vendor", "bios_vendor"} {
		names = append(names, m.line("sys/class/dmi/id/"+field))
	}
	for _, table := range []string{"FACP", "DSDT"} {
		// The OEM ID is at bytes 10 to 15 (ACPI 6.5 section 5.2.6).
		if content, err := fs.ReadFile(m.root, "sys/firmware/acpi/tables/"+table); err == nil && len(content) >= 16 {
			names = append(names, string(content[10:16]))
		}
	}
	return strings.Join(names, "\n")
}

func signatureIn(names string) string {
	for _, s := range signatures {
		if strings.Contains(names, s.word) {
			return s.hypervisor
		}
	}
	return ""
}

// Inode numbers of the first namespace of each kind (include/linux/proc_ns.h);
// a process with other ones is in a container.
var firstNamespaces = map[string]string{
	"pid": "pid:[4026531836]", "user": "user:[4026531837]", "cgroup": "cgroup:[4026531835]",
}

// container goes by namespaces, not by marker files alone: an image that was
// unpacked into a virtual machine still has those.
func (m machine) container() string {
	inside := false
	for kind, first := range firstNamespaces {
		if link, err := fs.ReadLink(m.root, "proc/self/ns/"+kind); err == nil && link != first {
			inside = true
		}
	}
	switch {
	case !inside:
		return ""
	case m.exists("run/.containerenv"):
		return "podman"
	case m.exists(".dockerenv"):
		return "docker"
	case m.exists("var/run/secrets/kubernetes.io"):
		return "kubernetes"
	}
	if name := m.line("run/systemd/container"); name != "" {
		return name
	}
	return "unnamed"
}

// nested is known only for hypervisors that say so on the kernel's command line
// (PVM, which exists to run inside virtual machines).
func (m machine) nested() bool {
	for option := range strings.FieldsSeq(m.line("proc/cmdline")) {
		name, value, _ := strings.Cut(option, "=")
		if (name == "nested_pvm" || name == "pvm") && value != "0" && value != "off" {
			return true
		}
	}
	return false
}
