package trial

import (
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/sink"
)

// readings are the kernel's counters at one moment, by direction.
type readings struct {
	out, in, dutOut []observe.LinkCounters
	conntrack       result.Conntrack
	clocks          observe.Clocks
	queues          map[device]map[int]uint64
	paths           []observe.LinkCounters
}

func (b *Bed) read() (r readings, err error) {
	if r.clocks, err = observe.ReadClocks(b.CPURoles); err != nil {
		return r, err
	}
	n := len(b.Directions)
	r.out, r.in, r.dutOut = make([]observe.LinkCounters, n), make([]observe.LinkCounters, n), make([]observe.LinkCounters, n)
	for i, d := range b.Directions {
		if r.out[i], err = observe.ReadLink(d.Out.Netns, d.Out.Name); err != nil {
			return r, err
		}
		if r.in[i], err = observe.ReadLink(d.In.Netns, d.In.Name); err != nil {
			return r, err
		}
		if d.DUTOut.Name == "" {
			continue
		}
		if r.dutOut[i], err = observe.ReadLink(d.DUTOut.Netns, d.DUTOut.Name); err != nil {
			return r, err
		}
	}
	if b.ConntrackNetns != "" {
		if r.conntrack, err = observe.ReadConntrack(b.ConntrackNetns); err != nil {
			return r, err
		}
	}
	if r.paths, err = b.readPaths(); err != nil {
		return r, err
	}
	r.queues, err = b.readQueues()
	return r, err
}

// fill adds up the counts of all directions.
func (b *Bed) fill(t *result.Trial, counts generator.Counts, arrived []sink.Counts, before, after readings) {
	for i, d := range b.Directions {
		s, c := counts.Streams[i], arrived[i]
		out, in := after.out[i].Since(before.out[i]), after.in[i].Since(before.in[i])
		t.Intended += s.Intended
		t.Sent += s.Sent
		t.Unsent += s.Unsent
		t.SentBytes += s.SentBytes
		t.Received += c.Received
		t.ReceivedBytes += c.ReceivedBytes
		t.Duplicated += c.Duplicated
		t.Reordered += c.Reordered
		t.Late += c.Late
		t.Foreign += c.Foreign
		t.WrongSize += c.WrongSize
		t.WrongRewrite += c.WrongTuple
		t.WrongFlow += c.WrongFlow
		if s.Sent > c.Received {
			t.Lost += s.Sent - c.Received
		}
		if d.DUTOut.Name != "" {
			t.DUTInputDrops += out.TxDropped // of a veth: what its peer's ring refused
			t.TesterDrops += after.dutOut[i].Since(before.dutOut[i]).TxDropped
		} else {
			t.TesterDrops += out.TxDropped
		}
		from := port(t, d.Port)
		from.Sent, from.Unsent, from.InterfaceTx, from.InterfaceTxErrors = s.Sent, s.Unsent, out.TxPackets, out.TxDropped
		to := port(t, d.Sink.Port())
		to.Received, to.Foreign, to.InterfaceRx = c.Received, c.Foreign, in.RxPackets
		to.ReceivedPerCPU = perCPU(c)
	}
	t.Paths = b.pathCounts(before.paths, after.paths)
	t.Interruptions = counts.Interruptions
	// An unbounded load asks for no more than what was sent.
	if t.Intended == 0 {
		t.Intended = t.Sent
	}
	if b.ConntrackNetns != "" {
		t.Conntrack = observe.ConntrackSince(before.conntrack, after.conntrack)
	}
}

// port is the entry of a tester port, made if it is not there yet.
func port(t *result.Trial, name string) *result.PortCounts {
	for i := range t.Ports {
		if t.Ports[i].Port == name {
			return &t.Ports[i]
		}
	}
	t.Ports = append(t.Ports, result.PortCounts{Port: name})
	return &t.Ports[len(t.Ports)-1]
}

// fillTimes sets duration, latency, gaps, and what was asked for of variation and fairness.
func (b *Bed) fillTimes(t *result.Trial, counts generator.Counts, arrived []sink.Counts, variation bool) error {
	t.ActualDurationS = counts.Duration.Seconds()
	var sum frame.Histogram
	for _, d := range b.Directions {
		h, err := d.Sink.Latency()
		if err != nil {
			return err
		}
		sum.Add(h)
	}
	t.Latency = latencyOf(&sum, arrived)
	if t.IntendedLoadPPS > 0 && counts.Gaps.Total() > 0 {
		t.Gaps = &result.Gaps{
			TargetNS: uint64(1e9/t.IntendedLoadPPS*float64(max(1, counts.Threads)) + 0.5),
			P50NS:    counts.Gaps.QuantileNS(0.5), P99NS: counts.Gaps.QuantileNS(0.99), MaxNS: counts.Gaps.QuantileNS(1),
		}
	}
	if variation {
		if err := b.fillVariation(t); err != nil {
			return err
		}
	}
	if b.PerFlow {
		return b.fillFairness(t)
	}
	return nil
}

func latencyOf(h *frame.Histogram, arrived []sink.Counts) *result.Latency {
	l := &result.Latency{Frames: h.Total()}
	if l.Frames == 0 {
		return nil
	}
	var sum uint64
	for _, c := range arrived {
		if c.Received == 0 {
			continue
		}
		if l.MinNS == 0 || uint64(c.LatencyMinNS) < l.MinNS {
			l.MinNS = uint64(c.LatencyMinNS)
		}
		l.MaxNS = max(l.MaxNS, uint64(c.LatencyMaxNS))
		sum += c.LatencySumNS
	}
	l.MeanNS = sum / l.Frames
	l.P50NS, l.P90NS = min(h.QuantileNS(0.5), l.MaxNS), min(h.QuantileNS(0.9), l.MaxNS)
	l.P99NS, l.P999NS = min(h.QuantileNS(0.99), l.MaxNS), min(h.QuantileNS(0.999), l.MaxNS)
	l.Histogram = bucketsOf(h)
	return l
}

// fillSpeeds sets how fast each listed CPU was since a sample.
func (b *Bed) fillSpeeds(t *result.Trial, before observe.SpeedSample) error {
	now, err := b.Speeds.Sample()
	if err != nil || t.CPU == nil {
		return err
	}
	for i, c := range t.CPU.PerCore {
		t.CPU.PerCore[i].TurnsPerS = now.TurnsPerS(before, c.CPU)
	}
	return nil
}
