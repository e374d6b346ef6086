package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/bpfmem"
	"github.com/linerate/linerate/internal/netns"
)

// worker is one loaded program on one CPU. It sends every stream, each with the
// flows whose number leaves the worker's index when divided by the number of workers.
type worker struct {
	share     generator.Share
	cpu       int
	streams   []generator.Stream
	objects   generateObjects
	flows     *bpfmem.Table[generateFlow]
	perStream int
	sizeBytes int // of the first frame of the pattern, FCS included
	template  []byte
}

func newWorker(config generator.Config, share generator.Share, cpu int) (*worker, error) {
	w := &worker{share: share, cpu: cpu, streams: config.Streams, sizeBytes: config.Sizes[0]}
	w.perStream = share.Flows(len(config.Streams[0].Flows))
	if err := w.load(config); err != nil {
		return nil, err
	}
	var err error
	if w.flows, err = bpfmem.Open[generateFlow](w.objects.Flows); err != nil {
		return nil, errors.Join(err, w.close())
	}
	for i, s := range config.Streams {
		if err := w.setFlows(i, s.Flows); err != nil {
			return nil, errors.Join(err, w.close())
		}
		// A devmap resolves the index in the namespace of the thread that updates it.
		err := netns.Do(s.Netns, func() error { return w.objects.Ports.Put(uint32(i), uint32(s.Ifindex)) })
		if err != nil {
			return nil, errors.Join(fmt.Errorf("take device %s of namespace %q as a target: %w", s.Interface, s.Netns, err), w.close())
		}
	}
	first := config.Streams[0]
	w.template = frame.Build(first.Flows[0], first.SourceMAC, first.DestinationMAC, config.Sizes.MaxBytes(), frame.Payload{})
	return w, nil
}

func (w *worker) load(config generator.Config) error {
	spec, err := loadGenerate()
	if err != nil {
		return fmt.Errorf("read the generator's program: %w", err)
	}
	spec.Maps[generateMapFlows].MaxEntries = uint32(w.perStream * len(config.Streams))
	var sizes [frame.MaxSizes]uint16
	for i, s := range config.Sizes {
		sizes[i] = uint16(s - frame.FCSBytes)
	}
	for name, value := range map[string]any{
		generateVarIpVersion:   uint32(config.Streams[0].Flows[0].IPVersion()),
		generateVarStreamCount: uint32(len(config.Streams)),
		generateVarFlowCount:   uint32(w.perStream),
		generateVarSizeCount:   uint32(len(config.Sizes)),
		generateVarSizes:       sizes,
		generateVarThrottle:    config.Throttle,
		generateVarLargest:     uint16(config.Sizes.MaxBytes() - frame.FCSBytes),
		generateVarCopyFrames:  uint32(config.CopyFrames),
	} {
		if err := spec.Variables[name].Set(value); err != nil {
			return fmt.Errorf("set %s of the generator's program: %w", name, err)
		}
	}
	if err := spec.LoadAndAssign(&w.objects, nil); err != nil {
		var v *ebpf.VerifierError
		if errors.As(err, &v) {
			return fmt.Errorf("load the generator's program: %+v", v)
		}
		return fmt.Errorf("load the generator's program: %w; it needs root (CAP_BPF, CAP_NET_ADMIN), Linux 5.18 and BTF", err)
	}
	return nil
}

func (w *worker) setFlows(stream int, flows []frame.Flow) error {
	for local := range w.perStream {
		number := w.share.Number(local)
		f := flows[number]
		ip, udp := f.BaseSums(uint32(number))
		entry := generateFlow{
			Source: frame.Words(f.Source), Destination: frame.Words(f.Destination),
			SourcePort: f.SourcePort<<8 | f.SourcePort>>8, DestinationPort: f.DestinationPort<<8 | f.DestinationPort>>8,
			IpSum: ip, UdpSum: udp, Number: uint32(number),
		}
		if err := w.flows.Set(stream*w.perStream+local, entry); err != nil {
			return fmt.Errorf("write flow %d: %w", number, err)
		}
	}
	return nil
}

// rewind makes all flows begin with sequence 0 again. A million flows take longer
// than a thread needs to start, so it comes before the start of a load is fixed.
func (w *worker) rewind() error {
	for i := range w.flows.Len() {
		f, err := w.flows.Get(i)
		if err != nil {
			return err
		}
		f.Sequence = 0
		if err := w.flows.Set(i, f); err != nil {
			return err
		}
	}
	return nil
}

// arm sets the program up for a load that starts at a time of CLOCK_MONOTONIC.
func (w *worker) arm(load generator.Load, start uint64) error {
	var streams [2]generateStream
	for i, s := range w.streams {
		p := load.Pace(w.share, len(s.Flows))
		streams[i] = generateStream{
			Head: head(s, w.sizeBytes), Limit: p.Frames,
			Interval: p.Interval, CatchUp: p.CatchUp, Burst: p.Burst, LeastGap: p.LeastGap,
			StepAt: p.StepAt,
		}
		if step := p.Step; step != nil {
			v := &streams[i]
			v.StepInterval, v.StepCatchUp, v.StepBurst, v.StepLeastGap = step.Interval, step.CatchUp, step.Burst, step.LeastGap
		}
	}
	for _, set := range []struct {
		variable *ebpf.Variable
		value    any
	}{
		{w.objects.StartNs, start},
		{w.objects.DeadlineNs, uint64(load.Duration + generator.LastDue)},
		{w.objects.Epoch, load.Epoch},
		{w.objects.Gaps, [frame.HistogramBuckets]uint32{}},
		{w.objects.Streams, streams},
	} {
		if err := set.variable.Set(set.value); err != nil {
			return fmt.Errorf("set the load of the generator's program: %w", err)
		}
	}
	return nil
}

// head are the first 24 bytes of a frame as BPF stores them.
func head(s generator.Stream, sizeBytes int) (h [3]uint64) {
	b := frame.Build(s.Flows[0], s.SourceMAC, s.DestinationMAC, sizeBytes, frame.Payload{})
	for i := range h {
		h[i] = binary.LittleEndian.Uint64(b[i*8:])
	}
	return h
}

func (w *worker) stream(i int) generateStream {
	var all [2]generateStream
	_ = w.objects.Streams.Get(&all) // sizes were checked when the streams were set
	return all[i]
}

func (w *worker) finished() bool {
	for i := range w.streams {
		if s := w.stream(i); s.Sent < s.Limit {
			return false
		}
	}
	return true
}

func (w *worker) addGaps(h *frame.Histogram) {
	var gaps [frame.HistogramBuckets]uint32
	_ = w.objects.Gaps.Get(&gaps)
	for i, n := range gaps {
		h[i] += uint64(n)
	}
}

func (w *worker) close() error { return w.objects.Close() }
