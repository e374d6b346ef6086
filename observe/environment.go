package observe

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/internal/sched"
	"github.com/linerate/linerate/result"
)

// Environment records the machine: kernel, CPUs, virtualisation, the offloads of
// the named devices (by namespace; "" is that of the process), the sysctls that
// matter for forwarding as they stand in the DUT's namespace, and the versions of
// the tools that configure the DUT. The warnings say what about the machine makes
// figures doubtful. What this machine does not tell is left empty; the error says
// which namespace or device could not be read, and the rest is filled in all the same.
func Environment(dutNetns string, devices map[string][]string) (result.Environment, []result.Warning, error) {
	m := machine{os.DirFS("/")}
	virtual := m.virtualisation()
	e := result.Environment{
		Kernel:         kernel.Release(),
		KernelCmdline:  m.line("proc/cmdline"),
		OS:             m.osName(),
		Architecture:   kernel.Machine(),
		CPUModel:       m.cpuModel(),
		CPUs:           len(m.onlineCPUs()),
		MemoryBytes:    m.memoryBytes(),
		Virtualisation: virtual.String(),
		Governor:       m.governor(),
		Versions:       toolVersions(),
	}
	var sysctlErr, offloadErr error
	e.Sysctls, sysctlErr = sysctls(m, dutNetns, devices[dutNetns])
	e.Offloads, offloadErr = offloads(devices)
	return e, m.warnings(e, virtual, usableCPUs()), errors.Join(sysctlErr, offloadErr)
}

// machine is the file tree of a machine, from its root: the real one, or that of a test.
type machine struct{ root fs.FS }

// text is the content of a file, and empty for one that is not there or cannot be read.
func (m machine) text(path string) string {
	b, err := fs.ReadFile(m.root, path)
	if err != nil {
		return ""
	}
	// Files of the device tree end with a zero byte.
	return string(bytes.TrimRight(b, "\x00"))
}

func (m machine) line(path string) string { return strings.TrimSpace(m.text(path)) }

func (m machine) exists(path string) bool {
	_, err := fs.Stat(m.root, path)
	return err == nil
}

// osName is PRETTY_NAME of os-release(5).
func (m machine) osName() string {
	text := m.text("etc/os-release")
	if text == "" {
		text = m.text("usr/lib/os-release")
	}
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(line, "PRETTY_NAME="); found {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}

// memoryBytes is MemTotal of proc_meminfo(5), whose "kB" are KiB.
func (m machine) memoryBytes() uint64 {
	for line := range strings.Lines(m.text("proc/meminfo")) {
		f := strings.Fields(line)
		if len(f) >= 2 && f[0] == "MemTotal:" {
			kib, err := strconv.ParseUint(f[1], 10, 54)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}

// toolVersions are those of the tools that are installed.
func toolVersions() map[string]string {
	versions := map[string]string{}
	for _, name := range []string{"nft", "iptables", "ip"} {
		if tool, err := kernel.FindTool(name); err == nil {
			versions[name] = tool.Version
		}
	}
	return versions
}

// usableCPUs counts the CPUs that this process may run on; 0 if that is not known.
func usableCPUs() int {
	cpus, err := sched.AllowedCPUs()
	if err != nil {
		return 0
	}
	return len(cpus)
}

func inNetns(name string) string {
	if name == "" {
		return "of the process"
	}
	return fmt.Sprintf("%q", name)
}
