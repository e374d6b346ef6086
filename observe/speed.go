package observe

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/linerate/linerate/internal/bpfmem"
	"golang.org/x/sys/unix"
)

// speedHz is how often a CPU is timed. The loop takes a microsecond or two, but in a
// virtual machine the timer costs the CPU tens of them.
const speedHz = 50

// Speeds measures how fast CPUs are while they do other work: a shared machine, a
// hypervisor or a governor changes that from one second to the next, and with it
// what the DUT can forward. The figure compares a CPU with itself only.
type Speeds struct {
	objects speedObjects
	table   *bpfmem.Table[speedSpeed]
	cpus    []int
	events  []int
	links   []*link.RawLink
}

// WatchSpeeds begins to time a fixed piece of work on each of the CPUs, in a
// software timer of perf_event_open(2): no hardware counter is needed.
func WatchSpeeds(cpus []int) (*Speeds, error) {
	s := &Speeds{cpus: cpus}
	if err := s.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("measure the speed of CPUs %v: %w", cpus, err), s.Close())
	}
	return s, nil
}

func (s *Speeds) open() error {
	spec, err := loadSpeed()
	if err != nil {
		return err
	}
	n, err := ebpf.PossibleCPU()
	if err != nil {
		return err
	}
	spec.Maps["speeds"].MaxEntries = uint32(n)
	if err := spec.LoadAndAssign(&s.objects, nil); err != nil {
		return fmt.Errorf("load the timer program: %w; it needs root", err)
	}
	if s.table, err = bpfmem.Open[speedSpeed](s.objects.Speeds); err != nil {
		return err
	}
	for _, cpu := range s.cpus {
		attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Sample: speedHz, Bits: unix.PerfBitFreq}
		fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			return fmt.Errorf("open the timer of CPU %d: %w; kernel.perf_event_paranoid or a seccomp filter may forbid it", cpu, err)
		}
		s.events = append(s.events, fd)
		l, err := link.AttachRawLink(link.RawLinkOptions{Target: fd, Program: s.objects.OnTimer, Attach: ebpf.AttachPerfEvent})
		if err != nil {
			return fmt.Errorf("attach to the timer of CPU %d: %w; it needs Linux 5.15", cpu, err)
		}
		s.links = append(s.links, l)
	}
	return nil
}

// SpeedSample is what was measured up to a moment, by CPU.
type SpeedSample map[int]speedSpeed

// Sample reads the sums so far; of a nil Speeds it is empty.
func (s *Speeds) Sample() (SpeedSample, error) {
	all := SpeedSample{}
	if s == nil {
		return all, nil
	}
	for _, cpu := range s.cpus {
		v, err := s.table.Get(cpu)
		if err != nil {
			return nil, fmt.Errorf("read the speed of CPU %d: %w", cpu, err)
		}
		all[cpu] = v
	}
	return all, nil
}

// TurnsPerS is how many turns of the loop a CPU made in a second of its own time
// between two samples; 0 if it was not timed.
func (s SpeedSample) TurnsPerS(before SpeedSample, cpu int) float64 {
	now, was := s[cpu], before[cpu]
	if now.TimeNs == was.TimeNs {
		return 0
	}
	return float64(now.Turns-was.Turns) * 1e9 / float64(now.TimeNs-was.TimeNs)
}

// Close ends the measurement.
func (s *Speeds) Close() error {
	var errs []error
	for _, l := range s.links {
		errs = append(errs, l.Close())
	}
	for _, fd := range s.events {
		errs = append(errs, unix.Close(fd))
	}
	return errors.Join(append(errs, s.objects.Close())...)
}
