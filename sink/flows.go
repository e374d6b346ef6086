package sink

import (
	"fmt"

	"github.com/linerate/linerate/frame"
)

// ExpectFlows makes the sink compare the addresses and ports of every frame with
// those of its flow, as they must be when the DUT has forwarded it. An empty list
// ends the comparison.
func (s *Sink) ExpectFlows(flows []frame.Flow) error {
	check := uint32(0)
	for i, f := range flows {
		state, err := s.flows.Get(i)
		if err != nil {
			return fmt.Errorf("expect flow %d at sink %s: %w", i, s.config.Port, err)
		}
		state.Tuple = f.Tuple()
		if err := s.flows.Set(i, state); err != nil {
			return fmt.Errorf("expect flow %d at sink %s: %w", i, s.config.Port, err)
		}
		check = 1
	}
	return s.objects.CheckTuple.Set(check)
}

// Learn makes the sink note addresses and ports as they arrive, and forgets what it noted before.
func (s *Sink) Learn(on bool) error {
	if !on {
		return s.objects.Learning.Set(uint32(0))
	}
	for i := range s.tuples.Len() {
		if err := s.tuples.Set(i, receiveLearned{}); err != nil {
			return fmt.Errorf("learn at sink %s: %w", s.config.Port, err)
		}
	}
	return s.objects.Learning.Set(uint32(1))
}

// Learned are the flows as they arrived while the sink learned; a flow of which
// no frame came is the zero Flow.
func (s *Sink) Learned(ipVersion int) ([]frame.Flow, error) {
	flows := make([]frame.Flow, s.tuples.Len())
	for i := range flows {
		t, err := s.tuples.Get(i)
		if err != nil {
			return nil, fmt.Errorf("read learned flows of sink %s: %w", s.config.Port, err)
		}
		if t.Seen == 0 {
			continue
		}
		flows[i] = frame.Flow{
			Source: frame.FromWords(t.Source, ipVersion), Destination: frame.FromWords(t.Destination, ipVersion),
			SourcePort: t.SourcePort<<8 | t.SourcePort>>8, DestinationPort: t.DestinationPort<<8 | t.DestinationPort>>8,
		}
	}
	return flows, nil
}

// PerFlow are the frames of each flow received in the current epoch.
func (s *Sink) PerFlow(epoch uint16) ([]uint32, error) {
	list := make([]uint32, s.flows.Len())
	for i := range list {
		f, err := s.flows.Get(i)
		if err != nil {
			return nil, fmt.Errorf("read flows of sink %s: %w", s.config.Port, err)
		}
		if f.Epoch == epoch {
			list[i] = f.Received
		}
	}
	return list, nil
}

// Throttle makes the sink spend some loops on each frame: a slow receiver, planted to test the instrument.
func (s *Sink) Throttle(loops uint32) error { return s.objects.Throttle.Set(loops) }
