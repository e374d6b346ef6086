package observe

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/linerate/linerate/plan"
)

const cpuFolder = "sys/devices/system/cpu"

// noGovernor stands for a machine that does not let anyone see its CPU
// frequency: most virtual machines, and boards without frequency scaling.
const noGovernor = "none exposed"

// cpuField is the first value of a key in /proc/cpuinfo.
func (m machine) cpuField(key string) string {
	for line := range strings.Lines(m.text("proc/cpuinfo")) {
		if k, v, found := strings.Cut(line, ":"); found && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// cpuModel is the name of the CPU. ARM tells numbers instead, beside which the
// board's name says more.
func (m machine) cpuModel() string {
	for _, key := range []string{"model name", "cpu model", "uarch", "cpu"} {
		if name := m.cpuField(key); name != "" {
			return name
		}
	}
	var parts []string
	if board := m.line("proc/device-tree/model"); board != "" {
		parts = append(parts, board)
	}
	if implementer := m.cpuField("CPU implementer"); implementer != "" {
		parts = append(parts, fmt.Sprintf("implementer %s part %s revision %s", implementer, m.cpuField("CPU part"), m.cpuField("CPU revision")))
	}
	return strings.Join(parts, ", ")
}

// cpuHas tells whether the first CPU has a flag (x86) or feature (ARM).
func (m machine) cpuHas(flag string) bool {
	return slices.Contains(strings.Fields(m.cpuField("flags")+" "+m.cpuField("Features")), flag)
}

func (m machine) onlineCPUs() plan.CPUList {
	cpus, err := plan.ParseCPUList(m.line(cpuFolder + "/online"))
	if err != nil {
		return nil
	}
	return cpus
}

// governor names the frequency governors in use: most often one for all CPUs.
func (m machine) governor() string {
	files, err := fs.Glob(m.root, cpuFolder+"/cpu[0-9]*/cpufreq/scaling_governor")
	if err != nil || len(files) == 0 {
		return noGovernor
	}
	cpus := map[string]int{}
	for _, file := range files {
		if name := m.line(file); name != "" {
			cpus[name]++
		}
	}
	if len(cpus) == 0 {
		return noGovernor
	}
	names := slices.Sorted(maps.Keys(cpus))
	if len(names) == 1 {
		return names[0]
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d CPUs)", name, cpus[name])
	}
	return strings.Join(names, ", ")
}

// mitigations lists the vulnerabilities that the kernel works against, which
// costs time in every packet, and those that it leaves open.
func (m machine) mitigations() (active, open []string) {
	files, err := fs.Glob(m.root, cpuFolder+"/vulnerabilities/*")
	if err != nil {
		return nil, nil
	}
	for _, file := range files {
		name := file[strings.LastIndex(file, "/")+1:]
		state := m.line(file)
		if cure, found := strings.CutPrefix(state, "Mitigation: "); found {
			active = append(active, name+" ("+cure+")")
		} else if strings.HasPrefix(state, "Vulnerable") {
			open = append(open, name)
		}
	}
	return active, open
}

// stealRatio is the share of all CPU time since boot that a hypervisor gave to
// others while this machine wanted to run (proc_stat(5)).
func (m machine) stealRatio() (float64, error) {
	first, _, _ := strings.Cut(m.text("proc/stat"), "\n")
	f := strings.Fields(first)
	if len(f) < 9 || f[0] != "cpu" {
		return 0, fmt.Errorf("read CPU times: first line %q of /proc/stat has no steal time", first)
	}
	var total, steal float64
	for i, field := range f[1:9] { // guest time, which follows, is part of user time
		ticks, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read CPU times: first line of /proc/stat: %w", err)
		}
		total += float64(ticks)
		if i == 7 {
			steal = float64(ticks)
		}
	}
	if total == 0 {
		return 0, nil
	}
	return steal / total, nil
}
