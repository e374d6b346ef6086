package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
)

// machine is what a run may change of a machine beyond its own namespaces: each entry is a
// line that a test can compare.
type machine map[string]bool

var (
	// scenarioPrograms are the programs that scenarios, engines and workloads start.
	scenarioPrograms = regexp.MustCompile(`^(bird|ovsdb-server|ovs-vswitchd.*|dpdk-testpmd|iperf3?|eal-intr-thread)$`)
	// scenarioFiles are what those programs and linerate call files outside of a folder of their own.
	scenarioFiles = regexp.MustCompile(`^(linerate|lr|dpdk|rte|ovs|openvswitch|bird|iperf|xdp|libbpf|libxdp)`)
	// sysctls that change by themselves.
	countingSysctls = regexp.MustCompile(`_count$|/cache_stat|/flush$|/netfilter/nf_log`)
)

// lookAround notes the state of the machine.
func lookAround(t *testing.T) machine {
	t.Helper()
	m := machine{}
	for _, path := range []string{"/run/netns", "/dev/shm", "/dev/hugepages", "/sys/fs/bpf", "/var/run/dpdk", "/var/run/openvswitch", "/var/log/openvswitch", "/etc/openvswitch"} {
		m.walk(path, nil)
	}
	for _, path := range []string{"/run", "/tmp", "/var/tmp"} {
		m.walk(path, scenarioFiles)
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		m["device "+i.Name] = true
	}
	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, file := range names {
		if name, err := os.ReadFile(file); err == nil && scenarioPrograms.MatchString(strings.TrimSpace(string(name))) {
			m[fmt.Sprintf("process %s %s", filepath.Base(filepath.Dir(file)), strings.TrimSpace(string(name)))] = true
		}
	}
	memory, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(memory)) {
		if strings.HasPrefix(line, "HugePages_") {
			m[strings.TrimSpace(line)] = true
		}
	}
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 4 {
			m["mount "+f[4]] = true
		}
	}
	m.programs(t)
	m.sysctls("/proc/sys/net")
	m.sysctls("/proc/sys/kernel")
	return m
}

// walk notes the files below a folder, or below those of its entries whose name fits.
func (m machine) walk(path string, only *regexp.Regexp) {
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		if only != nil && !only.MatchString(e.Name()) {
			continue
		}
		_ = filepath.WalkDir(filepath.Join(path, e.Name()), func(file string, _ fs.DirEntry, err error) error {
			if err == nil {
				m["file "+file] = true
			}
			return nil
		})
	}
}

// programs notes the BPF programs in the kernel by name and number.
func (m machine) programs(t *testing.T) {
	for id := ebpf.ProgramID(0); ; {
		var err error
		if id, err = ebpf.ProgramGetNextID(id); errors.Is(err, os.ErrNotExist) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		p, err := ebpf.NewProgramFromID(id)
		if err != nil {
			continue // it has just been removed
		}
		if info, err := p.Info(); err == nil {
			m[fmt.Sprintf("BPF program %s (%d)", info.Name, id)] = true
		}
		p.Close()
	}
}

func (m machine) sysctls(root string) {
	_ = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(file, "/proc/sys/kernel/") && !strings.HasPrefix(file, "/proc/sys/kernel/sched") || countingSysctls.MatchString(file) {
			return nil
		}
		if value, err := os.ReadFile(file); err == nil {
			m[fmt.Sprintf("sysctl %s = %s", file, strings.TrimSpace(string(value)))] = true
		}
		return nil
	})
}

// unchanged fails the test if the machine is not as it was before. The kernel frees programs
// and namespaces a little after their end.
func (m machine) unchanged(t *testing.T) {
	t.Helper()
	var differs []string
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		differs = differs[:0]
		now := lookAround(t)
		for what := range now {
			if !m[what] {
				differs = append(differs, "left behind: "+what)
			}
		}
		for what := range m {
			// Files of other programs may end meanwhile.
			if !now[what] && !strings.HasPrefix(what, "file ") {
				differs = append(differs, "gone: "+what)
			}
		}
		if len(differs) == 0 {
			return
		}
	}
	slices.Sort(differs)
	t.Errorf("the machine is not as it was:\n%s", strings.Join(differs, "\n"))
}
