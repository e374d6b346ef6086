package guest

import (
	"errors"
	"fmt"
	"net"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/pktgen"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
)

const (
	// firstPort is the source port of the first flow; each flow has the next one.
	firstPort = 1024
	// discardPort is the destination port of all flows (RFC 863).
	discardPort = 9
	// MaxFlows is how many flows have a source port of their own.
	MaxFlows = 65535 - firstPort
)

// source is pktgen with its device bound.
type source struct{ device pktgen.Device }

// openSource binds the device g0 to the only thread and shapes its packets.
func openSource(c Cell, sideA, sideB testbed.Side, to net.HardwareAddr) (*source, error) {
	if c.FrameSize == plan.IMIX {
		return nil, errors.New("prepare pktgen: it sends frames of one size: set traffic.frame_size to a number of bytes")
	}
	d, err := pktgen.Bind(generatorNetns, generatorDevice, 0)
	if err != nil {
		return nil, fmt.Errorf("prepare pktgen: %w", err)
	}
	stream := generator.Stream{
		Port: generatorDevice, Netns: generatorNetns, Interface: generatorDevice,
		SourceMAC: macs[generatorDevice], DestinationMAC: to, Flows: flowsBetween(sideA, sideB, c.Flows),
	}
	if err := d.Shape(stream, int(c.FrameSize), pktgen.Options{}); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare pktgen: %w", err), d.Close())
	}
	return &source{d}, nil
}

// flowsBetween are flows from the first host of one side to the first of the other.
func flowsBetween(from, to testbed.Side, n int) []frame.Flow {
	flows := make([]frame.Flow, n)
	for i := range flows {
		flows[i] = frame.Flow{
			Source: from.Hosts4.Addr().Next(), Destination: to.Hosts4.Addr().Next(),
			SourcePort: firstPort + uint16(i), DestinationPort: discardPort,
		}
	}
	return flows
}

// send sends so many packets and returns the time that it was busy, without what it idled.
func (s *source) send(packets int) (sent int, busyNS uint64, err error) {
	r, err := s.exactly(packets)
	return int(r.Packets), r.BusyUS * 1000, err
}

// close frees the device, which could not be removed before.
func (s *source) close() error { return s.device.Close() }
