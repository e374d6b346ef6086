// Package afxdp is the generator that sends through AF_XDP sockets: frames leave from
// memory that the kernel shares, by copy or, where the driver can, without.
package afxdp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/userspace"
)

// Mode is how the kernel takes the frames of a socket.
type Mode string

// The values of Mode. Auto is the wish for ZeroCopy where the driver has it, and else Copy.
const (
	Auto     Mode = "auto"
	Copy     Mode = "copy"
	ZeroCopy Mode = "zerocopy"
)

// MaxFrameBytes is the largest frame, FCS included: without it, it has to lie in one
// chunk of shared memory, and a chunk in one page (xdp_umem_reg, net/xdp/xdp_umem.c, Linux 6.18).
const MaxFrameBytes = largeChunk + frame.FCSBytes

// Generator is the engine "afxdp".
type Generator struct {
	*userspace.Generator
	granted []Mode
}

// New opens one socket per stream and CPU, each on a transmit queue of its own: the
// devices need as many queues as there are CPUs. A mode that is asked for and refused
// is an error of type *kernel.MissingError: what was asked for is never replaced.
func New(config generator.Config, mode Mode) (*Generator, error) {
	g := &Generator{}
	var err error
	g.Generator, err = userspace.New("afxdp", config, func(s generator.Stream, sizes frame.Sizes, thread int) (userspace.Output, error) {
		if m := sizes.MaxBytes(); m > MaxFrameBytes {
			return nil, fmt.Errorf("a frame of %d bytes is larger than the %d bytes that fit into a page; use engine afpacket", m, MaxFrameBytes)
		}
		o, granted, err := openOutput(s, sizes, thread, mode)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(g.granted, granted) {
			g.granted = append(g.granted, granted)
		}
		return o, nil
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Engine is "afxdp" with the mode that the kernel granted: "afxdp (copy)". Sockets on
// devices of two drivers may have been granted different ones.
func (g *Generator) Engine() string {
	words := make([]string, len(g.granted))
	for i, m := range g.granted {
		words[i] = string(m)
	}
	slices.Sort(words)
	return "afxdp (" + strings.Join(words, ", ") + ")"
}
