package observe

import (
	"fmt"
	"strings"

	"github.com/linerate/linerate/result"
)

const (
	// labParts are generator, DUT and sink: each wants a CPU of its own.
	labParts = 3
	// stealLimit is the share of CPU time since boot above which steal is worth a warning.
	stealLimit = 0.001
)

// warnings are the doubts that the machine itself gives reason for. The last two
// of them, mitigations and hyper-threads, are information rather than faults.
func (m machine) warnings(e result.Environment, v virtual, usableCPUs int) []result.Warning {
	var all []result.Warning
	add := func(code, format string, values ...any) {
		all = append(all, result.Warning{Code: code, Text: fmt.Sprintf(format, values...)})
	}
	if e.Governor != noGovernor && e.Governor != "performance" {
		add("governor", "the frequency governor is %s: the clock follows the load, so figures vary with what ran before; set it with `cpupower frequency-set -g performance`", e.Governor)
	}
	if steal, err := m.stealRatio(); err == nil && steal > stealLimit {
		add("steal", "since boot %.2f %% of the CPU time was stolen by other virtual machines: zero-loss figures are partly a measure of the neighbours; lean on PDR and on the loss curve", 100*steal)
	}
	cpus := e.CPUs
	if usableCPUs > 0 && usableCPUs < cpus {
		add("cpus-restricted", "this process may use %d of %d CPUs (taskset, cpuset or a container's limit)", usableCPUs, cpus)
		cpus = usableCPUs
	}
	if cpus == 1 {
		add("few-cpus", "generator, DUT and sink share one CPU: figures include the work of all three, and figures per DUT core mean nothing")
	} else if cpus < labParts {
		add("few-cpus", "%d CPUs for generator, DUT and sink: two of them share a CPU, which costs throughput near saturation", cpus)
	}
	switch {
	case v.Nested:
		add("nested-virtualisation", "this is a virtual machine inside a virtual machine (%s): each exit to the hypervisor costs several times as much, and pauses are longer", v.Hypervisor)
	case v.isMachine():
		add("virtual-machine", "this is a virtual machine (%s): its CPUs can be paused at any moment, which shows as loss at loads that the DUT could carry", v.Hypervisor)
	}
	if v.Container != "" {
		add("container", "this is a container (%s): limits of CPU time that are set outside show as pauses and loss", v.Container)
	}
	if e.Sysctls["net.core.bpf_jit_enable"] == "0" {
		add("bpf-interpreted", "net.core.bpf_jit_enable is 0: BPF programs are interpreted, so generator, sink and XDP scenarios are slow; set it to 1")
	}
	if active, open := m.mitigations(); len(active) > 0 {
		text := fmt.Sprintf("the kernel works against CPU vulnerabilities, which is part of the cost per packet: %s", strings.Join(active, "; "))
		if len(open) > 0 {
			text += "; left open: " + strings.Join(open, ", ")
		}
		add("mitigations", "%s", text)
	} else if len(open) > 0 {
		add("mitigations-off", "CPU vulnerabilities are left open, which makes packets cheaper: %s", strings.Join(open, ", "))
	}
	if m.line(cpuFolder+"/smt/active") == "1" {
		add("smt-active", "hyper-threads are on: two CPU numbers share one core, so a DUT beside a busy sibling is slower than alone")
	}
	return all
}
