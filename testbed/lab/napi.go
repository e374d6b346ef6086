package lab

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/linerate/linerate/internal/sched"
	"github.com/linerate/linerate/testbed"
)

// Real-time priorities of the NAPI threads. A sink goes before the DUT: where
// both share a CPU, an overloaded DUT would otherwise never let the sink run. For the
// same reason, in a DUT of several routers, one that is nearer to the sink goes before
// one that is nearer to the generator.
const (
	generatorPriority = 30
	dutPriority       = 40
	sinkPriority      = 50
	// noPriority is that of any other thread.
	noPriority = 0
)

// setThreaded asks for one kernel thread per receive queue (Linux 5.12). The
// caller sees the device's namespace in /sys.
func setThreaded(device string) error {
	path := filepath.Join("/sys/class/net", device, "threaded")
	if err := os.WriteFile(path, []byte("1"), 0); err != nil {
		return fmt.Errorf("ask for threaded NAPI of %s: %w; it needs Linux 5.12 or later", device, err)
	}
	return nil
}

// Pin moves the NAPI threads of the DUT to the DUT's CPUs and those of the sinks to
// theirs. Threads exist only while a device is up with GRO or an XDP program, and
// are made anew when a program comes, so it is called after the sinks are open.
func (l *Lab) Pin() error {
	n := l.names
	// Without a DUT between them, a sink that has no CPU of its own belongs to the
	// generator: it then takes each batch as it is sent. Only a real-time priority lets
	// it in for each batch: without one its ring would overflow meanwhile.
	direct := l.CPUs.Sinks
	if l.CPUs.SinksBesideDUT() && l.noRealTime == nil {
		direct = l.CPUs.Generators
	}
	for _, d := range l.DUT.Devices() {
		priority := dutPriority + d.Stage
		if l.sharesDUT {
			priority = noPriority
		}
		if err := l.pinDevice(d.Interface, l.cpusOf(d), priority); err != nil {
			return err
		}
	}
	for _, role := range []struct {
		devices  []string
		cpus     []int
		priority int
	}{
		{[]string{n.a, n.b}, l.CPUs.Sinks, sinkPriority},
		{[]string{n.xa, n.xb}, direct, sinkPriority},
	} {
		for _, device := range role.devices {
			if err := l.pinDevice(device, role.cpus, role.priority); err != nil {
				return err
			}
		}
	}
	return nil
}

// cpusOf are the DUT's CPUs in the order in which a device's queues get them: devices
// that a frame passes one after the other, and those of different paths, begin with
// different ones.
func (l *Lab) cpusOf(d testbed.Device) []int {
	first := (d.Stage + max(0, d.Path-1)) % len(l.CPUs.DUT)
	return slices.Concat(l.CPUs.DUT[first:], l.CPUs.DUT[:first])
}

func (l *Lab) pinDevice(device string, cpus []int, priority int) error {
	threads, err := visibleThreads(device)
	if err != nil {
		return err
	}
	home := homes(l.Queues(), l.CPUs.Generators, cpus)
	for queue, tid := range threads {
		if err := sched.Pin(tid, home[queue%len(home)]); err != nil {
			return fmt.Errorf("place NAPI thread of %s: %w", device, err)
		}
		if err := l.prioritise(tid, priority); err != nil {
			return fmt.Errorf("place NAPI thread of %s: %w", device, err)
		}
	}
	return nil
}

// prioritise gives a thread one of the priorities above.
func (l *Lab) prioritise(tid, priority int) error {
	if priority == noPriority {
		return sched.Normal(tid)
	}
	return sched.Prioritise(tid, l.priority(priority))
}

// ShareDUT says whether the DUT's devices share its CPUs with a process that forwards: from
// the next Pin on their threads then go before nothing else. With their priority they would
// let such a process have the CPU only while no frame comes, and it would forward none of what
// they take in.
func (l *Lab) ShareDUT(shared bool) { l.sharesDUT = shared }

// DUTThreads are the kernel threads that do the DUT's work.
func (l *Lab) DUTThreads() ([]int, error) {
	var all []int
	for _, d := range l.DUT.Devices() {
		threads, err := visibleThreads(d.Interface)
		if err != nil {
			return nil, err
		}
		all = append(all, threads...)
	}
	return all, nil
}

// SinkThreads are the kernel threads that run the sinks, those of the direct link
// between them included.
func (l *Lab) SinkThreads() ([]int, error) {
	var all []int
	for _, device := range []string{l.names.a, l.names.b, l.names.xa, l.names.xb} {
		threads, err := NAPIThreads(device)
		if err != nil {
			return nil, err
		}
		all = append(all, threads...)
	}
	return all, nil
}

// visibleThreads are the NAPI threads of a device that is up, which has at least one.
func visibleThreads(device string) ([]int, error) {
	threads, err := NAPIThreads(device)
	if err != nil {
		return nil, err
	}
	if len(threads) == 0 {
		return nil, fmt.Errorf("find the NAPI threads of %s: none is visible; the DUT's kernel threads can be seen only from the host's PID namespace (containers: --pid=host)", device)
	}
	return threads, nil
}

// NAPIThreads are the thread ids of a device's NAPI threads, one per receive
// queue, in the order of the queues. The kernel names them napi/DEVICE-ID.
func NAPIThreads(device string) ([]int, error) {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	type thread struct{ id, tid int }
	var found []thread
	prefix := "napi/" + device + "-"
	for _, d := range dirs {
		tid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		comm, err := os.ReadFile(filepath.Join("/proc", d.Name(), "comm"))
		if err != nil {
			continue // it has ended
		}
		if rest, ok := strings.CutPrefix(strings.TrimSpace(string(comm)), prefix); ok {
			id, _ := strconv.Atoi(rest)
			found = append(found, thread{id, tid})
		}
	}
	slices.SortFunc(found, func(a, b thread) int { return cmp.Or(a.id-b.id, a.tid-b.tid) })
	tids := make([]int, len(found))
	for i, t := range found {
		tids[i] = t.tid
	}
	return tids, nil
}
