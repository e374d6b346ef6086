package observe

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/linerate/linerate/internal/bpfmem"
	"golang.org/x/sys/unix"
)

// owner says whose thread has a CPU, as threads.bpf.c numbers it.
type owner uint32

const (
	unknownOwner owner = iota // before the first switch
	idleOwner
	dutOwner
	sinkOwner
	ownOwner // linerate itself, the generators among it
	foreignOwner
	owners
)

// ownerBits are the bits of an owner in the program's maps; above them stands the number
// of a thread of the DUT.
const ownerBits = 8

// whose reads what the program has noted of a running thread.
func (r threadsRunning) whose() owner { return owner(r.Whose & (1<<ownerBits - 1)) }

// Threads measures how long the threads of the DUT, of the sinks, of linerate and
// of everybody else are on each CPU, to the nanosecond.
type Threads struct {
	objects threadsObjects
	link    link.Link
	cpus    *bpfmem.Table[threadsRunning]
	times   *bpfmem.Table[threadsTimes]
	n       int
	// dut are the DUT's threads, in the order in which they were given.
	dut []int
}

// WatchThreads begins to measure, with the given thread ids as those of the DUT.
// The cost is some 100 ns per context switch of the machine.
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
	spec.Maps[threadsMapOwners].MaxEntries = uint32(t.n)
	if err := spec.Variables[threadsVarOwnTgid].Set(uint32(os.Getpid())); err != nil {
		return err
	}
	if err := spec.LoadAndAssign(&t.objects, nil); err != nil {
		return fmt.Errorf("load the tracing program: %w; it needs root and a kernel with BTF", err)
	}
	t.dut = tids
	for i, tid := range tids {
		if err := t.objects.Watched.Put(uint32(tid), uint32(dutOwner)|uint32(i)<<ownerBits); err != nil {
			return err
		}
	}
	if t.cpus, err = bpfmem.Open[threadsRunning](t.objects.Cpus); err != nil {
		return err
	}
	if t.times, err = bpfmem.Open[threadsTimes](t.objects.Owners); err != nil {
		return err
	}
	t.link, err = link.AttachTracing(link.TracingOptions{Program: t.objects.OnSwitch})
	return err
}

// MarkSinks names the threads that do the sinks' work.
func (t *Threads) MarkSinks(tids []int) error {
	for _, tid := range tids {
		if err := t.objects.Watched.Put(uint32(tid), uint32(sinkOwner)); err != nil {
			return fmt.Errorf("watch the CPU time of the sinks' thread %d: %w", tid, err)
		}
	}
	return nil
}

// MarkOwn names threads of other processes that do linerate's own work.
func (t *Threads) MarkOwn(tids []int) error {
	for _, tid := range tids {
		if err := t.objects.Watched.Put(uint32(tid), uint32(ownOwner)); err != nil {
			return fmt.Errorf("watch the CPU time of the tester's thread %d: %w", tid, err)
		}
	}
	return nil
}

// ownerTimes are the nanoseconds on one CPU by owner.
type ownerTimes [owners]uint64

// sample is the time of each CPU by owner since the threads are watched.
func (t *Threads) sample() ([]ownerTimes, error) {
	list := make([]ownerTimes, t.n)
	for cpu := range list {
		times, err := t.times.Get(cpu)
		if err != nil {
			return nil, err
		}
		running, err := t.cpus.Get(cpu)
		if err != nil {
			return nil, err
		}
		list[cpu] = times.Ns
		if now := monotonicNS(); running.whose() < owners && now > running.SinceNs {
			list[cpu][running.whose()] += now - running.SinceNs
		}
	}
	return list, nil
}

// Stranger is a process that belongs neither to the testbed nor to linerate, and
// its time on one CPU.
type Stranger struct {
	CPU, PID int
	Name     string
	NS       uint64
}

// Strangers are the foreign processes that have left a CPU since the threads are
// watched, with their times; one that has never left is not among them yet.
func (t *Threads) Strangers() ([]Stranger, error) {
	var list []Stranger
	var key uint64
	var value threadsStranger
	all := t.objects.Strangers.Iterate()
	for all.Next(&key, &value) {
		name := make([]byte, 0, len(value.Comm))
		for _, c := range value.Comm {
			name = append(name, byte(c))
		}
		name, _, _ = bytes.Cut(name, []byte{0})
		list = append(list, Stranger{CPU: int(key >> 32), PID: int(uint32(key)), Name: string(name), NS: value.Ns})
	}
	// While processes come and go the list may end early: it names, and does not count.
	if err := all.Err(); err != nil && !errors.Is(err, ebpf.ErrIterationAborted) {
		return nil, fmt.Errorf("list the foreign processes on the testbed's CPUs: %w", err)
	}
	return list, nil
}

// BusyNS is the time on CPU of all threads of the DUT together since they are watched.
func (t *Threads) BusyNS() (uint64, error) {
	list, err := t.sample()
	var sum uint64
	for _, c := range list {
		sum += c[dutOwner]
	}
	return sum, err
}

// DUTThreadsNS is the time on CPU of each thread of the DUT since they are watched, in
// the order in which they were given.
func (t *Threads) DUTThreadsNS() ([]uint64, error) {
	list := make([]uint64, len(t.dut))
	for i, tid := range t.dut {
		if err := t.objects.DutNs.Lookup(uint32(i), &list[i]); err != nil {
			return nil, fmt.Errorf("read the CPU time of thread %d: %w", tid, err)
		}
		for cpu := range t.n {
			running, err := t.cpus.Get(cpu)
			if err != nil {
				return nil, err
			}
			if now := monotonicNS(); running.whose() == dutOwner && running.Pid == uint32(tid) && now > running.SinceNs {
				list[i] += now - running.SinceNs
			}
		}
	}
	return list, nil
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
