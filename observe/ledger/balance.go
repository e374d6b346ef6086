package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/linerate/linerate/result"
	"golang.org/x/sys/unix"
)

// observed is one entry of the tracer with its names resolved.
type observed struct {
	kind     kind
	code     uint32
	reason   string // of an skb drop
	function string
	place    string
	device   Device
	frames   uint64
}

// evidence is what happened between two readings.
type evidence struct {
	traced   bool
	devices  []Device
	drops    []observed
	growth   map[string]deviceReading
	counters map[counterKey]uint64
}

// evidence resolves the names of what was counted since Begin.
func (w *Watch) evidence(after reading) evidence {
	e := evidence{traced: w.tracer != nil, devices: w.config.Devices, growth: map[string]deviceReading{}, counters: map[counterKey]uint64{}}
	for place, n := range after.drops {
		if n -= w.before.drops[place]; n > 0 {
			if o := w.resolve(place, n); !w.config.Copied || o.reason != otherHost || o.device.Side != result.DUTSide {
				e.drops = append(e.drops, o)
			}
		}
	}
	for name, r := range after.devices {
		e.growth[name] = r.since(w.before.devices[name])
	}
	for key, n := range after.counters {
		if n = grown(w.before.counters[key], n); n > 0 {
			e.counters[key] = n
		}
	}
	return e
}

func (w *Watch) resolve(p dropsPlace, frames uint64) observed {
	o := observed{kind: kind(p.Kind), code: p.Code, frames: frames, device: w.deviceAt(p.Inode, p.Ifindex)}
	if o.kind <= foreignFrame {
		o.reason = reasonName(p.Code)
	}
	if p.Location != 0 {
		list, _ := kernelSymbols() // read when the tracer was opened
		o.place = list.at(p.Location)
		o.function, _, _ = strings.Cut(o.place, "+")
	}
	return o
}

// deviceAt is the device of that index in the namespace with that inode; one that is
// not of the testbed has a label only.
func (w *Watch) deviceAt(inode, ifindex uint32) Device {
	if d, known := w.indexes[place{inode, ifindex}]; known {
		return d
	}
	return Device{Side: w.namespaces[inode].side, Label: fmt.Sprintf("ifindex %d", ifindex)}
}

// otherHost is the reason of a frame whose MAC address is not the device's.
const otherHost = "OTHERHOST"

// handOver are the functions by which a veth gives an skb to its peer. When one of
// them drops it, the device counts it too.
var handOver = []string{"veth_xmit", "veth_forward_skb", "__dev_forward_skb", "__dev_forward_skb2"}

// balance closes the ledger: each frame that is missing once, under the name that
// says most.
func (e evidence) balance(sent, received uint64) *result.Ledger {
	l := &result.Ledger{Trials: 1, Traced: e.traced, Sent: sent, Received: received, Drops: []result.Drop{}, Counters: []result.Counter{}}
	other := map[kind]uint64{}
	named := map[string]uint64{}    // by device: drops at the hand-over that have a reason of their own
	inDriver := map[string]uint64{} // by device: skb drops of the driver's XDP code
	noQueue := e.withoutQueue()
	tracked := e.counters[counterKey{name: conntrackDrop}]
	for _, o := range e.drops {
		switch {
		case o.kind == redirectFailed || o.kind == xmitFailed:
			if o.kind == xmitFailed {
				named[o.device.Name] += o.frames
			}
			l.Drops = append(l.Drops, e.refused(o))
			continue
		case o.kind != testFrame:
			other[o.kind] += o.frames
			continue
		case slices.Contains(handOver, o.function):
			if o.reason == "NOT_SPECIFIED" || o.reason == "FULL_RING" {
				continue // the device has counted it as refused by the ring
			}
			named[o.device.Name] += o.frames
		case o.function == "enqueue_to_backlog" && o.reason == "DEV_READY": // the receiver is down
			named[o.device.Peer] += o.frames
		case o.function == sinkSymbol:
			inDriver[o.device.Name] += o.frames
		case strings.HasPrefix(o.reason, "QDISC_"):
			if n := min(o.frames, noQueue[o.device.Name]); n > 0 {
				noQueue[o.device.Name] -= n
				named[o.device.Name] += n
				o.frames -= n
				l.Drops = append(l.Drops, drop(o, "DEVICE_DOWN", o.place, n))
			}
		}
		if o.reason == "NETFILTER_DROP" && o.function == "nf_hook_slow" && tracked > 0 {
			n := min(tracked, o.frames)
			tracked -= n
			o.frames -= n
			l.Drops = append(l.Drops, drop(o, o.reason, "connection tracking ("+o.place+")", n))
		}
		if o.frames > 0 {
			l.Drops = append(l.Drops, drop(o, o.reason, o.place, o.frames))
		}
	}
	for _, d := range e.devices {
		l.Drops = append(l.Drops, e.ofDevice(d, named[d.Name], inDriver[d.Name])...)
	}
	if !e.traced {
		l.Drops = append(l.Drops, e.untraced()...)
	}
	l.Drops = merge(l.Drops)
	e.explain(l, other)
	l.Close()
	return l
}

