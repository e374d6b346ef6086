package doctor

import (
	"fmt"
	"strings"

	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/result"
)

// doubt is what a warning of the environment means for someone who sets a machine up.
type doubt struct{ cost, fix string }

// doubts are the warnings that limit the machine, by code. Steal is measured anew,
// and mitigations and hyper-threads are information.
var doubts = map[string]doubt{
	"governor": {"the clock follows the load, so figures vary with what ran before",
		"cpupower frequency-set -g performance"},
	"few-cpus": {"parts of the lab share a CPU: throughput near saturation is lower than that of a DUT alone",
		"three CPUs for one direction, five for two"},
	"cpus-restricted": {"linerate cannot place its parts on the other CPUs",
		"start it without taskset or a cpuset"},
	"nested-virtualisation": {"exits to the hypervisor cost several times as much as in a plain virtual machine, and pauses are longer",
		"measure on hardware, or in a virtual machine directly on it"},
	"virtual-machine": {"the CPUs can be paused at any moment: see the rows steal and pauses",
		"measure on hardware, or pin the virtual CPUs on the host"},
	"container": {"a limit of CPU time set outside shows as pauses and loss",
		"run on the machine itself, or give the container whole CPUs"},
	"bpf-interpreted": {"generator, sink and XDP scenarios are slow",
		"sysctl -w net.core.bpf_jit_enable=1"},
}

// machineRows says what the machine is, and what about it is a limit.
func machineRows(e result.Environment, warnings []result.Warning) []Row {
	raised := map[string]string{}
	for _, w := range warnings {
		raised[w.Code] = w.Text
	}
	row := func(name, detail string, codes ...string) Row {
		r := Row{Name: name, Status: OK, Need: kernel.ForQuality, Detail: detail}
		var costs, fixes []string
		for _, code := range codes {
			if _, found := raised[code]; found {
				costs = append(costs, doubts[code].cost)
				fixes = append(fixes, doubts[code].fix)
			}
		}
		if len(costs) > 0 {
			r.Status, r.Cost, r.Fix = Limited, strings.Join(costs, "; "), strings.Join(fixes, "; ")
		}
		return r
	}
	rows := []Row{
		row("system", fmt.Sprintf("%s, Linux %s %s", orUnknown(e.OS), e.Kernel, e.Architecture)),
		row("CPU", fmt.Sprintf("%d x %s, %.1f GB of memory", e.CPUs, orUnknown(e.CPUModel), float64(e.MemoryBytes)/1e9), "few-cpus", "cpus-restricted"),
		row("virtualisation", e.Virtualisation, "virtual-machine", "nested-virtualisation", "container"),
		row("frequency governor", e.Governor, "governor"),
		row("BPF compiler", bpfCompiler(e.Sysctls["net.core.bpf_jit_enable"]), "bpf-interpreted"),
	}
	for _, fact := range []struct{ name, code string }{
		{"mitigations", "mitigations"}, {"mitigations", "mitigations-off"}, {"hyper-threads", "smt-active"},
	} {
		if text, found := raised[fact.code]; found {
			rows = append(rows, Row{Name: fact.name, Status: OK, Need: kernel.ForComparison, Detail: text})
		}
	}
	return rows
}

func bpfCompiler(sysctl string) string {
	switch sysctl {
	case "0":
		return "off: programs are interpreted"
	case "":
		return "net.core.bpf_jit_enable cannot be read here"
	}
	return "on"
}

func orUnknown(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}
