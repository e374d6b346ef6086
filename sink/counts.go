package sink

import (
	"errors"
	"fmt"

	"github.com/linerate/linerate/frame"
)

// Counts are the frames of one epoch at one sink, over all its CPUs.
type Counts struct {
	// Received are test frames of the epoch, each counted once.
	Received uint64
	// ReceivedBytes are without FCS.
	ReceivedBytes uint64
	Duplicated    uint64
	// Reordered frames had a sequence below the one expected next in their flow (RFC 4737).
	Reordered uint64
	// Late are test frames of another epoch.
	Late         uint64
	Foreign      uint64
	ForeignBytes uint64
	// WrongSize frames were longer or shorter than sent.
	WrongSize uint64
	// WrongTuple frames had other addresses or ports than ExpectFlows said.
	WrongTuple uint64
	// WrongFlow frames had the signature and epoch but a flow number that no stream has.
	WrongFlow uint64
	// GapFrames were shown to be missing by a later frame of their flow, and GapNS is
	// when the frame left that showed the last of them, on CLOCK_MONOTONIC; 0 if none
	// is missing. Frames at the end of a flow are missing without being shown.
	GapFrames, GapNS uint64
	// FirstNS and LastNS are when test frames arrived first and last, on CLOCK_MONOTONIC; 0 if none did.
	FirstNS, LastNS            uint64
	LatencySumNS               uint64
	LatencyMinNS, LatencyMaxNS uint32
	PerCPU                     []uint64
}

// Arm clears all counts and begins an epoch: from now on only frames that carry
// it are counted as received.
func (s *Sink) Arm(epoch uint16) error {
	if err := errors.Join(s.clearVariation(), s.clearTimeline()); err != nil {
		return fmt.Errorf("arm sink %s: %w", s.config.Port, err)
	}
	if err := errors.Join(s.objects.Epoch.Set(epoch), s.armPktgen()); err != nil {
		return fmt.Errorf("arm sink %s: %w", s.config.Port, err)
	}
	for cpu := range s.cpus {
		if err := s.counts.Set(cpu, receiveCounters{}); err != nil {
			return fmt.Errorf("arm sink %s: %w", s.config.Port, err)
		}
		if err := s.latency.Set(cpu, receiveLatencies{}); err != nil {
			return fmt.Errorf("arm sink %s: %w", s.config.Port, err)
		}
	}
	return nil
}

// Collect reads the counts so far; it may be called while frames arrive.
func (s *Sink) Collect() (Counts, error) {
	sum := Counts{PerCPU: make([]uint64, s.cpus)}
	for cpu := range s.cpus {
		c, err := s.counts.Get(cpu)
		if err != nil {
			return sum, fmt.Errorf("read counts of sink %s: %w", s.config.Port, err)
		}
		sum.PerCPU[cpu] = c.Received
		sum.Duplicated += c.Duplicated
		sum.Late += c.Late
		sum.Foreign += c.Foreign
		sum.ForeignBytes += c.ForeignBytes
		sum.WrongFlow += c.WrongFlow
		if c.Received == 0 {
			continue
		}
		if sum.Received == 0 || c.LatencyMinNs < sum.LatencyMinNS {
			sum.LatencyMinNS = c.LatencyMinNs
		}
		if sum.FirstNS == 0 || c.FirstNs < sum.FirstNS {
			sum.FirstNS = c.FirstNs
		}
		sum.Received += c.Received
		sum.ReceivedBytes += c.ReceivedBytes
		sum.Reordered += c.Reordered
		sum.WrongSize += c.WrongSize
		sum.WrongTuple += c.WrongTuple
		sum.GapFrames += c.GapFrames
		sum.GapNS = max(sum.GapNS, c.GapNs)
		sum.LastNS = max(sum.LastNS, c.LastNs)
		sum.LatencySumNS += c.LatencySumNs
		sum.LatencyMaxNS = max(sum.LatencyMaxNS, c.LatencyMaxNs)
	}
	return sum, nil
}

// Latency is the histogram of the epoch's latencies, in nanoseconds.
func (s *Sink) Latency() (*frame.Histogram, error) {
	h := new(frame.Histogram)
	for cpu := range s.cpus {
		l, err := s.latency.Get(cpu)
		if err != nil {
			return nil, fmt.Errorf("read latencies of sink %s: %w", s.config.Port, err)
		}
		for i, n := range l.Buckets {
			h[i] += uint64(n)
		}
	}
	return h, nil
}
