package verify

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// pcapngMagic begins every pcapng file: the type of its section header block.
var pcapngMagic = [4]byte{0x0a, 0x0d, 0x0d, 0x0a}

// Options say what more is known about the frames.
type Options struct {
	// FrameSizes, if not empty, are the only frame sizes that pass, in bytes with the FCS.
	FrameSizes []int
}

// packets is what both readers of pcapgo have.
type packets interface {
	ReadPacketData() ([]byte, gopacket.CaptureInfo, error)
	LinkType() layers.LinkType
}

// Read checks a capture. An error means that it is no capture of Ethernet frames, or
// a damaged one; a frame that is not as it should be is a failed check of the report.
func Read(r io.Reader, name string, o Options) (*Report, error) {
	in := bufio.NewReader(r)
	magic, err := in.Peek(len(pcapngMagic))
	if err != nil {
		return nil, fmt.Errorf("verify %s: it is shorter than the head of a capture", name)
	}
	report := &Report{File: name, Format: "pcap", Interfaces: []string{}, Epochs: []int{}, Sizes: []Size{}}
	for _, check := range checkNames() {
		report.Checks = append(report.Checks, Check{Name: check})
	}
	var source packets
	var ng *pcapgo.NgReader
	if [4]byte(magic) == pcapngMagic {
		report.Format = "pcapng"
		ng, err = pcapgo.NewNgReader(in, pcapgo.NgReaderOptions{WantMixedLinkType: true})
		source = ng
	} else {
		source, err = pcapgo.NewReader(in)
	}
	if err != nil {
		return nil, fmt.Errorf("verify %s: it is neither pcapng nor pcap: %w", name, err)
	}
	c := newChecker(report, o)
	for {
		data, info, err := source.ReadPacketData()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("verify %s: after frame %d: %w", name, report.Frames, err)
		}
		report.Frames++
		if link := linkType(source, ng, info); link != layers.LinkTypeEthernet {
			return nil, fmt.Errorf("verify %s: frame %d is of link type %v, and only Ethernet is decoded; capture on the device itself, not on \"any\"", name, report.Frames, link)
		}
		c.frame(report.Frames, info, data)
	}
	if ng != nil {
		for i := range ng.NInterfaces() {
			if device, err := ng.Interface(i); err == nil {
				report.Interfaces = append(report.Interfaces, device.Name)
			}
		}
	}
	report.Flows = len(c.flows)
	report.finish()
	return report, nil
}

// linkType is that of the interface that a frame was seen on.
func linkType(source packets, ng *pcapgo.NgReader, info gopacket.CaptureInfo) layers.LinkType {
	if ng == nil {
		return source.LinkType()
	}
	device, err := ng.Interface(info.InterfaceIndex)
	if err != nil {
		return layers.LinkTypeNull
	}
	return device.LinkType
}
