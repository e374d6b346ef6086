// Package ledger tells for each trial where the frames went that did not arrive:
// sent = received + named drops + unexplained. It joins what a BPF program sees of
// the kernel's drops with the counters of devices, queues and protocols.
package ledger

import (
	"errors"
	"fmt"

	"github.com/linerate/linerate/result"
)

// Device is a network device that test frames pass.
type Device struct {
	// Netns is the named network namespace of the device; empty is the process's own.
	Netns, Name string
	// Label is the name in results.
	Label string
	Side  result.LossSide
	// Peer is the Name of the other end of a veth among the devices; empty for another device.
	Peer string
}

// Config says what belongs to the testbed.
type Config struct {
	Devices []Device
	// DUTNetns are the namespaces of the DUT; empty without a DUT.
	DUTNetns []string
	// Conntrack tells that the DUT tracks connections.
	Conntrack bool
	// Counters reads what the DUT counts itself, by name; nil if it counts nothing.
	Counters func() (map[string]uint64, error)
	// Copied says that the DUT forwards copies of the frames, which a packet socket takes.
	// The kernel drops the frames themselves as those of another host: nothing is lost by that.
	Copied bool
}

// Watch closes the ledgers of trials, one after another.
type Watch struct {
	config     Config
	namespaces map[uint32]namespace // by inode
	indexes    map[place]Device
	tracer     *tracer // nil unless a trial is traced
	before     reading
}

// place is where the kernel sees a device.
type place struct{ inode, ifindex uint32 }

// namespace is a watched network namespace.
type namespace struct {
	name string
	side result.LossSide
}

// Open finds the devices. Nothing is attached to the kernel yet.
func Open(config Config) (*Watch, error) {
	w := &Watch{config: config, namespaces: map[uint32]namespace{}, indexes: map[place]Device{}}
	for _, d := range config.Devices {
		at, err := placeOf(d)
		if err != nil {
			return nil, fmt.Errorf("watch the drops of %s: %w", d.Name, err)
		}
		w.namespaces[at.inode] = namespace{d.Netns, d.Side}
		w.indexes[at] = d
	}
	return w, nil
}

// Begin takes the counters before a trial of the given epoch. Without trace the
// ledger is made of the kernel's counters, which cost nothing during the trial and
// know nothing of rules. With it every drop in the testbed's namespaces is seen by a
// program, which needs root and BTF, and costs a DUT that shares a CPU with the sink
// some per cent of its forwarding rate: the kernel tells of each frame that the sink takes, too.
func (w *Watch) Begin(epoch uint16, trace bool) (err error) {
	if err := w.Close(); err != nil { // of a trial that was broken off
		return err
	}
	if trace {
		if w.tracer, err = openTracer(w.namespaces, epoch); err != nil {
			return fmt.Errorf("trace the kernel's drops: %w", err)
		}
	}
	w.before, err = w.read()
	return err
}

// End takes the counters after the trial and closes its ledger; nil if nothing was
// lost and no drop was counted.
func (w *Watch) End(sent, received uint64) (l *result.Ledger, err error) {
	defer func() { err = errors.Join(err, w.Close()) }()
	after, err := w.read()
	if err != nil {
		return nil, err
	}
	if e := w.evidence(after); sent != received || len(e.drops) > 0 {
		l = e.balance(sent, received)
	}
	return l, nil
}

// Close detaches what a trial that was broken off has left.
func (w *Watch) Close() error {
	if w == nil || w.tracer == nil {
		return nil
	}
	t := w.tracer
	w.tracer = nil
	return t.close()
}

// reading is all counters at one moment.
type reading struct {
	drops    map[dropsPlace]uint64
	devices  map[string]deviceReading
	counters map[counterKey]uint64
}

func (w *Watch) read() (r reading, err error) {
	r.devices, r.counters = map[string]deviceReading{}, map[counterKey]uint64{}
	for _, d := range w.config.Devices {
		v, err := readDevice(d)
		if err != nil {
			return r, err
		}
		r.devices[d.Name] = v
	}
	for _, ns := range w.config.DUTNetns {
		err = errors.Join(err, readProtocols(ns, w.config.Conntrack, r.counters))
	}
	if read := w.config.Counters; read != nil {
		own, failed := read()
		for name, n := range own {
			r.counters[counterKey{name: name}] = n
		}
		err = errors.Join(err, failed)
	}
	err = errors.Join(err, readSoftnet(r.counters))
	if err != nil {
		return r, err
	}
	if w.tracer != nil {
		r.drops, err = w.tracer.read()
	}
	return r, err
}
