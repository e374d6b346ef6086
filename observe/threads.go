package observe

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/linerate/linerate/internal/bpfmem"
	"golang.org/x/sys/unix"
)

// Threads measures the time that some threads are on a CPU, to the nanosecond.
type Threads struct {
	objects threadsObjects
	link    link.Link
	cpus    *bpfmem.Table[threadsRunning]
	busy    *bpfmem.Table[uint64]
	n       int
}

// WatchThreads begins to measure the threads with the given thread ids. The cost
// is some 100 ns per context switch of the machine.
func WatchThreads(tids []int) (*Threads, error) {
	t := &Threads{}
	if err := t.open(tids); err != nil {
		return nil, errors.Join(fmt.Errorf("watch the CPU time of threads %v: %w", tids, err), t.Close())
	}
	return t, nil
}

func (t *Threads) open(tids []int) error {
	spec, err := loadThreads()
	if err != nil {
		return err
	}
	if t.n, err = ebpf.PossibleCPU(); err != nil {
		return err
	}
	spec.Maps[threadsMapCpus].MaxEntries = uint32(t.n)
	spec.Maps[threadsMapBusyNs].MaxEntries = uint32(t.n)
	if err := spec.LoadAndAssign(&t.objects, nil); err != nil {
		return fmt.Errorf("load the tracing program: %w; it needs root and a kernel with BTF", err)
	}
	for _, tid := range tids {
		if err := t.objects.Watched.Put(uint32(tid), uint32(1)); err != nil {
			return err
		}
	}
	if t.cpus, err = bpfmem.Open[threadsRunning](t.objects.Cpus); err != nil {
		return err
	}
	if t.busy, err = bpfmem.Open[uint64](t.objects.BusyNs); err != nil {
		return err
	}
	t.link, err = link.AttachTracing(link.TracingOptions{Program: t.objects.OnSwitch})
	return err
}

// BusyNS is the time on CPU of all watched threads together since they are watched.
func (t *Threads) BusyNS() (uint64, error) {
	var sum uint64
	for cpu := range t.n {
		busy, err := t.busy.Get(cpu)
		if err != nil {
			return 0, err
		}
		running, err := t.cpus.Get(cpu)
		if err != nil {
			return 0, err
		}
		sum += busy
		if now := monotonicNS(); running.Watched != 0 && now > running.SinceNs {
			sum += now - running.SinceNs
		}
	}
	return sum, nil
}

// Close ends the measurement.
func (t *Threads) Close() error {
	var err error
	if t.link != nil {
		err = t.link.Close()
	}
	return errors.Join(err, t.objects.Close())
}

func monotonicNS() uint64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return uint64(ts.Nano())
}