func drop(o observed, reason, place string, frames uint64) result.Drop {
	return result.Drop{Reason: reason, Place: place, Side: o.device.Side, Device: o.device.Label, Frames: frames}
}

// refused is the entry of frames that a device took none of.
func (e evidence) refused(o observed) result.Drop {
	name, where := "REDIRECT_FAILED_", "tracepoint xdp_redirect_err"
	if o.kind == xmitFailed {
		name, where = "XMIT_FAILED_", "tracepoint xdp_devmap_xmit"
	}
	switch code := unix.Errno(o.code); {
	case code == unix.ENXIO && o.kind == xmitFailed: // the other end is down
		if peer, ok := e.named(o.device.Peer); ok {
			o.device = peer
		}
		return drop(o, "DEVICE_DOWN", where, o.frames)
	case code == unix.ENETDOWN:
		return drop(o, "DEVICE_DOWN", where, o.frames)
	default:
		return drop(o, name+cmp.Or(unix.ErrnoName(code), fmt.Sprint(o.code)), where, o.frames)
	}
}

// ofDevice are the drops that only the device's counters tell of. Handed are those
// at the hand-over to its peer that have a name of their own, and inDriver the skb
// drops of its XDP code: both are in the counters too.
func (e evidence) ofDevice(d Device, handed, inDriver uint64) (drops []result.Drop) {
	g := e.growth[d.Name]
	add := func(d Device, reason, place string, frames uint64) {
		if frames > 0 {
			drops = append(drops, drop(observed{device: d}, reason, place, frames))
		}
	}
	if peer, ok := e.named(d.Peer); ok {
		add(peer, "RECEIVE_RING_FULL", "tx_dropped of "+d.Label, g.txDropped-min(g.txDropped, handed))
	} else {
		add(d, "RECEIVE_RING_FULL", "rx_missed_errors of "+d.Label, g.missed)
	}
	if d.Side == result.DUTSide {
		inSkb := min(g.xdpDrops, inDriver)
		add(d, "XDP_DROP", "xdp_drops of "+d.Label, g.xdpDrops-inSkb)
		add(d, "XDP_RX_ERROR", "drops of "+d.Label, g.rxErrors-min(g.rxErrors, inDriver-inSkb))
	}
	return drops
}

// explain lists the counters that grew.
func (e evidence) explain(l *result.Ledger, other map[kind]uint64) {
	for key, n := range e.counters {
		l.Counters = append(l.Counters, result.Counter{Name: key.name, Device: key.device, Frames: n, Explains: explained[key.name]})
	}
	for _, d := range e.devices {
		for name, n := range e.growth[d.Name].queues {
			if n > 0 {
				l.Counters = append(l.Counters, result.Counter{Name: queueCounter(name), Device: d.Label, Frames: n, Explains: []string{"QDISC_DROP", "QDISC_OVERLIMIT", "QDISC_CONGESTED"}})
			}
		}
	}
	for k, c := range map[kind]result.Counter{
		foreignFrame: {Name: "skb.dropped_foreign"}, lateFrame: {Name: "skb.dropped_late"}, xdpException: {Name: "xdp.exceptions", Explains: []string{"XDP_DROP"}},
	} {
		if c.Frames = other[k]; c.Frames > 0 {
			l.Counters = append(l.Counters, c)
		}
	}
}

// withoutQueue are the drops of queueing disciplines, by device, that no queueing
// discipline has counted: a device that is down or without carrier has one that drops
// everything, and counts that as the device's own (noop_enqueue,
// net/sched/sch_generic.c, Linux 6.18).
func (e evidence) withoutQueue() map[string]uint64 {
	drops := map[string]uint64{}
	for _, o := range e.drops {
		if o.kind == testFrame && strings.HasPrefix(o.reason, "QDISC_") {
			drops[o.device.Name] += o.frames
		}
	}
	for name, n := range drops {
		var counted uint64
		for _, q := range e.growth[name].queues {
			counted += q
		}
		drops[name] = n - min(n, counted)
	}
	return drops
}

func (e evidence) named(name string) (Device, bool) {
	for _, d := range e.devices {
		if d.Name == name && name != "" {
			return d, true
		}
	}
	return Device{}, false
}

// merge joins entries that differ in nothing but their frames.
func merge(drops []result.Drop) []result.Drop {
	list := []result.Drop{}
	for _, d := range drops {
		same := func(o result.Drop) bool { o.Frames = d.Frames; return o == d }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].Frames += d.Frames
			continue
		}
		list = append(list, d)
	}
	return list
}
