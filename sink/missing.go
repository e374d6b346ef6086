package sink

import "fmt"

// Missing are the frames of the epoch that were passed over: sequence numbers
// below the highest of their flow that did not arrive. What was lost behind the
// last frame of a flow is not among them.
func (s *Sink) Missing(epoch uint16) (uint64, error) {
	var n uint64
	for i := range s.flows.Len() {
		f, err := s.flows.Get(i)
		if err != nil {
			return 0, fmt.Errorf("read flows of sink %s: %w", s.config.Port, err)
		}
		// A sender that began anew within the epoch repeats sequences: more are received than counted up to.
		if f.Epoch == epoch && f.Next > f.Received {
			n += uint64(f.Next - f.Received)
		}
	}
	return n, nil
}
