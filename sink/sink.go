// Package sink is the receiver: an XDP program on a device that counts the test
// frames of the current epoch and tells lost, duplicated, reordered, late, foreign
// and wrongly rewritten frames apart.
package sink

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/internal/bpfmem"
	"github.com/linerate/linerate/internal/netns"
	"golang.org/x/sys/unix"
)

// Config is what a sink is attached with.
type Config struct {
	// Port names the sink in results.
	Port string
	// Netns is the named network namespace of the device; empty is the process's own.
	Netns     string
	Interface string
	Ifindex   int
	// Flows is the number of flows of the direction that ends here.
	Flows int
	// IPVersion is that of the flows, 4 or 6.
	IPVersion int
	// SizeBytes is the size that every frame must have, FCS included; 0 takes the length in the IP header.
	SizeBytes int
	// Generic attaches in generic mode, for devices whose driver has no XDP.
	Generic bool
	// Pktgen tells what to do with frames of the kernel's own generator.
	Pktgen Pktgen
	// CopyFrames is how many of the first frames that arrive, of whatever kind, are copied to Copies.
	CopyFrames int
}

// Sink is attached until Close.
type Sink struct {
	config  Config
	objects receiveObjects
	link    link.Link
	counts  *bpfmem.Table[receiveCounters]
	latency *bpfmem.Table[receiveLatencies]
	flows   *bpfmem.Table[receiveFlowState]
	tuples  *bpfmem.Table[receiveLearned]
	cpus    int
	// variation is filled while varies.
	variation *bpfmem.Table[receiveVariations]
	varies    bool
	// timeline is filled while binned.
	timeline *bpfmem.Table[receiveTimelines]
	binned   bool
}

// Open loads the program and attaches it to the device. On a veth this also makes
// the device take frames that the peer sends by XDP.
func Open(config Config) (*Sink, error) {
	if config.Flows < 1 || config.Flows > frame.MaxFlows {
		return nil, fmt.Errorf("open sink on %s: it counts 1 to %d flows, not %d", config.Interface, frame.MaxFlows, config.Flows)
	}
	s := &Sink{config: config}
	if err := s.load(); err != nil {
		return nil, fmt.Errorf("open sink on %s: %w", config.Interface, err)
	}
	if err := s.attach(); err != nil {
		return nil, errors.Join(fmt.Errorf("open sink on %s: %w", config.Interface, err), s.Close())
	}
	return s, nil
}

func (s *Sink) load() error {
	spec, err := loadReceive()
	if err != nil {
		return fmt.Errorf("read the sink's program: %w", err)
	}
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return err
	}
	s.cpus = cpus
	spec.Maps[receiveMapCounts].MaxEntries = uint32(cpus)
	spec.Maps[receiveMapLatency].MaxEntries = uint32(cpus)
	spec.Maps[receiveMapVariation].MaxEntries = uint32(cpus)
	spec.Maps[receiveMapTimeline].MaxEntries = uint32(cpus)
	spec.Maps[receiveMapLastLatency].MaxEntries = uint32(s.config.Flows)
	spec.Maps[receiveMapFlows].MaxEntries = uint32(s.config.Flows)
	spec.Maps[receiveMapTuples].MaxEntries = uint32(s.config.Flows)
	size := uint32(0)
	if s.config.SizeBytes > 0 {
		size = uint32(s.config.SizeBytes - frame.FCSBytes)
	}
	if err := spec.Variables[receiveVarExpectedSize].Set(size); err != nil {
		return err
	}
	if err := spec.Variables[receiveVarPktgen].Set(uint32(s.config.Pktgen)); err != nil {
		return err
	}
	if err := spec.Variables[receiveVarCopyFrames].Set(uint32(s.config.CopyFrames)); err != nil {
		return err
	}
	if err := spec.LoadAndAssign(&s.objects, nil); err != nil {
		return fmt.Errorf("load the sink's program: %w; it needs root (CAP_BPF, CAP_NET_ADMIN), Linux 5.18 and BTF", err)
	}
	if s.counts, err = bpfmem.Open[receiveCounters](s.objects.Counts); err != nil {
		return errors.Join(err, s.Close())
	}
	if s.latency, err = bpfmem.Open[receiveLatencies](s.objects.Latency); err != nil {
		return errors.Join(err, s.Close())
	}
	if s.variation, err = bpfmem.Open[receiveVariations](s.objects.Variation); err != nil {
		return errors.Join(err, s.Close())
	}
	if s.timeline, err = bpfmem.Open[receiveTimelines](s.objects.Timeline); err != nil {
		return errors.Join(err, s.Close())
	}
	if s.flows, err = bpfmem.Open[receiveFlowState](s.objects.Flows); err != nil {
		return errors.Join(err, s.Close())
	}
	if s.tuples, err = bpfmem.Open[receiveLearned](s.objects.Tuples); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

func (s *Sink) attach() error {
	flags := link.XDPDriverMode
	if s.config.Generic {
		flags = link.XDPGenericMode
	}
	return netns.Do(s.config.Netns, func() error {
		l, err := link.AttachXDP(link.XDPOptions{Program: s.objects.Receive, Interface: s.config.Ifindex, Flags: flags})
		if errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EEXIST) {
			return fmt.Errorf("attach XDP program: another program is attached; `ip link show %s` names it: %w", s.config.Interface, err)
		}
		if err != nil {
			return fmt.Errorf("attach XDP program: %w", err)
		}
		s.link = l
		return nil
	})
}

// Port is the name from the configuration.
func (s *Sink) Port() string { return s.config.Port }

// FlowCount is the number of flows that the sink tells apart.
func (s *Sink) FlowCount() int { return s.config.Flows }

// IPVersion is that of the flows.
func (s *Sink) IPVersion() int { return s.config.IPVersion }

// Close detaches the program and frees its maps.
func (s *Sink) Close() error {
	var err error
	if s.link != nil {
		err = s.link.Close()
	}
	return errors.Join(err, s.objects.Close())
}

// Copies is the perf event array that takes the copies of frames (frame/copyframe.h).
func (s *Sink) Copies() *ebpf.Map { return s.objects.Copies }

// Config is what the sink was opened with.
func (s *Sink) Config() Config { return s.config }
