package sink

import (
	"fmt"

	"github.com/linerate/linerate/frame"
)

// WatchVariation makes the sink compare the latency of each frame with that of the one
// before it in its flow, from the next Arm on. It costs two table look-ups per frame,
// so it is on only in trials that ask for it.
func (s *Sink) WatchVariation(on bool) error {
	vary := uint32(0)
	if on {
		vary = 1
	}
	s.varies = on
	return s.objects.Vary.Set(vary)
}

func (s *Sink) clearVariation() error {
	if !s.varies {
		return nil
	}
	for cpu := range s.cpus {
		if err := s.variation.Set(cpu, receiveVariations{}); err != nil {
			return err
		}
	}
	return nil
}

// Variation are the differences of the epoch between the latencies of frames that
// follow each other in their flow. A frame is left out if the one before it was lost,
// came later or came twice.
func (s *Sink) Variation() (*frame.Variation, error) {
	sum := new(frame.Variation)
	for cpu := range s.cpus {
		v, err := s.variation.Get(cpu)
		if err != nil {
			return nil, fmt.Errorf("read delay variation of sink %s: %w", s.config.Port, err)
		}
		one := frame.Variation{MinNS: v.MinNs, MaxNS: v.MaxNs}
		for i := range v.Falling {
			one.Falling[i], one.Rising[i] = uint64(v.Falling[i]), uint64(v.Rising[i])
		}
		sum.Add(&one)
	}
	return sum, nil
}
