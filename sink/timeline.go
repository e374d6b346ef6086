package sink

import (
	"errors"
	"fmt"
	"time"
)

// maxBins is MAX_BINS of the program.
const maxBins = 8192

// WatchTimeline makes the sink count frames by the time of their arrival from the next
// Arm on, in bins that wide, of which the first begins at fromNS on CLOCK_MONOTONIC: of a
// trial that is longer than 8192 of them the end is missing. A width of 0 ends that.
func (s *Sink) WatchTimeline(bin time.Duration, fromNS uint64) error {
	s.binned = bin > 0
	return errors.Join(s.objects.BinsFromNs.Set(fromNS), s.objects.BinNs.Set(uint64(bin)))
}

func (s *Sink) clearTimeline() error {
	if !s.binned {
		return nil
	}
	for cpu := range s.cpus {
		if err := s.timeline.Set(cpu, receiveTimelines{}); err != nil {
			return err
		}
	}
	return nil
}

// Timeline are the frames of the current epoch by the bins of their arrival, up to the
// last bin with a frame.
func (s *Sink) Timeline() ([]uint64, error) {
	bins, last := make([]uint64, maxBins), 0
	for cpu := range s.cpus {
		one, err := s.timeline.Get(cpu)
		if err != nil {
			return nil, fmt.Errorf("read the timeline of sink %s: %w", s.config.Port, err)
		}
		for i, n := range one.Bins {
			if n > 0 {
				bins[i] += uint64(n)
				last = max(last, i+1)
			}
		}
	}
	return bins[:last], nil
}
