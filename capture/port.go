package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// Port is a device whose frames are kept, with the taps that see them.
type Port struct {
	// Name is the port's in results: "a", "b", "dut-a", "dut-b".
	Name string
	// Interface is the device's name.
	Interface string
	// Address, if set, is the source of the frames that leave by the port: others
	// that its taps see leave by another.
	Address net.HardwareAddr
	Taps    []Tap
}

// Stop ends the taps and returns the first limit of their frames, in the order of time.
func (p *Port) Stop(limit int) ([]Frame, error) {
	var frames []Frame
	var errs []error
	for _, t := range p.Taps {
		seen, err := t.Stop()
		errs = append(errs, err)
		for _, f := range seen {
			if !f.Leaving || p.Address == nil || f.from(p.Address) {
				frames = append(frames, f)
			}
		}
	}
	inOrder(frames)
	return frames[:min(limit, len(frames))], errors.Join(errs...)
}

// Write writes frames as one section of pcapng with one interface. Times are in
// nanoseconds, and every frame carries its direction; comment says where the
// capture comes from.
func (p *Port) Write(w io.Writer, comment string, frames []Frame) error {
	var places []string
	for _, t := range p.Taps {
		places = append(places, t.Where())
	}
	device := pcapgo.NgInterface{
		Name: p.Interface, Description: "port " + p.Name + ": " + strings.Join(places, ", "), Comment: "frames without FCS",
		OS: runtime.GOOS, LinkType: layers.LinkTypeEthernet, TimestampResolution: 9,
	}
	section := pcapgo.NgSectionInfo{Application: "linerate", OS: runtime.GOOS, Hardware: runtime.GOARCH, Comment: comment}
	out, err := pcapgo.NewNgWriterInterface(w, device, pcapgo.NgWriterOptions{SectionInfo: section})
	if err != nil {
		return fmt.Errorf("write the capture of port %s: %w", p.Name, err)
	}
	for _, f := range frames {
		direction := pcapgo.NgEpbFlagDirectionInbound
		if f.Leaving {
			direction = pcapgo.NgEpbFlagDirectionOutbound
		}
		info := gopacket.CaptureInfo{Timestamp: f.Time, CaptureLength: len(f.Data), Length: len(f.Data)}
		if err := out.WritePacketWithOptions(info, f.Data, pcapgo.NgPacketOptions{Flags: &pcapgo.NgEpbFlags{Direction: direction}}); err != nil {
			return fmt.Errorf("write the capture of port %s: %w", p.Name, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the capture of port %s: %w", p.Name, err)
	}
	return nil
}

// from tells whether the frame's source is a device's address.
func (f Frame) from(source net.HardwareAddr) bool {
	return len(f.Data) >= 12 && bytes.Equal(f.Data[6:12], source)
}
