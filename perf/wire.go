package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/bpfmem"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/sched"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
	"github.com/linerate/linerate/testbed/lab"
)

// wire is a veth whose far end counts frames in XDP, with sender and counter on
// one CPU: the counter's NAPI is polled in the softirq of whoever sends.
type wire struct {
	cpu      int
	priority int // of the sending threads, as in a run
	from, to testbed.Port
	flows    []frame.Flow
	objects  endsObjects
	tallies  *bpfmem.Table[endsTally]
	attached link.Link
	journal  *journal.Journal
	back     func() error
}

// flowCount is how many flows the sources send, as far as they can.
const flowCount = 10_000

// openWire makes the veth between two namespaces, journalled, and leaves one CPU
// to sender and counter.
func openWire() (w *wire, err error) {
	all, err := sched.AllowedCPUs()
	if err != nil {
		return nil, err
	}
	w = &wire{cpu: all[len(all)-1]}
	if err := w.open(); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *wire) open() error {
	id := lab.NewID()
	var err error
	if w.journal, err = journal.Create(journal.DefaultDir, id); err != nil {
		return err
	}
	l, err := lab.Open(id, plan.Lab{TesterCPUs: plan.CPUList{w.cpu}, MTUBytes: 1500}, w.journal)
	if err != nil {
		return err
	}
	w.from, w.to = l.Ports(true)
	w.priority = l.GeneratorPriority()
	space := frame.Space{Source: l.DUT.A.Hosts4, Destination: l.DUT.B.Hosts4, SourceHosts: 64, DestinationHosts: 64}
	if w.flows, err = space.Draw(flowCount, 1); err != nil {
		return err
	}
	if err := w.attach(); err != nil {
		return err
	}
	for _, end := range []testbed.Port{w.from, w.to} {
		if err := pollInSoftirq(end); err != nil {
			return err
		}
	}
	w.back, err = stepAside(w.cpu)
	return err
}

// pollInSoftirq takes the NAPI threads of a device away.
func pollInSoftirq(p testbed.Port) error {
	return netns.DoWithSysfs(p.Netns, func() error {
		path := filepath.Join("/sys/class/net", p.Interface, "threaded")
		if err := os.WriteFile(path, []byte("0"), 0); err != nil {
			return fmt.Errorf("take the NAPI threads of %s away: %w", p.Interface, err)
		}
		return nil
	})
}

// attach loads the counter at the far end.
func (w *wire) attach() error {
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return err
	}
	spec, err := loadEnds()
	if err != nil {
		return fmt.Errorf("read the counting program: %w", err)
	}
	spec.Maps[endsMapTallies].MaxEntries = uint32(cpus)
	if err := spec.LoadAndAssign(&w.objects, nil); err != nil {
		return fmt.Errorf("load the counting program: %w", err)
	}
	if w.tallies, err = bpfmem.Open[endsTally](w.objects.Tallies); err != nil {
		return err
	}
	// A devmap resolves the index in the namespace of the thread that updates it.
	err = netns.Do(w.from.Netns, func() error { return w.objects.Ports.Put(uint32(0), uint32(w.from.Ifindex)) })
	if err != nil {
		return fmt.Errorf("take device %s as a target: %w", w.from.Interface, err)
	}
	return netns.Do(w.to.Netns, func() error {
		w.attached, err = link.AttachXDP(link.XDPOptions{Program: w.objects.Count, Interface: w.to.Ifindex, Flags: link.XDPDriverMode})
		if err != nil {
			return fmt.Errorf("attach the counting program to %s: %w", w.to.Interface, err)
		}
		return nil
	})
}

// counted is the number of frames that have arrived, and how many of them on another
// CPU than the sender's.
func (w *wire) counted() (all, elsewhere uint64, err error) {
	for cpu := range w.tallies.Len() {
		t, err := w.tallies.Get(cpu)
		if err != nil {
			return 0, 0, fmt.Errorf("read the counter: %w", err)
		}
		all += t.Frames
		if cpu != w.cpu {
			elsewhere += t.Frames
		}
	}
	return all, elsewhere, nil
}

// stream is the wire as a generator's stream.
func (w *wire) stream() generator.Stream {
	return generator.Stream{
		Port: w.from.Name, Netns: w.from.Netns, Interface: w.from.Interface, Ifindex: w.from.Ifindex,
		SourceMAC: w.from.MAC, DestinationMAC: w.from.NextHopMAC, Flows: w.flows,
	}
}

// settled waits until nothing more arrives; what a source still had queued would
// be counted as the next one's.
func (w *wire) settled() (uint64, error) {
	for last, still := ^uint64(0), 0; ; time.Sleep(10 * time.Millisecond) {
		n, _, err := w.counted()
		if err != nil {
			return 0, err
		}
		if n != last {
			last, still = n, 0
			continue
		}
		if still++; still == 3 {
			return n, nil
		}
	}
}

func (w *wire) close() error {
	var errs []error
	if w.back != nil {
		errs = append(errs, w.back())
	}
	if w.attached != nil {
		errs = append(errs, w.attached.Close())
	}
	errs = append(errs, w.objects.Close())
	if w.journal != nil {
		errs = append(errs, w.journal.Close())
	}
	return errors.Join(errs...)
}
